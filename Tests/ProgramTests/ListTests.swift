import Foundation
import Glibc
import TestSupport
import Testing

/// `dltui list`, after a screen has left something.
@Suite(.timeLimit(.minutes(2))) struct ListTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin()
    let slow = ServedFile(Blob.random(count: 8 << 20, seed: 51)).with { $0.ending = .held(after: 300_000, Gate()) }
    origin.serve(paths: ["/a.iso": slow, "/b.iso": ServedFile(Blob.random(count: 1000, seed: 52))])
  }

  private func list(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(["list", "--no-config"] + arguments).end()
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  /// A paused, a finished and a failed download.
  private func leaveThree() async throws {
    let terminal = try await desk.open(origin.url("/a.iso"), origin.url("/b.iso"), origin.url("/c.iso"))
    try await terminal.waitForRow(of: "b.iso", saying: "done")
    try await terminal.waitForRow(of: "c.iso", saying: "failed")
    try await terminal.waitForPercent(1, of: "a.iso")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "a.iso", saying: "paused")
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
  }

  @Test func theSessionIsListedInItsOrder() async throws {
    try await leaveThree()
    let outcome = try await list("--state-dir", desk.folder["state"])
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty && lines.count == 3)
    #expect(try #require(lines.first).contains(/^ +1  paused +\d+%  +8\.0 MiB  a\.iso$/))
    #expect(lines.dropFirst().first?.contains(/^ +2  completed +100% +\d.*  b\.iso$/) == true)
    #expect(lines.last?.contains("failed") == true && lines.last?.hasSuffix("c.iso  (not found: 404)") == true)
  }

  @Test func theSessionIsListedAsObjects() async throws {
    try await leaveThree()
    let outcome = try await list("--json", "--state-dir", desk.folder["state"])
    let lines = try objects(outcome.output)
    #expect(lines.compactMap { $0["state"] as? String } == ["paused", "completed", "failed"])
    #expect(lines.compactMap { $0["id"] as? Int } == [1, 2, 3])
    #expect(lines.compactMap { $0["url"] as? String } == ["/a.iso", "/b.iso", "/c.iso"].map(origin.url))
    #expect(lines.first?["total"] as? Int == 8 << 20 && lines.last?["total"] is NSNull)
    #expect((lines.last?["error"] as? [String: Any])?["code"] as? Int == 3)
  }

  @Test func aFolderTellsWhatLiesUnfinishedInIt() async throws {
    try await leaveThree()
    let outcome = try await list(desk.folder["files"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.contains(/^ +-  paused +\d+%  +8\.0 MiB  a\.iso\n$/))
    let lines = try objects(try await list("--json", desk.folder["files"]).output)
    #expect(lines.count == 1 && lines.first?["url"] as? String == origin.url("/a.iso"))
    #expect(lines.first?["folder"] as? String == desk.folder["files"])
  }

  @Test func aBadSidecarDoesNotHideTheOthers() async throws {
    try await leaveThree()
    try desk.folder.write("{".utf8, to: "files/0.part.json")
    try desk.folder.write([], to: "files/0.part")
    let outcome = try await list(desk.folder["files"])
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.first?.contains("0.part.json") == true && lines.last?.hasSuffix("a.iso") == true)
  }

  @Test func listingNeedsNoLock() async throws {
    let terminal = try await desk.open(origin.url("/a.iso"))
    try await terminal.waitForPercent(1, of: "a.iso")
    try await eventually("the session file") { desk.folder.exists("state/session.json") }
    let outcome = try await list("--state-dir", desk.folder["state"])
    #expect(outcome.status == 0 && outcome.output.contains("a.iso"))
  }

  @Test func aFolderThatIsNotThereIsAnError() async throws {
    let outcome = try await list(desk.folder["nowhere"])
    #expect(outcome.status == 15 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("dltui: cannot open \(desk.folder["nowhere"]): no such file or directory\n"))
  }
}
