import DownloadCore
import TestSupport
import Testing

/// What is no file never becomes one (case A19, and its kin: pages and empty bodies in place of the file).
@Suite(.timeLimit(.minutes(5))) struct ErrorBodyTests {
  /// A status with a body of forty bytes.
  struct Refusal: CustomTestStringConvertible {
    let status: Int
    /// The program's.
    let exit: Int32
    var headers: [String] = []
    var testDescription: String { "\(status) \(headers)" }

    var handler: ScriptedOrigin.Handler {
      { [self] _, connection in
        connection.respond(status, headers: headers, body: String(repeating: "error ", count: 6) + "page")
      }
    }
  }

  private static let refusals: [Refusal] = [
    .init(status: 416, exit: 22), .init(status: 403, exit: 24), .init(status: 500, exit: 22),
    .init(status: 503, exit: 29), .init(status: 401, exit: 24), .init(status: 302, exit: 22),
    .init(status: 302, exit: 23, headers: ["Location: /file.bin"]), .init(status: 300, exit: 22),
    .init(status: 304, exit: 22), .init(status: 404, exit: 3), .init(status: 410, exit: 3),
    .init(status: 400, exit: 22), .init(status: 405, exit: 22), .init(status: 407, exit: 24),
    .init(status: 408, exit: 22), .init(status: 429, exit: 29), .init(status: 502, exit: 22),
    .init(status: 504, exit: 22), .init(status: 201, exit: 22), .init(status: 202, exit: 22),
    .init(status: 401, exit: 24, headers: ["WWW-Authenticate: Basic realm=\"r\""]),
    .init(status: 416, exit: 22, headers: ["Content-Range: bytes 0-39/40"]),
    .init(status: 500, exit: 22, headers: ["Content-Range: bytes 0-39/40", "ETag: \"v1\""]),
    .init(status: 503, exit: 29, headers: ["Retry-After: 0"]), .init(status: 599, exit: 22),
  ]

  private func fetch(_ manner: Fetch.Manner = .inProcess) throws -> Fetch {
    var fetch = try Fetch(manner)
    fetch.settings.retry.attempts = 2
    return fetch
  }

  @Test(arguments: refusals) func anErrorAtFirstLeavesNothing(_ refusal: Refusal) async throws {
    let fetch = try fetch()
    let ending = try await fetch.goOn(with: refusal.handler)
    #expect(ending.status == refusal.exit && ending.verified == nil)
    #expect(fetch.folder.names.isEmpty)
  }

  @Test(arguments: refusals) func anErrorOnTheWayLeavesThePartAsItWas(_ refusal: Refusal) async throws {
    let fetch = try fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: refusal.handler)
    #expect(ending.status == refusal.exit && ending.verified == nil)
    fetch.expectPart(Version.v1[..<300_000])
    fetch.origin.clearRequests()
    #expect(try await fetch.goOn(with: .v1).status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000])
  }

  @Test(arguments: Fetch.programs)
  func theProgramSaysWhatFailedAndKeepsThePart(_ manner: Fetch.Manner) async throws {
    for refusal in Self.refusals.prefix(7) {
      let fetch = try fetch(manner)
      try await fetch.begin()
      let ending = try await fetch.goOn(with: refusal.handler)
      #expect(ending.status == refusal.exit && ending.message != nil, "\(refusal.testDescription): \(ending)")
      fetch.expectPart(Version.v1[..<300_000])
    }
  }

  @Test(arguments: refusals.prefix(20)) func anErrorForOneSegmentCostsNothingElse(_ refusal: Refusal) async throws {
    let fetch = try fetch()
    let slow = ServedFile.b.with { $0.bytesPerSecond = 4_000_000 }
    let answers = [slow.handler, slow.handler, refusal.handler, slow.handler]
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn(answers))
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.b)
    #expect(fetch.origin.requests.count > 4)
  }

  // MARK: Instead of the file

  private static let page = ServedFile(Body("<html>Please log in</html>")).with {
    ($0.contentType, $0.etag, $0.lastModified) = ("text/html; charset=utf-8", nil, nil)
  }
  private static let empty = ServedFile(Body("")).anonymous.with { $0.ranges = .ignored }

  @Test(arguments: [
    page, page.with { $0.framing = .chunked(10) }, page.with { $0.etag = "\"v1\"" }, page.with { $0.ranges = .ignored },
    page.with { $0.contentType = "application/xhtml+xml" }, empty, empty.with { $0.etag = "\"v2\"" },
    empty.with { $0.etag = "\"v1\"" }, empty.with { $0.framing = .chunked(10) },
    empty.with { ($0.framing, $0.etag) = (.chunked(10), "\"v2\"") }, empty.with { $0.framing = .close },
    empty.with { $0.framing = .http10 },
  ]) func aPageOrNothingInsteadOfTheFileDestroysNothing(_ instead: ServedFile) async throws {
    let fetch = try fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: instead)
    #expect(ending.status != 0 && ending.verified == nil)
    fetch.expectPart(Version.v1[..<300_000])
    #expect(try await fetch.goOn(with: .v1).status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test func aPageInsteadOfAFileOfUntoldTypeDestroysNothing() async throws {
    let fetch = try fetch()
    fetch.origin.serve { request, connection in
      let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes 0-999999/1000000"]
      connection.send((head + ["Content-Length: 1000000", "", ""]).joined(separator: "\r\n"))
      connection.send(Array(Version.v1[..<300_000]))
      connection.hold()
    }
    try await fetch.stop { $0 == 300_000 }
    #expect(try await fetch.goOn(with: Self.page).status == 22)
    fetch.expectPart(Version.v1[..<300_000])
  }

  @Test func aPageThatWasWantedIsAFile() async throws {
    let fetch = try fetch()
    let page = ServedFile.v1.with { $0.contentType = "text/html" }
    try await fetch.begin(with: page)
    let changed = ServedFile.v2.with { $0.contentType = "text/html" }
    #expect(try await fetch.goOn(with: changed).status == 0)
    fetch.expectOnly(Version.v2)
  }
}
