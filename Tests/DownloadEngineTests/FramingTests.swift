import DownloadCore
import Glibc
import TestSupport
import Testing

/// When a body without a promised length is complete, and when it is not (cases A22–A25).
@Suite(.timeLimit(.minutes(5))) struct FramingTests {
  private static let framings = [ServedFile.Framing.chunked(50_000), .close, .http10]

  private static func unmeasured(_ framing: ServedFile.Framing, _ file: ServedFile = .v1) -> ServedFile {
    file.with { ($0.framing, $0.ranges, $0.acceptRanges) = (framing, .ignored, nil) }
  }

  private func fetch(_ manner: Fetch.Manner = .inProcess) throws -> Fetch {
    var fetch = try Fetch(manner)
    fetch.settings.retry.attempts = 3
    return fetch
  }

  // MARK: A22

  @Test(arguments: framings, Fetch.Manner.allCases)
  func aBodyWithoutALengthArrivesWhole(_ framing: ServedFile.Framing, _ manner: Fetch.Manner) async throws {
    let fetch = try fetch(manner)
    let ending = try await fetch.goOn(with: Self.unmeasured(framing))
    #expect(ending.status == 0 && ending.verified == "none" && ending.isResumable == false)
    #expect(ending.totals == [-1])
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [0])
  }

  @Test(arguments: [Fetch.Manner.interrupted, .killed, .inProcess])
  func aBodyWithoutALengthStartsOverAfterAStop(_ manner: Fetch.Manner) async throws {
    for framing in Self.framings {
      for file in [ServedFile.v1, .v1.anonymous] {
        let fetch = try fetch(manner)
        let served = Self.unmeasured(framing, file)
        try await fetch.begin(with: served)
        #expect(try await fetch.goOn(with: served).status == 0)
        fetch.expectOnly(Version.v1)
        #expect(fetch.origin.requests.count == 1)
      }
    }
  }

  @Test(arguments: framings) func aNewFileWithoutALengthIsNotMixedWithTheOldOne(_ framing: ServedFile.Framing)
    async throws
  {
    for file in [ServedFile.v2, .v2.anonymous, .v3] {
      let fetch = try fetch()
      try await fetch.begin(with: Self.unmeasured(framing))
      #expect(try await fetch.goOn(with: Self.unmeasured(framing, file)).status == 0)
      fetch.expectOnly(file.body.bytes(0..<file.body.count))
    }
  }

  @Test(arguments: framings) func aShorterFileWithTheOldTagLeavesNothingOfTheOldOne(_ framing: ServedFile.Framing)
    async throws
  {
    let fetch = try fetch()
    try await fetch.begin(with: Self.unmeasured(framing))
    let short = Array(Version.v1[..<200_000])
    #expect(try await fetch.goOn(with: Self.unmeasured(framing, ServedFile(short))).status == 0)
    fetch.expectOnly(short)
  }

  @Test(arguments: framings) func anEmptyBodyWithoutALengthIsAnEmptyFile(_ framing: ServedFile.Framing) async throws {
    let fetch = try fetch()
    #expect(try await fetch.goOn(with: Self.unmeasured(framing, ServedFile([]))).status == 0)
    fetch.expectOnly([])
  }

  // MARK: A23

  /// Ten chunks of the body, and then these bytes.
  private static func chunks(then end: String, resetting: Bool = false) -> ScriptedOrigin.Handler {
    { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"v1\"\r\n\r\n")
      for start in stride(from: 0, to: 500_000, by: 50_000) {
        connection.send("c350\r\n")
        connection.send(Array(Version.v1[start..<start + 50_000]))
        connection.send("\r\n")
      }
      connection.send(end)
      if resetting { connection.reset() }
    }
  }

  private static let brokenEnds = [
    "", "0", "0\r\n", "c350\r\nshort", "xyz\r\n", "-5\r\n", "\r\n", "FFFFFFFFFFFFFFFFFF\r\n", "c350;ext",
    "7fffffffffffffff\r\nrest",
  ]

  @Test(arguments: brokenEnds, [false, true])
  func chunksThatDoNotEndWellAreNotAFile(_ end: String, _ resetting: Bool) async throws {
    let fetch = try fetch()
    let ending = try await fetch.goOn(with: Self.chunks(then: end, resetting: resetting))
    #expect(ending.status != 0 && ending.verified == nil)
    #expect(!fetch.folder.exists(fetch.name))
    // How much of each answer a reset leaves to be read differs, and what is new renews the budget: bounded, not counted.
    #expect((2...40).contains(fetch.origin.requests.count))
    #expect(try await fetch.goOn(with: Self.unmeasured(.chunked(50_000))).status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test(arguments: Fetch.programs.prefix(1), ["", "xyz\r\n"])
  func chunksThatBreakOffOnceAreAskedForAgain(_ manner: Fetch.Manner, _ end: String) async throws {
    let fetch = try fetch(manner)
    let whole = Self.unmeasured(.chunked(50_000)).handler
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([Self.chunks(then: end), whole]))
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.origin.requests.count == 2)
  }

  // MARK: A24

  @Test(arguments: Fetch.Manner.allCases) func aBodyThatARestEndsIsNotAFile(_ manner: Fetch.Manner) async throws {
    for framing in Self.framings {
      let fetch = try fetch(manner)
      let broken = Self.unmeasured(framing).with { $0.ending = .reset(after: 500_000) }
      let ending = try await fetch.goOn(with: broken)
      #expect(ending.status == 6 && ending.verified == nil)
      #expect(!fetch.folder.exists(fetch.name))
      // How much a reset leaves to be read differs, and what is new renews the budget.
      #expect(fetch.origin.requests.count <= 40)
      #expect(try await fetch.goOn(with: Self.unmeasured(framing)).status == 0)
      fetch.expectOnly(Version.v1)
    }
  }

  @Test func aCleanEndWithoutALengthCannotBeToldApartAndIsCalledUnverified() async throws {
    let fetch = try fetch()
    let ending = try await fetch.goOn(with: Self.unmeasured(.http10).with { $0.ending = .closed(after: 500_000) })
    #expect(ending.status == 0 && ending.verified == "none")
    fetch.expectOnly(Array(Version.v1[..<500_000]))
  }

  @Test(arguments: framings) func aCleanEndTooEarlyForTheKnownLengthIsNotOne(_ framing: ServedFile.Framing) async throws
  {
    let fetch = try fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v1.with { ($0.framing, $0.ending) = (framing, .closed(after: 100_000)) })
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    let asked = fetch.asked.compactMap(\.self)
    #expect(asked.count == 8 && zip(asked, asked.dropFirst()).allSatisfy { $0 < $1 })
  }

  // MARK: A25

  @Test(arguments: ["12345", "0", "2000000", "99999999999999999999"], Fetch.Manner.allCases.suffix(2))
  func aLengthBesideChunksIsUsedNowhere(_ length: String, _ manner: Fetch.Manner) async throws {
    let fetch = try fetch(manner)
    let ending = try await fetch.goOn(
      with: Self.unmeasured(.chunked(50_000)).with { $0.contentLength = length })
    #expect(ending.status == 0 && ending.verified == "none" && ending.totals == [-1])
    fetch.expectOnly(Version.v1)
  }

  @Test(arguments: ["12345", "2000000"]) func neitherIsItWhenGoingOn(_ length: String) async throws {
    let fetch = try fetch()
    try await fetch.begin(with: Self.unmeasured(.chunked(50_000)).with { $0.contentLength = length })
    #expect(fetch.sidecar?.resource.total == nil && fetch.part?.count == 300_000)
    let ending = try await fetch.goOn(with: .v1.with { ($0.framing, $0.contentLength) = (.chunked(50_000), length) })
    #expect(ending.status == 0 && ending.totals == [1_000_000])
    fetch.expectOnly(Version.v1)
  }
}
