import DownloadCore
import Foundation
import TestSupport
import Testing

/// What a person changes about a download at work, through real curl and real files.
@Suite(.timeLimit(.minutes(1))) struct LiveChangeTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 1_000_000, seed: 17)
  private static let these = Command.Selection.these([DownloadID(1)])

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
  }

  private func request(_ path: String = "/file.bin") -> Request { Request(url: origin.url(path), folder: folder.path) }

  private var served: ServedFile { ServedFile(blob) }

  /// An engine whose download has brought 300,000 bytes and gets no more.
  private func heldEngine() async throws -> RunningEngine {
    origin.serve(served.with { $0.ending = .held(after: 300_000, Gate()) })
    var settings = Settings()
    (settings.connections, settings.ifChanged) = (1, .ask)
    let running = try RunningEngine(settings)
    running.add(request())
    try await eventually("the first bytes") { running.item?.completed == 300_000 }
    return running
  }

  private func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = folder.bytes(of: "file.bin") == blob
    #expect(isSame && folder.names == ["file.bin"], "\(folder.names)", sourceLocation: sourceLocation)
  }

  @Test func aConnectionSaysWhoIsAtTheOtherEnd() async throws {
    let running = try await heldEngine()
    #expect(running.item?.transfers.map(\.peer) == ["127.0.0.1:\(origin.port)"])
    try await running.quit()
  }

  @Test func aLimitThatIsLiftedHoldsNobodyBackAnyMore() async throws {
    origin.serve(served)
    let running = try RunningEngine()
    var slow = request()
    slow.rateLimit = 1
    running.add(slow)
    try await eventually("it is under way") { running.isConnected && running.item?.resumability == .resumable }
    running.post(.limit(Self.these, nil))
    try await eventually("the end") { running.hasEnded }
    try await running.quit()
    expectWhole()
  }

  @Test func whatWasRemovedByMistakeGoesOn() async throws {
    let running = try await heldEngine()
    running.post(.remove(Self.these, .deletePart))
    try await eventually("it is gone") { running.item == nil }
    #expect(folder.exists("file.bin.part"))
    origin.serve(served)
    origin.clearRequests()
    running.post(.undo)
    try await eventually("the end") { running.hasEnded }
    try await running.quit()
    #expect(origin.requests.map { $0.range?.first } == [300_000])
    expectWhole()
  }

  @Test func whatWasRemovedOnPurposeIsDeletedAtTheEnd() async throws {
    let running = try await heldEngine()
    running.post(.remove(Self.these, .deletePart))
    try await eventually("it is gone") { running.item == nil }
    try await running.quit()
    #expect(folder.names == [])
  }

  @Test(arguments: [true, false]) func aFinishedFileIsDeletedUnlessItIsAnotherOneNow(_ isOther: Bool) async throws {
    origin.serve(served)
    let running = try RunningEngine()
    running.add(request())
    try await eventually("the end") { running.hasEnded }
    running.post(.remove(Self.these, .deleteFile))
    try await eventually("it is gone") { running.item == nil }
    #expect(folder.exists("file.bin"))
    if isOther { try folder.write("mine".utf8, to: "file.bin") }
    try await running.quit()
    #expect(folder.names == (isOther ? ["file.bin"] : []))
    #expect(
      running.notices.contains { $0.kind == .warning("not deleted, it is another file now: \(folder["file.bin"])") }
        == isOther)
  }

  // MARK: A new address

  @Test func aNewAddressBringsOnlyWhatIsMissing() async throws {
    let running = try await heldEngine()
    let other = try ScriptedOrigin(served)
    running.post(.readdress(DownloadID(1), url: other.url("/signed?token=2"), credentials: nil))
    try await eventually("the end") { running.hasEnded }
    try await running.quit()
    #expect(other.requests.map { $0.range?.first } == [300_000])
    expectWhole()
  }

  @Test func aNewAddressWithAnotherFileLeavesTheOldBytes() async throws {
    let running = try await heldEngine()
    let other = try ScriptedOrigin(served.with { $0.etag = "\"v2\"" })
    running.post(.readdress(DownloadID(1), url: other.url("/other"), credentials: nil))
    try await eventually("the end") { running.hasEnded }
    guard case .failed(.changed(let why)) = running.item?.state else {
      Issue.record("\(String(describing: running.item?.state))")
      return
    }
    #expect(why.hasPrefix("at the new address"))
    let isKept = folder.bytes(of: "file.bin.part")?.prefix(300_000).elementsEqual(blob.prefix(300_000)) == true
    #expect(isKept)
    origin.serve(served)
    origin.clearRequests()
    running.post(.readdress(DownloadID(1), url: origin.url(), credentials: nil))
    try await eventually("the end") { running.hasEnded }
    try await eventually("the file") { running.item?.state == .completed(.size) }
    try await running.quit()
    #expect(origin.requests.map { $0.range?.first } == [300_000])
    expectWhole()
  }
}
