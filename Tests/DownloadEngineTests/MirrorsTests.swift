import DownloadCore
import DownloadEngine
import Foundation
import TestSupport
import Testing

/// One file at several addresses that are used at the same time, each of them a real server, good or bad.
@Suite(.timeLimit(.minutes(3))) struct MirrorsTests {
  private static let blob = Blob.random(count: 12 << 20, seed: 401)
  private static let piece = 1 << 20
  /// Somewhere behind what a mirror is compared by, and not where a stretch begins.
  private static let middle = (9 << 20) + 12_345

  private let folder: TemporaryFolder
  private let origins: [ScriptedOrigin]
  /// What the first address holds back until it is opened.
  private let gate = Gate()

  init() throws {
    folder = try TemporaryFolder()
    origins = try (0..<3).map { _ in try ScriptedOrigin() }
  }

  /// The same file, as another server names it, with some bytes changed.
  private func file(_ number: Int, wrongAt wrong: [Int] = []) -> ServedFile {
    var bytes = Self.blob
    for place in wrong { bytes[place] ^= 0xff }
    return ServedFile(bytes).with { $0.etag = "\"server-\(number)\"" }
  }

  /// What the first address serves: 2 MiB of each answer, and the rest when the gate is opened.
  private var heldFile: ServedFile { file(0).with { $0.ending = .held(after: 2 << 20, gate) } }

  private func host(_ number: Int) -> String { "127.0.0.1:\(origins[number].port)" }

  private var request: Request {
    var request = Request(url: origins[0].url("/big.iso"), folder: folder.path)
    request.mirrors = origins.dropFirst().map { $0.url("/big.iso") }
    return request
  }

  private func pieces(of bytes: [UInt8]) async throws -> PieceSums? {
    var sums: [String] = []
    for start in stride(from: 0, to: bytes.count, by: Self.piece) {
      sums.append(try await sha256(of: Array(bytes[start..<min(start + Self.piece, bytes.count)])))
    }
    return PieceSums(.sha256, length: Int64(Self.piece), sums: sums)
  }

  /// Downloads to whatever end; `connections` are all together.
  private func get(
    _ request: Request, connections: Int = 4, _ settle: () async throws -> Void = {}
  ) async throws -> [Notice] {
    var settings = Settings()
    settings.connections = connections
    settings.retry.firstWait = .milliseconds(10)
    let engine = try RunningEngine(settings)
    engine.add(request)
    try await settle()
    try await eventually("the download has ended") { engine.hasEnded }
    try await engine.quit()
    return engine.notices
  }

  private func warnings(_ notices: [Notice]) -> [String] {
    notices.compactMap { if case .warning(let words) = $0.kind { words } else { nil } }
  }

  private func expectWhole(_ notices: [Notice], _ verified: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = folder.bytes(of: "big.iso") == Self.blob
    let ending = Ending(notices)
    #expect(isSame && ending.status == 0, "\(notices)", sourceLocation: sourceLocation)
    #expect(ending.verified == verified, sourceLocation: sourceLocation)
    #expect(folder.names == ["big.iso"], sourceLocation: sourceLocation)
  }

  /// Requests that more than bytes to compare were wanted of.
  private func claims(_ number: Int) -> [Range<Int64>] {
    origins[number].requests.compactMap { request in
      request.range.map { $0.first..<($0.last.map { $0 + 1 } ?? .max) }
    }.filter { $0.upperBound - $0.lowerBound != 64 << 10 }
  }

  // MARK: Good ones

  @Test func theyShareTheWorkAndEachMirrorIsAskedForOneThingAtATime() async throws {
    origins[0].serve(heldFile)
    for number in 1...2 {
      let held = file(number).with { $0.ending = .held(after: 200_000, gate) }
      origins[number].serve(inTurn: [file(number).handler, held.handler, file(number).handler])
    }
    let notices = try await get(request) {
      try await eventually("both mirrors give something") { (1...2).allSatisfy { !claims($0).isEmpty } }
      gate.open()
    }
    expectWhole(notices, "none")
    for number in 1...2 {
      // A connection that was used again after a newer one would have been there together with it.
      let connections = origins[number].requests.map(\.connection)
      #expect(connections == connections.sorted())
      #expect(origins[number].requests.first?.range.map { ($0.last ?? 0) - $0.first + 1 } == 64 << 10)
      #expect(origins[number].requests.dropFirst().allSatisfy { $0["if-range"] == "\"server-\(number)\"" })
    }
    #expect(warnings(notices) == [])
  }

  @Test func oneConnectionIsForOneAddress() async throws {
    for number in 0...2 { origins[number].serve(file(number)) }
    let notices = try await get(request, connections: 1)
    expectWhole(notices, "size")
    #expect(origins[1].requests.isEmpty && origins[2].requests.isEmpty)
  }

  @Test func aServerTellsItsMirrorsAndTheSumThatTiesThem() async throws {
    let sum = try #require(Data(hex: try await sha256(of: Self.blob))?.base64EncodedString())
    let links = (1...2).map { "Link: <\(origins[$0].url("/big.iso"))>; rel=duplicate" }
    for digest in ["Repr-Digest: sha-256=:\(sum):", "Digest: SHA-256=\(sum)"] {
      origins.forEach { $0.clearRequests() }
      let folder = try TemporaryFolder()
      let held = Gate()
      origins[0].serve(
        heldFile.with {
          $0.headers = links + [digest]
          $0.ending = .held(after: 2 << 20, held)
        })
      for number in 1...2 { origins[number].serve(file(number)) }
      let notices = try await get(Request(url: origins[0].url("/big.iso"), folder: folder.path)) {
        try await eventually("both mirrors give something") { (1...2).allSatisfy { !claims($0).isEmpty } }
        held.open()
      }
      #expect(folder.bytes(of: "big.iso") == Self.blob && Ending(notices).verified == "sha-256", "\(notices)")
    }
  }

  @Test func linksWithoutASumAreNotFollowed() async throws {
    origins[0].serve(file(0).with { $0.headers = ["Link: <\(origins[1].url("/big.iso"))>; rel=duplicate"] })
    let notices = try await get(Request(url: origins[0].url("/big.iso"), folder: folder.path))
    expectWhole(notices, "size")
    #expect(origins[1].requests.isEmpty)
  }

  // MARK: Bad ones

  enum Bad: CaseIterable {
    case missing, longer, other, ignoringRanges, refusingRanges, coded, breakingOff, empty

    func file(_ good: ServedFile) -> ServedFile? {
      switch self {
      case .missing: nil
      case .longer: ServedFile(Blob.random(count: (12 << 20) + 1, seed: 401))
      case .other: ServedFile(Blob.random(count: 12 << 20, seed: 402))
      case .ignoringRanges: good.with { $0.ranges = .ignored }
      case .refusingRanges: good.with { $0.ranges = .refused(416) }
      case .coded: good.with { $0.headers = ["Content-Encoding: gzip"] }
      case .breakingOff: good.with { $0.ending = .closed(after: 10_000) }
      case .empty: ServedFile([])
      }
    }
  }

  @Test(arguments: Bad.allCases) func aBadMirrorIsNamedAndNothingStaysOfIt(_ bad: Bad) async throws {
    origins[0].serve(heldFile)
    bad.file(file(1)).map(origins[1].serve)
    origins[2].serve(file(2))
    let notices = try await get(request) {
      try await eventually("the mirrors are asked") { (1...2).allSatisfy { !origins[$0].requests.isEmpty } }
      try await eventually("the good one gives something, the other has said what it says") {
        !claims(2).isEmpty && origins[1].counters.requestsInProgress == 0
      }
      gate.open()
    }
    expectWhole(notices, "none")
    #expect(warnings(notices).contains { $0.hasPrefix("the mirror \(host(1)) is left") }, "\(warnings(notices))")
    #expect(claims(1).isEmpty, "nothing was wanted of it")
  }

  @Test func aDeadMirrorIsNoTrouble() async throws {
    origins[0].serve(file(0))
    origins[1].stop()
    var request = request
    request.mirrors?.removeLast()
    expectWhole(try await get(request), "size")
  }

  /// The last bytes that are compared are others, and the answer goes on after them although nobody asked for that.
  @Test(arguments: [false, true]) func everyByteThatIsComparedCounts(isWrong: Bool) async throws {
    origins[0].serve(heldFile)
    let bytes = Self.blob
    origins[1].serve { request, connection in
      guard let range = request.range, let last = request.range?.last else { return connection.respond(404) }
      let total = bytes.count
      connection.send(
        """
        HTTP/1.1 206 Partial Content\r\nETag: "x"\r\nContent-Range: bytes \(range.first)-\(total - 1)/\(total)\r
        Content-Length: \(Int64(total) - range.first)\r\n\r\n
        """)
      var body = Array(bytes[Int(range.first)...])
      if isWrong { body[Int(last - range.first)] ^= 1 }
      for start in stride(from: 0, to: body.count, by: 1000) {
        guard connection.send(Array(body[start..<min(start + 1000, body.count)])) else { return }
      }
    }
    var request = request
    request.mirrors?.removeLast()
    let notices = try await get(request) {
      try await eventually("it was asked, and is left or asked for more") {
        let (asked, open) = (origins[1].requests.count, origins[1].counters.connectionsOpen)
        return isWrong ? asked > 0 && open == 0 : asked > 1
      }
      gate.open()
    }
    expectWhole(notices, isWrong ? "size" : "none")
    #expect(warnings(notices).contains { $0.contains("it has another file") } == isWrong, "\(warnings(notices))")
  }

  @Test func aSlowMirrorDoesNotHoldUpTheEnd() async throws {
    origins[0].serve(heldFile)
    origins[1].serve(inTurn: [file(1).handler, file(1).with { $0.bytesPerSecond = 20_000 }.handler])
    origins[2].serve(file(2))
    let notices = try await get(request) {
      try await eventually("the slow one has something to give") { !claims(1).isEmpty }
      gate.open()
    }
    expectWhole(notices, "none")
    #expect(origins[1].counters.bytesSent < 1 << 20)
  }

  // MARK: Sums

  @Test(arguments: [middle, (12 << 20) - 1]) func aWrongPieceAloneIsFetchedAgainFromElsewhere(_ place: Int) async throws
  {
    var request = request
    request.mirrors?.removeLast()
    request.pieces = try await pieces(of: Self.blob)
    let notices = try await whileTheMirrorGives(request, wrongAt: place)
    expectWhole(notices, "sha-256")
    let number = place / Self.piece
    let words = "the mirror \(host(1)) is left, checksum mismatch in piece \(number + 1) of 12"
    #expect(warnings(notices).contains(words), "\(warnings(notices))")
    #expect(claims(0).last == Int64(number * Self.piece)..<Int64((number + 1) * Self.piece))
    #expect(!notices.contains { if case .restarted = $0.kind { true } else { false } })
  }

  @Test func withoutPiecesWhatTheMirrorGaveIsFetchedAgain() async throws {
    var request = request
    request.mirrors?.removeLast()
    request.checksum = Checksum(.sha256, hex: try await sha256(of: Self.blob))
    let notices = try await whileTheMirrorGives(request, wrongAt: Self.middle)
    expectWhole(notices, "sha-256")
    let again = claims(0).dropFirst()
    #expect(!again.isEmpty && again.allSatisfy { $0.lowerBound >= 2 << 20 }, "\(claims(0))")
  }

  /// Has the mirror give the second half of the file.
  private func whileTheMirrorGives(_ request: Request, wrongAt place: Int) async throws -> [Notice] {
    origins[0].serve(heldFile)
    origins[1].serve(file(1, wrongAt: [place]))
    return try await get(request, connections: 2) {
      try await eventually("the mirror has given its half") {
        origins[1].counters.bytesSent > 6 << 20 && origins[1].counters.requestsInProgress == 0
      }
      gate.open()
    }
  }

  @Test func aFirstAddressThatLiesIsLeft() async throws {
    origins[0].serve(file(0, wrongAt: Array(stride(from: 0, to: 12 << 20, by: 1000))))
    for number in 1...2 { origins[number].serve(file(number)) }
    var request = request
    request.checksum = Checksum(.sha256, hex: try await sha256(of: Self.blob))
    let notices = try await get(request)
    expectWhole(notices, "sha-256")
    #expect(
      warnings(notices).contains { $0.hasPrefix("\(host(0)) is left, checksum mismatch") }, "\(warnings(notices))")
  }

  @Test func aLoneServerWithAWrongPieceFailsAndWhatIsRightStays() async throws {
    origins[0].serve(file(0, wrongAt: [Self.middle]))
    var request = request
    request.mirrors = nil
    request.pieces = try await pieces(of: Self.blob)
    let first = Ending(try await get(request))
    #expect(first.status == 32 && first.message == "checksum mismatch in piece 10 of 12")
    #expect(claims(0).count { $0 == 9 << 20..<10 << 20 } == 1, "asked once more")
    #expect(!folder.exists("big.iso"))
    // The next one gets the address of another server, and fetches only what is wrong.
    origins[1].serve(file(1))
    request.mirrors = [request.url]
    request.url = origins[1].url("/big.iso")
    origins[0].serve { $1.respond(404) }
    expectWhole(try await get(request), "sha-256")
    #expect(origins[1].counters.bytesSent < 2 << 20, "\(origins[1].requests.map(\.range))")
  }

  @Test(arguments: [true, false]) func theAddressOfAMirrorAloneGoesOnOrTakesTheFileThatIsThere(isSame: Bool)
    async throws
  {
    let gone: ScriptedOrigin.Handler = { $1.respond(404) }
    origins[0].serve(inTurn: [file(0).with { $0.ending = .closed(after: 4 << 20) }.handler, gone])
    var request = request
    request.mirrors?.removeLast()
    #expect(Ending(try await get(request, connections: 1)).status == 3)
    #expect(folder.exists("big.iso.part"))
    let other = Blob.random(count: 9 << 20, seed: 403)
    origins[1].serve(isSame ? file(1) : ServedFile(other))
    let notices = try await get(Request(url: origins[1].url("/big.iso"), folder: folder.path), connections: 1)
    let bytes = folder.bytes(of: "big.iso")
    let isRight = bytes == (isSame ? Self.blob : other)
    #expect(isRight && folder.names == ["big.iso"], "\(notices)")
    #expect(Ending(notices).restarts.isEmpty == isSame)
    let last = origins[1].requests.last?.range?.first ?? 0
    #expect(isSame == (last >= (4 << 20) - (64 << 10)), "\(origins[1].requests.map(\.range))")
  }

  // MARK: The first one fails

  @Test(arguments: [true, false]) func whenTheFirstAddressDiesTheOthersGoOn(isGone: Bool) async throws {
    origins[0].serve(heldFile)
    for number in 1...2 { origins[number].serve(file(number)) }
    let notices = try await get(request) {
      try await eventually("a mirror gives something") { !claims(1).isEmpty }
      if isGone { origins[0].serve { $1.respond(404) } }
      origins[0].stop()
    }
    expectWhole(notices, "none")
    #expect(warnings(notices).contains { $0.hasPrefix("\(host(0)) is left, ") }, "\(warnings(notices))")
  }
}

extension Data {
  fileprivate init?(hex: String) {
    let bytes = stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    guard bytes.allSatisfy({ $0 != nil }) else { return nil }
    self.init(bytes.compactMap(\.self))
  }
}
