import TestSupport
import Testing

/// Sorting, filtering, views and marks in a real terminal, with real downloads behind them.
@Suite(.timeLimit(.minutes(2))) struct TableTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk("-x", "1", "-j", "2")
    let slow = ServedFile(Blob.random(count: 32 << 20, seed: 97)).with { $0.bytesPerSecond = 100_000 }
    origin = try ScriptedOrigin()
    origin.serve(paths: [
      "/b.iso": slow, "/a.iso": slow, "/c.zip": slow, "/d.iso": ServedFile(Blob.random(count: 5000, seed: 98)),
    ])
  }

  /// `d.iso` is done, `gone` has failed, `b.iso` and `a.iso` are active, `c.zip` is queued.
  private func open() async throws -> Tmux {
    let terminal = try await desk.open(["d.iso", "gone", "b.iso", "a.iso", "c.zip"].map { origin.url("/\($0)") })
    try await terminal.waitForRow(of: "d.iso", saying: "done")
    try await terminal.waitForRow(of: "gone", saying: "failed")
    for name in ["a.iso", "b.iso"] { try await terminal.waitForRow(of: name, saying: "active") }
    try await terminal.waitForRow(of: "c.zip", saying: "queued")
    return terminal
  }

  private func names(on screen: String) -> [String] {
    screen.split(separator: "\n").compactMap { $0.firstMatch(of: /^[• ]*\d+  (\S+)  .*[▶✓✗·‖]/).map { String($0.1) } }
  }

  private func expect(_ names: [String], on terminal: Tmux) async throws {
    try await terminal.waitUntil("the rows \(names)") { self.names(on: $0) == names }
  }

  @Test func theTableShowsWhatIsAskedForInTheOrderThatIsAskedFor() async throws {
    let terminal = try await open()
    try await terminal.type(">")
    try await expect(["a.iso", "b.iso", "c.zip", "d.iso", "gone"], on: terminal)
    try await terminal.type("I")
    try await expect(["gone", "d.iso", "c.zip", "b.iso", "a.iso"], on: terminal)
    try await terminal.type("<2")
    try await expect(["b.iso", "a.iso"], on: terminal)
    try await terminal.waitFor("2 of 5: active")
    try await terminal.press("Tab")
    try await expect(["c.zip"], on: terminal)
    try await terminal.type("1H")
    try await expect(["gone", "b.iso", "a.iso", "c.zip"], on: terminal)
    try await terminal.type("H/iso")
    try await expect(["d.iso", "b.iso", "a.iso"], on: terminal)
    try await terminal.press("Enter")
    try await terminal.type("Gp")
    try await terminal.waitForRow(of: "a.iso", saying: "paused")
    try await terminal.press("Escape")
    try await terminal.waitForRow(of: "c.zip", saying: "active")
  }

  @Test func markedRowsAreCommandedTogetherAndMovedInTheQueue() async throws {
    let terminal = try await open()
    try await terminal.type("jj  P")
    try await terminal.waitFor("2 marked")
    try await terminal.waitFor("3 paused")
    try await terminal.type("J")
    try await expect(["d.iso", "gone", "c.zip", "b.iso", "a.iso"], on: terminal)
    try await terminal.type("r")
    for name in ["a.iso", "b.iso"] { try await terminal.waitForRow(of: name, saying: "active") }
    try await terminal.type("dd")
    try await expect(["d.iso", "gone", "c.zip"], on: terminal)
    #expect(row(of: "c.zip", on: try await terminal.screen()).contains("paused"))
  }
}
