import DownloadCore
import TestSupport
import Testing

/// Servers that say one thing about ranges and do another (cases A29, A30, A33, A52).
@Suite(.timeLimit(.minutes(2))) struct HonestyTests {
  private static let big = Blob.random(count: 8_000_000, seed: 8)

  enum HeadAnswer: CaseIterable { case refused, forbidden, unknown, silence, empty }

  @Test(arguments: HeadAnswer.allCases) func a29HeadIsNeverReliedUpon(_ kind: HeadAnswer) async throws {
    let scene = try Scene()
    let file = ServedFile.v1
    scene.origin.serve { request, connection in
      guard request.method == "HEAD" else { return file.answer(request, connection) }
      switch kind {
      case .refused: connection.respond(405)
      case .forbidden: connection.respond(403)
      case .unknown: connection.respond(501)
      case .silence: connection.hold()
      case .empty: connection.respond(200)
      }
    }
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(!scene.origin.requests.contains { $0.method == "HEAD" })
  }

  enum Lie: CaseIterable {
    /// `Accept-Ranges: bytes`, and every range gets the whole file.
    case promisesOnly
    /// `Accept-Ranges: none`, and ranges work.
    case deniesOnly
    /// Only `bytes=0-` is answered with 206.
    case openFromStart
    /// Plain requests are forbidden.
    case onlyRanges
    /// Ranges of more than 1 MiB are forbidden.
    case onlySmallRanges
  }

  private static func answer(_ lie: Lie, _ request: ReceivedRequest, _ connection: Connection) {
    var file = ServedFile(big)
    let range = request.range
    let length = range.map { ($0.last ?? 7_999_999) - $0.first + 1 } ?? 0
    switch lie {
    case .promisesOnly: file.ranges = .ignored
    case .deniesOnly: file.acceptRanges = "none"
    case .openFromStart: if range?.first != 0 || range?.last != nil { file.ranges = .ignored }
    case .onlyRanges: if range == nil { return connection.respond(403) }
    case .onlySmallRanges: if length > 1 << 20 { return connection.respond(403) }
    }
    file.answer(request, connection)
  }

  @Test(arguments: Lie.allCases) func a30RangesAreJudgedByTheirAnswersNotByAcceptRanges(_ lie: Lie) async throws {
    let scene = try Scene()
    scene.origin.serve { Self.answer(lie, $0, $1) }
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Self.big, "\(outcome)")
    #expect(scene.names == ["file.bin"])
  }

  @Test func a30RangesThatAreDeniedInWordsButWorkAreUsedToGoOn() async throws {
    let scene = try Scene()
    let file = ServedFile.v1.with { $0.acceptRanges = "none" }
    try await scene.leavePart(of: file)
    scene.origin.serve(file)
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v1)
    #expect(scene.starts == [Scene.kept])
  }

  @Test func a33AnEtagForEachNodeEndsInOneStreamNotInALoop() async throws {
    let scene = try Scene()
    let file = ServedFile(Self.big)
    let nodes = (0..<100).map { turn in file.with { $0.etag = "\"n\(turn % 2)\"" }.handler }
    scene.origin.serve(inTurn: nodes)
    let outcome = try await scene.get("--min-split", "100K")
    #expect(outcome.status == 0 && scene.bytes() == Self.big, "\(outcome)")
    #expect(scene.origin.requests.count < 40, "\(scene.origin.requests.count)")
  }

  @Test func a33AWeakTagIsNeverStrippedToForceAMatch() async throws {
    let scene = try Scene()
    try await scene.leavePart(of: ServedFile.v1.with { $0.etag = "W/\"v1\"" })
    scene.origin.serve(ServedFile(Version.v2).with { $0.etag = "W/\"v1\"" })
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v2)
    #expect(scene.origin.requests.allSatisfy { $0["If-Range"] == nil })
  }

  // MARK: A52

  @Test func a52AFailedPreconditionStartsOver() async throws {
    let scene = try Scene()
    try await scene.leavePart()
    let new = ServedFile(Version.v2).with { $0.etag = "\"v2\"" }
    scene.origin.serve { request, connection in
      if request["If-Range"] != nil { return connection.respond(412) }
      new.answer(request, connection)
    }
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v2)
    #expect(scene.names == ["file.bin"])
  }

  @Test(arguments: [true, false])
  func a52AfterAFailedPreconditionRubbishStillDestroysNothing(_ isPage: Bool) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve { request, connection in
      if request["If-Range"] != nil { return connection.respond(412) }
      connection.respond(
        200, headers: ["Content-Type: \(isPage ? "text/html" : "application/octet-stream")"],
        body: isPage ? "<html>gone</html>" : "")
    }
    let outcome = try await scene.get()
    #expect(outcome.status != 0 && !scene.names.contains("file.bin"), "\(outcome)")
    #expect(scene.bytes(of: "file.bin.part") == Array(Version.v1[..<Int(Scene.kept)]))
    try await expectGoingOn(scene)
  }

  @Test func a52AnUnaskedNotModifiedIsAnErrorThatTouchesNothing() async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve { _, connection in connection.respond(304) }
    let outcome = try await scene.get()
    #expect(outcome.status == 22 && outcome.errors.contains("304"), "\(outcome)")
    #expect(scene.bytes(of: "file.bin.part") == Array(Version.v1[..<Int(Scene.kept)]))
    try await expectGoingOn(scene)
  }

  /// The part is still good for what it was.
  private func expectGoingOn(_ scene: Scene) async throws {
    scene.origin.clearRequests()
    scene.origin.serve(ServedFile.v1)
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v1)
    #expect(scene.starts.first == Scene.kept)
  }
}
