import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Everything is on the disk already, or the server says that there is no more (cases A15, A17).
@Suite(.timeLimit(.minutes(5))) struct WholeOnDiskTests {
  private static let nothingMore = ServedFile.v1.with { $0.ranges = .refused(416) }

  /// Writes the bytes into the part and lets the sidecar claim them after a stop in good order.
  private func complete(_ fetch: Fetch, total: Int64? = 1_000_000) throws {
    try append(Version.v1[300_000...], to: fetch)
    var sidecar = try #require(fetch.sidecar)
    (sidecar.done, sidecar.clean, sidecar.resource.total) = ([[0, 1_000_000]], true, total)
    var status = stat()
    try #require(lstat(fetch.folder["file.bin.part"], &status) == 0)
    let touched = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    (sidecar.partSize, sidecar.partTouched) = (1_000_000, touched)
    try fetch.folder.write(JSONEncoder().encode(sidecar), to: "file.bin.part.json")
  }

  private func append(_ bytes: ArraySlice<UInt8>, to fetch: Fetch) throws {
    let part = try FileHandle(forUpdating: URL(filePath: fetch.folder["file.bin.part"]))
    try part.seek(toOffset: UInt64(bytes.startIndex))
    try part.write(contentsOf: bytes)
    try part.close()
  }

  // MARK: A15

  @Test(arguments: Fetch.programs)
  func aFileThatIsWholeOnTheDiskIsFinishedWithoutARequest(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    try complete(fetch)
    let ending = try await fetch.goOn(with: Self.nothingMore)
    #expect(ending.status == 0 && ending.verified == "size")
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked.isEmpty)
  }

  @Test func bytesThatNoSidecarClaimsAreAskedForOnce() async throws {
    let fetch = try Fetch(.killed)
    try await fetch.begin(900_000)
    try append(Version.v1[900_000...], to: fetch)
    let sent = fetch.origin.counters.bytesSent
    let ending = try await fetch.goOn(with: .v1)
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [900_000])
    #expect(fetch.origin.counters.bytesSent - sent < 110_000)
  }

  @Test func whatASidecarClaimsAfterACrashIsVerifiedFirst() async throws {
    let fetch = try Fetch(.killed)
    try await fetch.begin()
    try complete(fetch)
    var sidecar = try #require(fetch.sidecar)
    sidecar.clean = false
    try fetch.folder.write(JSONEncoder().encode(sidecar), to: "file.bin.part.json")
    #expect(try await fetch.goOn(with: .v1).status == 0)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000])
  }

  @Test(
    arguments: [
      (["Content-Range: bytes */1000000"], [1_000_000]),
      (["Content-Range: bytes */1000000", "ETag: \"v1\""], [1_000_000]),
      ([], [1_000_000, nil]), (["Content-Range: bytes */*"], [1_000_000, nil]),
    ] as [([String], [Int64?])])
  func aFileOfUnknownSizeEndsWhereTheServerHasNoMore(_ headers: [String], _ asked: [Int64?]) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    try complete(fetch, total: nil)
    let ending = try await fetch.goOn { request, connection in
      guard request.range != nil else { return ServedFile.v1.answer(request, connection) }
      connection.respond(416, headers: headers, body: "nothing more than forty bytes of an error")
    }
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == asked)
  }

  @Test(arguments: [
    ["Content-Range: bytes */999999"], ["Content-Range: bytes */1000001"],
    ["Content-Range: bytes */1000000", "ETag: \"v2\""],
  ]) func aFileOfUnknownSizeThatEndsElsewhereIsAnotherOne(_ headers: [String]) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    try complete(fetch, total: nil)
    let ending = try await fetch.goOn { request, connection in
      guard request.range?.first != 0, request.range != nil else { return ServedFile.v2.answer(request, connection) }
      connection.respond(416, headers: headers)
    }
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v2)
  }

  @Test func aLengthThatIsToldLateIsBelieved() async throws {
    for ranges in [ServedFile.Ranges.honoured, .ignored] {
      let fetch = try Fetch()
      try await fetch.begin(with: .v1.with { ($0.framing, $0.ranges) = (.chunked(50_000), .ignored) })
      #expect(fetch.sidecar?.resource.total == nil)
      let ending = try await fetch.goOn(with: .v1.with { $0.ranges = ranges })
      #expect(ending.status == 0 && ending.verified == "size")
      fetch.expectOnly(Version.v1)
      #expect(fetch.asked == [300_000])
    }
  }

  // MARK: A17

  @Test(arguments: Fetch.programs)
  func aRefusedRangeThatTellsNoSizeIsNoVerdict(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    try await fetch.begin()
    let ending = try await fetch.goOn(with: Self.nothingMore)
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.asked == [300_000, nil])
  }

  @Test func aRefusedRangeLeadsToTheNewFileIfThereIsOne() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn(with: .v2.with { $0.ranges = .refused(416) })
    #expect(ending.status == 0 && ending.restarts.count == 1)
    fetch.expectOnly(Version.v2)
  }

  @Test(arguments: Fetch.programs)
  func aServerThatCutsEveryRangeIsNoReasonToGiveUpGoodBytes(_ manner: Fetch.Manner) async throws {
    var fetch = try Fetch(manner)
    fetch.settings.retry.attempts = 2
    try await fetch.begin()
    let ending = try await fetch.goOn { _, connection in connection.reset() }
    #expect(ending.status == 6 && fetch.asked == [300_000, 300_000, 300_000])
    fetch.expectPart(Version.v1[..<300_000])
    #expect(try await fetch.goOn(with: .v1).status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test func aServerThatRefusesEverythingIsNoReasonToGiveUpGoodBytes() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    let ending = try await fetch.goOn { _, connection in connection.respond(416) }
    #expect(ending.status == 22 && ending.message == "unexpected answer: 416")
    fetch.expectPart(Version.v1[..<300_000])
  }
}
