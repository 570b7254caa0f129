import DownloadCore
import TestSupport
import Testing

/// The file on the server is another one when the download goes on (cases A01, A14).
@Suite(.timeLimit(.minutes(5))) struct ChangedFileTests {
  // MARK: A01

  @Test(arguments: Fetch.programs)
  func aFileReplacedByOneOfEqualLengthIsFetchedWhole(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v2)
    #expect(ending.status == 0 && ending.verified == "size")
    #expect(ending.restarts == ["its ETag was \"v1\", now it is \"v2\""])
    fetch.expectOnly(Version.v2)
    #expect(fetch.asked == [300_000])
    #expect(fetch.origin.requests.first?["if-range"] == "\"v1\"")
  }

  struct Replacement: CustomTestStringConvertible {
    let testDescription: String
    var before = ServedFile.v1
    let after: ServedFile
    var ifRange: String?
  }

  private static let date = "Mon, 01 Jan 2024 00:00:00 GMT"
  private static let weak = ServedFile.v1.with { $0.etag = "W/\"v1\"" }
  private static let dated = ServedFile.v1.with { $0.etag = nil }
  private static let weaklyDated = dated.with { $0.date = date }

  @Test(arguments: [
    Replacement(testDescription: "a 206 with another tag", after: .v2.careless, ifRange: "\"v1\""),
    .init(testDescription: "a 206 without validators", after: .v2.careless.anonymous, ifRange: "\"v1\""),
    .init(
      testDescription: "a 206 that is dated as before, without the tag",
      after: .v2.careless.with { ($0.etag, $0.lastModified) = (nil, date) }, ifRange: "\"v1\""),
    .init(
      testDescription: "a 206 with the tag made weak", after: .v2.careless.with { $0.etag = "W/\"v1\"" },
      ifRange: "\"v1\""),
    .init(testDescription: "a 200 without validators", after: .v2.anonymous, ifRange: "\"v1\""),
    .init(
      testDescription: "a 200 with the tag of the old bytes",
      after: .v2.with { ($0.etag, $0.ranges) = ("\"v1\"", .ignored) }, ifRange: "\"v1\""),
    .init(
      testDescription: "an honest server with dates", before: dated, after: .v2.with { $0.etag = nil }, ifRange: date),
    .init(
      testDescription: "a careless server with dates", before: dated, after: .v2.careless.with { $0.etag = nil },
      ifRange: date),
    .init(
      testDescription: "a strong date, and a 206 without one", before: dated, after: .v2.careless.anonymous,
      ifRange: date),
    .init(testDescription: "a weak tag that stays", before: weak, after: .v2.with { $0.etag = "W/\"v1\"" }),
    .init(testDescription: "a weak tag that changes", before: weak, after: .v2.with { $0.etag = "W/\"v2\"" }),
    .init(testDescription: "a weak tag that vanishes", before: weak, after: .v2.anonymous),
    .init(
      testDescription: "a weak date that stays", before: weaklyDated,
      after: .v2.with { ($0.etag, $0.lastModified, $0.date) = (nil, date, date) }),
    .init(testDescription: "no validators at all", before: .v1.anonymous, after: .v2.anonymous),
    .init(
      testDescription: "no validators, no ranges", before: .v1.anonymous,
      after: .v2.anonymous.with { $0.ranges = .ignored }),
    .init(testDescription: "no length any more", after: .v2.with { $0.framing = .chunked(10_000) }, ifRange: "\"v1\""),
    .init(
      testDescription: "HTTP/1.0 now", after: .v2.with { ($0.framing, $0.ranges) = (.http10, .ignored) },
      ifRange: "\"v1\""),
  ]) func noOtherVersionIsEverMixedIn(_ replacement: Replacement) async throws {
    let fetch = try Fetch()
    try await fetch.begin(with: replacement.before)
    let ending = try await fetch.goOn(with: replacement.after)
    #expect(ending.status == 0 && ending.restarts.count == 1)
    fetch.expectOnly(Version.v2)
    #expect(fetch.origin.requests.first?["if-range"] == replacement.ifRange)
    #expect(fetch.origin.requests.count <= 3)
  }

  @Test(arguments: [
    ServedFile.v1, .v1.careless, weak, dated, weaklyDated, .v1.anonymous, .v1.with { $0.ranges = .ignored },
    .v1.with { $0.framing = .chunked(10_000) },
  ]) func aFileThatStayedAsItWasIsNotStartedOver(_ file: ServedFile) async throws {
    let fetch = try Fetch()
    try await fetch.begin(with: file.with { $0.ranges = .honoured })
    let before = fetch.origin.counters.bytesSent
    let ending = try await fetch.goOn(with: file)
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.origin.requests.count == 1)
    #expect(fetch.origin.counters.bytesSent - before < 1_050_000)
  }

  @Test func bytesThatOnlyComparingTiesTogetherAreNotCalledVerified() async throws {
    for file in [Self.weak, Self.weaklyDated, .v1.anonymous] {
      let fetch = try Fetch()
      try await fetch.begin(with: file)
      #expect(try await fetch.goOn(with: file).verified == "none")
      #expect(fetch.asked == [300_000 - 65_536])
    }
  }

  @Test func aCrashSoonAfterStartingOverLeavesNothingBehind() async throws {
    let fetch = try Fetch(.killed)
    try await fetch.begin()
    fetch.origin.serve(.v2.with { $0.ending = .held(after: 100, Gate()) })
    try await fetch.stop { _ in fetch.folder.exists("file.bin.part.old") && fetch.folder.exists("file.bin.part.json") }
    #expect(try await fetch.goOn(with: .v2).status == 0)
    fetch.expectOnly(Version.v2)
  }

  @Test(arguments: Fetch.programs)
  func theOldBytesStayUntilTheNewFileIsComplete(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    fetch.origin.serve(.v2.with { $0.ending = .held(after: 200_000, Gate()) })
    try await fetch.stop { $0 == 200_000 }
    #expect(fetch.folder.bytes(of: "file.bin.part.old")?.prefix(300_000) == Version.v1[..<300_000])
    #expect(fetch.part?.prefix(200_000) == Version.v2[..<200_000])
    fetch.origin.clearRequests()
    #expect(try await fetch.goOn(with: .v2).status == 0)
    fetch.expectOnly(Version.v2)
    #expect(fetch.asked == [200_000])
  }

  @Test(arguments: [
    ("ask", ServedFile.v2), ("ask", .v2.careless), ("fail", .v2), ("fail", .v3), ("ask", .v2.anonymous),
  ])
  func nobodyStartsOverWhoWasToldNotTo(_ word: String, _ file: ServedFile) async throws {
    var fetch = try Fetch()
    fetch.settings.ifChanged = word == "ask" ? .ask : .fail
    try await fetch.begin()
    let ending = try await fetch.goOn(with: file)
    #expect(ending.status == 22 && ending.message?.hasPrefix("the file changed on the server: ") == true)
    fetch.expectPart(Version.v1[..<300_000])
  }

  @Test(arguments: [ServedFile.v2, .v2.careless, .v2.careless.anonymous, .v2.anonymous, .v3, .v3.careless])
  func aFileThatChangesDuringAPauseIsFetchedWhole(_ changed: ServedFile) async throws {
    let fetch = try Fetch()
    let engine = try RunningEngine(fetch.settings)
    fetch.origin.serve(.v1.with { $0.ending = .held(after: 300_000, Gate()) })
    engine.add(Request(url: fetch.origin.url(), folder: fetch.folder.path))
    for _ in 0..<3 {
      try await eventually("the first bytes") { engine.item?.completed == 300_000 && engine.isConnected }
      engine.post(.pause(.all))
      try await eventually("it is paused") { engine.hasEnded }
      fetch.origin.serve(.v1.with { $0.ending = .held(after: 0, Gate()) })
      engine.post(.resume(.all))
      try await eventually("it is active") { !engine.hasEnded }
    }
    engine.post(.pause(.all))
    try await eventually("it is paused") { engine.hasEnded }
    fetch.origin.serve(changed)
    engine.post(.resume(.all))
    try await eventually("it is complete") { if case .completed = engine.item?.state { true } else { false } }
    try await engine.quit()
    fetch.expectOnly(changed.body.bytes(0..<changed.body.count))
    #expect(Ending(engine.notices).restarts.count == 1)
  }

  @Test(arguments: [weak, weaklyDated, .v1.anonymous])
  func whereThereIsTooLittleToCompareNothingIsJoined(_ file: ServedFile) async throws {
    for after in [file, .v2.careless.anonymous] {
      let fetch = try Fetch()
      try await fetch.begin(with: file, 50_000)
      #expect(try await fetch.goOn(with: after).status == 0)
      fetch.expectOnly(after.body.bytes(0..<1_000_000))
      #expect(fetch.asked == [0])
    }
  }

  @Test(arguments: [50_000, 300_000] as [Int64])
  func aServerThatNeverTagsItsPartsIsBelievedAfterComparing(_ count: Int64) async throws {
    let fetch = try Fetch()
    try await fetch.begin(count)
    let ending = try await fetch.goOn { request, connection in
      (request.range == nil ? ServedFile.v1 : .v1.anonymous.careless).answer(request, connection)
    }
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [count, count > 65_536 ? count - 65_536 : 0])
  }

  // MARK: A14

  @Test(arguments: Fetch.programs)
  func aFileThatHasGrownIsFetchedWholeWithoutAHole(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v3)
    #expect(ending.status == 0 && ending.restarts == ["its size was 1000000, now it is 1200000"])
    fetch.expectOnly(Version.v3)
  }

  private static let short = Array(Version.v2[..<200_000])
  private static let asLongAsThePart = Array(Version.v2[..<300_000])

  @Test(arguments: [
    (ServedFile.v3.careless, Version.v3), (.v3.careless.with { $0.etag = "\"v1\"" }, Version.v3),
    (.v3.careless.anonymous, Version.v3), (.v3.with { $0.ranges = .ignored }, Version.v3),
    (ServedFile(short), short), (.init(short).careless, short), (.init(short).careless.anonymous, short),
    (.init(asLongAsThePart).with { $0.etag = "\"v2\"" }, asLongAsThePart),
    (.init(asLongAsThePart).careless, asLongAsThePart), (.init(asLongAsThePart).careless.anonymous, asLongAsThePart),
  ]) func aFileOfAnotherSizeIsAnotherFile(_ file: ServedFile, _ bytes: [UInt8]) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: file)
    #expect(ending.status == 0 && ending.restarts.count == 1)
    fetch.expectOnly(bytes)
    #expect(fetch.origin.requests.count <= 3)
  }

  private static let longer = ServedFile(Blob.random(count: 9_000_000, seed: 106)).with { $0.etag = "\"v2\"" }

  @Test(arguments: [ServedFile.b2, .b2.careless, .b2.careless.anonymous, longer, longer.careless])
  func aChangeBetweenTwoSegmentsOfOneRunMixesNothing(_ changed: ServedFile) async throws {
    let fetch = try Fetch()
    let first = ServedFile.b.with { $0.ending = .held(after: 500_000, Gate()) }
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([first.handler, changed.handler]))
    #expect(ending.status == 0 && ending.restarts.count == 1, "\(ending)")
    fetch.expectOnly(changed.body.bytes(0..<changed.body.count))
  }
}
