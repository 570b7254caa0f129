import DownloadCore
import Glibc
import TestSupport
import Testing

/// The list and the folder disagree, as a crash may leave them.
@Suite(.timeLimit(.minutes(2))) struct StaleListTests {
  @Test func aPartThatTheListDoesNotKnowIsFoundByItsAddress() async throws {
    let (folder, origin) = (try TemporaryFolder(), try ScriptedOrigin())
    origin.serve(ServedFile.v1.with { $0.ending = .held(after: 300_000, Gate()) })
    let first = try RunningEngine(stateFolder: folder["state"])
    first.add(Request(url: origin.url(), folder: folder["files"]))
    try await eventually("some bytes") { first.item?.completed == 300_000 }
    try await first.quit()
    for suffix in [".part", ".part.json"] {
      #expect(rename(folder["files/file.bin\(suffix)"], folder["files/file (1).bin\(suffix)"]) == 0)
    }
    origin.clearRequests()
    origin.serve(ServedFile.v1)
    let second = try RunningEngine(stateFolder: folder["state"])
    try await eventually("the end") { second.hasEnded }
    try await second.quit()
    #expect(origin.requests.map(\.range?.first) == [300_000])
    let isSame = folder.bytes(of: "files/file.bin") == Version.v1
    #expect(isSame)
  }
}
