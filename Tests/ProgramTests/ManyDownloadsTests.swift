import Foundation
import TestSupport
import Testing

/// Many downloads at once in windows of every size.
@Suite(.timeLimit(.minutes(3))) struct ManyDownloadsTests {
  private static let count = 30
  private let desk: Desk

  init() throws { desk = try Desk("-j", "\(Self.count)", "-x", "4", "--max-host-connections", "200") }

  private func name(_ number: Int) -> String { number % 3 == 0 ? "日本語のファイル-\(number).tar.zst" : "file-\(number).iso" }

  private func path(_ number: Int) -> String {
    "/" + (name(number).addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
  }

  private func file(_ number: Int) -> ServedFile {
    ServedFile(Blob.random(count: 3_000_000 + number, seed: UInt64(number)))
  }

  /// Each file by its path, so slow that none ends while the window changes, or at full speed.
  private func files(_ pace: Int?) -> [String: ServedFile] {
    Dictionary(
      uniqueKeysWithValues: (1...Self.count).map { number in
        (path(number), file(number).with { $0.bytesPerSecond = pace })
      })
  }

  @Test func thirtyDownloadsSurviveEverySizeOfTheWindow() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: files(4_000))
    let terminal = try await desk.open((1...Self.count).map { origin.url(path($0)) }, columns: 120, rows: 40)
    try await terminal.waitFor("\(Self.count) active")
    for (columns, rows) in [
      (20, 5), (120, 40), (1, 1), (80, 24), (20, 3), (19, 2), (300, 90), (2, 60), (250, 1), (120, 40),
    ] {
      try await terminal.resize(columns: columns, rows: rows)
      try await terminal.press("j")
      // tmux hands on a size at most four times a second.
      try await Task.sleep(for: .milliseconds(270))
    }
    try await terminal.waitFor("q Quit")
    try await terminal.press("P")
    try await terminal.waitFor("\(Self.count) paused")
    try await expectSameAfterRedraw(terminal)
    origin.serve(paths: files(nil))
    try await terminal.press("R")
    try await terminal.waitFor("\(Self.count) done")
    try await expectSameAfterRedraw(terminal)
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    for number in 1...Self.count {
      #expect(desk.bytes(of: name(number)) == Blob.random(count: 3_000_000 + number, seed: UInt64(number)))
    }
    #expect(desk.names.count == Self.count)
  }

  @Test func moreDownloadsThanTheirHostMayHaveConnectionsStillMove() async throws {
    let folder = try TemporaryFolder()
    let origin = try ScriptedOrigin(ServedFile(Blob.random(count: 100_000, seed: 1)))
    let addresses = (1...12).map { origin.url("/\($0)") }
    let outcome = try await Program.dltui(
      ["get", "--no-config", "-d", folder.path, "-j", "12", "--max-host-connections", "4"] + addresses
    ).end()
    #expect(outcome.status == 0 && folder.names.count == 12)
    #expect(origin.counters.mostRequestsInProgress <= 4)
  }

  @Test(arguments: [(20, 5), (7, 3), (1, 1), (120, 24), (200, 60)])
  func aResizedWindowShowsWhatANewOneWould(_ columns: Int, _ rows: Int) async throws {
    let origin = try ScriptedOrigin { $1.respond(404) }
    let terminal = try await desk.open((1...40).map { origin.url("/\($0)") }, columns: 120, rows: 40)
    try await terminal.waitFor("40 failed")
    for details in [false, true] {
      if details { try await terminal.press("Enter") }
      try await terminal.resize(columns: columns, rows: rows)
      try await expectSameAfterRedraw(terminal)
      try await terminal.resize(columns: 120, rows: 40)
      try await terminal.waitFor("40 failed")
      try await expectSameAfterRedraw(terminal)
    }
  }

  /// What the program believes to be on the screen is there: painting everything again changes nothing.
  private func expectSameAfterRedraw(_ terminal: Tmux) async throws {
    let before = try await settledScreen(terminal)
    let written = terminal.rawOutput.count
    try await terminal.press("C-l")
    try await eventually("a redraw") { terminal.rawOutput.count > written }
    let after = try await settledScreen(terminal)
    #expect(after == before, "the painted screen was:\n\(before)\nand afresh:\n\(after)")
  }

  /// The screen once nothing has been written for longer than tmux keeps a new size to itself (250 ms).
  private func settledScreen(_ terminal: Tmux) async throws -> String {
    var written = -1
    while written != terminal.rawOutput.count {
      written = terminal.rawOutput.count
      try await Task.sleep(for: .milliseconds(400))
    }
    return try await terminal.screen()
  }
}
