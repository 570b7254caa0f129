import DownloadCore
import TestSupport
import Testing

/// The server does something else with a Range than what was asked (cases A06, A09, A13).
@Suite(.timeLimit(.minutes(5))) struct RangeAnswerTests {
  private static let ignoring = ServedFile.v1.with { $0.ranges = .ignored }

  // MARK: A06

  @Test(arguments: Fetch.programs)
  func aWholeBodyInsteadOfAPartIsNotAppended(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let ending = try await fetch.goOn(with: Self.ignoring)
    #expect(ending.status == 0 && ending.isResumable == false)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000])
  }

  @Test(arguments: Fetch.programs)
  func aServerWithoutRangesThatBreaksOffTwiceIsReadThreeTimesAtMost(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let sent = fetch.origin.counters.bytesSent
    let broken = Self.ignoring.with { $0.ending = .reset(after: 600_000) }
    let ending = try await fetch.goOn(
      with: ScriptedOrigin.inTurn([broken.handler, broken.handler, Self.ignoring.handler]))
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.origin.requests.count == 3)
    #expect(fetch.origin.counters.bytesSent - sent < 2_300_000)
  }

  @Test(arguments: [ServedFile.v1, .v1.anonymous])
  func aServerWithoutRangesThatAlwaysBreaksOffIsLeftWithAPartThatIsGood(_ file: ServedFile) async throws {
    var fetch = try Fetch()
    fetch.settings.retry.attempts = 3
    try await fetch.begin(with: file)
    let broken = file.with { ($0.ranges, $0.ending) = (.ignored, .closed(after: 600_000)) }
    let ending = try await fetch.goOn(with: broken)
    #expect(ending.status != 0 && ending.message != nil)
    #expect(fetch.origin.requests.count <= 8)
    let done = try #require(fetch.sidecar?.doneRanges.ranges.first)
    let isGood = fetch.part?.prefix(Int(done.upperBound)) == Version.v1[..<Int(done.upperBound)]
    #expect(done.lowerBound == 0 && isGood)
    #expect(try await fetch.goOn(with: file).status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test func gapsInAFileFromAServerThatLostItsRangesAreFilledInOneGo() async throws {
    let fetch = try Fetch()
    fetch.origin.serve(.b.with { $0.ending = .held(after: 300_000, Gate()) })
    try await fetch.stop { $0 == 8 * 300_000 }
    #expect(fetch.sidecar?.done.count == 8)
    fetch.origin.clearRequests()
    let sent = fetch.origin.counters.bytesSent
    let ending = try await fetch.goOn(with: .b.with { $0.ranges = .ignored })
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.b)
    #expect(fetch.origin.requests.count <= 9)
    #expect(fetch.origin.counters.bytesSent - sent < 20_000_000)
  }

  @Test func segmentsThatAreAnsweredWithTheWholeFileLeaveTheOthersAlone() async throws {
    let fetch = try Fetch()
    let gate = Gate()
    let first = ServedFile.b.with { $0.ending = .held(after: 500_000, gate) }
    let origin = fetch.origin
    let ending = try await fetch.goOn { request, connection in
      guard request.range?.first != 0 else { return first.answer(request, connection) }
      ServedFile.b.with { $0.ranges = .ignored }.answer(request, connection)
      if origin.requests.count > 3 { gate.open() }
    }
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.b)
  }

  // MARK: A09

  struct Answer: CustomTestStringConvertible {
    let testDescription: String
    let answer: @Sendable (ReceivedRequest, Connection) -> Void

    init(_ text: String, _ answer: @escaping @Sendable (ReceivedRequest, Connection) -> Void) {
      (testDescription, self.answer) = (text, answer)
    }

    init(_ file: ServedFile) { self.init(file.contentRange ?? "\(file.ranges)", file.handler) }
    init(range: String) { self.init(ServedFile.v1.with { $0.contentRange = range }) }
    /// A 206 with these lines, and these bytes of the first version.
    init(_ lines: String..., bytes: Range<Int>) {
      self.init(lines.joined(separator: ", ")) { _, connection in
        let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Length: \(bytes.count)"] + lines
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        connection.send(Array(Version.v1[bytes]))
      }
    }

    /// Wherever a range is asked for; a plain request is served well.
    var handler: ScriptedOrigin.Handler {
      { request, connection in
        (request.range == nil ? ServedFile.v1.handler : answer)(request, connection)
      }
    }
  }

  private static let lies = [
    Answer(.v1.with { $0.ranges = .shifted(1000) }),
    Answer("Content-Range: bytes 301000-999999/1000000", bytes: 301_000..<1_000_000),
    Answer("Content-Range: bytes 299000-299999/1000000", bytes: 299_000..<300_000),
    Answer("Content-Range: bytes 0-99999/1000000", bytes: 0..<100_000),
    Answer(range: "items 300000-999999/1000000"), Answer(range: "bytes 300000-1000000/1000000"),
    Answer(range: "bytes 999999-300000/1000000"), Answer(range: "bytes */1000000"),
    Answer("Content-Type: application/octet-stream", bytes: 300_000..<1_000_000),
    Answer("Content-Type: multipart/byteranges; boundary=x", bytes: 300_000..<1_000_000),
  ]

  @Test(arguments: lies) func aPartThatIsNotTheOneAskedForMakesNoHole(_ answer: Answer) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: answer.handler)
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000, nil])
  }

  @Test(arguments: lies.dropFirst()) func suchAPartIsNotEvenABeginning(_ answer: Answer) async throws {
    let fetch = try Fetch()
    let ending = try await fetch.goOn(with: answer.handler)
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test(arguments: Fetch.programs) func aPartThatStartsLaterIsRefused(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v1.with { $0.ranges = .shifted(1000) })
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000, nil])
  }

  @Test func aPartThatStartsEarlierIsUsedFromWhereItIsNeeded() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v1.with { $0.ranges = .shifted(-1000) })
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000])
  }

  @Test func aPartThatStartsEarlierMustBeginWithWhatIsOnTheDisk() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let other = ServedFile.v2.careless.with { ($0.etag, $0.ranges) = ("\"v1\"", .shifted(-1000)) }
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([other.handler, ServedFile.v2.handler]))
    #expect(ending.status == 0 && ending.restarts.count == 1)
    fetch.expectOnly(Version.v2)
  }

  @Test func partsMayBeShorterThanAskedFor() async throws {
    let fetch = try Fetch()
    let ending = try await fetch.goOn { request, connection in
      let first = Int(request.range?.first ?? 0)
      let end = min(first + 90_000, 1_000_000)
      Answer("Content-Range: bytes \(first)-\(end - 1)/1000000", bytes: first..<end).answer(request, connection)
    }
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == (0..<12).map { $0 * 90_000 })
  }

  // MARK: A13

  @Test(arguments: [
    "bytes=300000-999999/1000000", "300000-999999/1000000", "bytes 300000-999999/*", "bytes: 300000-999999/1000000",
    "BYTES 300000-999999/1000000", "bytes  300000 - 999999 / 1000000",
  ]) func aHarmlessMisspellingIsUnderstood(_ range: String) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v1.with { $0.contentRange = range })
    #expect(ending.status == 0 && ending.verified == "size")
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000])
  }

  @Test(arguments: [
    Answer(range: "bytes 300000-/1000000"), Answer(range: "bytes 300000-999999"), Answer(range: ""),
    Answer(range: "bytes 300000-999999/"), Answer(range: "bytes -300000-999999/1000000"),
    Answer(range: "bytes 300000-999999/99999999999999999999"),
    Answer(range: "bytes 300000-999999/1000000\r\nContent-Range: bytes 0-699999/1000000"),
    Answer(range: "bytes 300000-999999/1000000, bytes 0-699999/1000000"),
  ]) func aMisspellingThatCouldMeanAnythingLeadsToOnePlainRequest(_ answer: Answer) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: answer.handler)
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000, nil])
  }

  @Test func aServerThatNeverTellsTheTotalIsReadToItsEnd() async throws {
    let handler: ScriptedOrigin.Handler = { request, connection in
      let first = Int(request.range?.first ?? 0)
      guard first < 1_000_000 else { return connection.respond(416, headers: ["Content-Range: bytes */1000000"]) }
      Answer("Content-Range: bytes \(first)-999999/*", bytes: first..<1_000_000).answer(request, connection)
    }
    let fetch = try Fetch()
    let ending = try await fetch.goOn(with: handler)
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [0, 1_000_000])
  }
}
