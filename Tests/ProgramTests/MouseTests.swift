import TestSupport
import Testing

/// The mouse in a real terminal: what a terminal sends for it, and that it is left alone when it should be.
@Suite(.timeLimit(.minutes(2))) struct MouseTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk("-x", "2")
    origin = try ScriptedOrigin(
      ServedFile(Blob.random(count: 32 << 20, seed: 91)).with { $0.bytesPerSecond = 100_000 })
  }

  private func open() async throws -> Tmux {
    let terminal = try await desk.open(["b", "a", "c"].map { origin.url("/\($0)") })
    for name in ["a", "b", "c"] { try await terminal.waitForRow(of: name, saying: "active") }
    return terminal
  }

  /// The place of a word on the screen, counted from 1 as terminals do.
  private func place(of words: String, on screen: String) throws -> (row: Int, column: Int) {
    let rows = screen.split(separator: "\n", omittingEmptySubsequences: false)
    let row = try #require(rows.firstIndex { $0.contains(words) }, "\(words) is not on the screen")
    let range = try #require(rows[row].firstRange(of: words))
    return (row + 1, rows[row].distance(from: rows[row].startIndex, to: range.lowerBound) + 1)
  }

  /// All clicks at once, so that the second is soon enough after the first.
  private func click(_ words: String, times: Int = 1, in terminal: Tmux) async throws {
    let place = try place(of: words, on: try await terminal.screen())
    let report = "\u{1B}[<0;\(place.column);\(place.row)"
    try await terminal.type(String(repeating: report + "M" + report + "m", count: times))
  }

  @Test func clicksAreHeard() async throws {
    let terminal = try await open()
    #expect(try await terminal.format("#{mouse_standard_flag} #{mouse_sgr_flag}") == "1 1")
    try await click("NAME", in: terminal)
    try await terminal.waitFor("NAME↑")
    let order = try await terminal.screen().split(separator: "\n").dropFirst(2).prefix(3).map {
      $0.split(separator: " ")[1]
    }
    #expect(order == ["a", "b", "c"])
    try await click(" c ", in: terminal)
    try await click("Pause", in: terminal)
    try await terminal.waitForRow(of: "c", saying: "paused")
    try await click(" b ", times: 2, in: terminal)
    try await terminal.waitFor(origin.url("/b"))
    try await click(" c ", in: terminal)
    try await click("? Help", in: terminal)
    try await terminal.waitFor("Keys")
    try await click("Esc close", in: terminal)
    try await terminal.waitFor("q Quit")
    try await click("q Quit", in: terminal)
    #expect(try await terminal.end() == 7)
    #expect(try await terminal.format("#{mouse_any_flag}") == "0")
  }

  @Test func otherButtonsAndBrokenReportsMeanNothing() async throws {
    let terminal = try await open()
    for report in ["2;5;3M", "1;5;3M", "35;5;3M", "0;5;3m", ";;M", "0;0;0M", "99999999999999999999;1;1M", "0;5x", "x"] {
      try await terminal.type("\u{1B}[<" + report)
    }
    try await terminal.type("p")
    try await terminal.waitForRow(of: "b", saying: "paused")
    #expect(try await terminal.screen().contains("2 active · 1 paused"))
  }

  @Test func theMouseIsLeftToTheTerminalOnDemand() async throws {
    let terminal = try await desk.open("--no-mouse")
    try await terminal.waitFor("Nothing to download yet")
    #expect(try await terminal.format("#{mouse_any_flag}") == "0")
    #expect(!String(decoding: terminal.rawOutput, as: UTF8.self).contains("\u{1B}[?1000h"))
  }
}
