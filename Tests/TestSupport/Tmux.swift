import Foundation

/// A real terminal around a program: a tmux server of its own with one window of a given size.
package final class Tmux: Sendable {
  private let name: String
  private let folder: TemporaryFolder
  private let environment: [String: String]

  /// Starts `command` (shell words) in a window of that size. The window stays when the command has ended.
  package init(
    _ command: String, columns: Int = 120, rows: Int = 32, environment: [String: String] = [:]
  ) async throws {
    folder = try TemporaryFolder()
    name = "dltui-\(UUID().uuidString)"
    self.environment = [
      "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TMUX": "", "TERM": "xterm-256color", "NO_COLOR": "",
      "COLORFGBG": "",
    ].merging(
      environment
    ) { $1 }
    try folder.write(
      "set -g remain-on-exit on\nset -g default-terminal tmux-256color\nset -g escape-time 0\n".utf8, to: "conf")
    // The command waits for a line, so that the raw log has all of what it writes.
    let waiting = "read _; exec \(command)"
    try await tmux(["-f", folder["conf"], "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", waiting])
    try await tmux(["pipe-pane", "-o", "cat >'\(folder["raw"])'"])
    try await eventually("the raw log") { folder.exists("raw") }
    try await tmux(["send-keys", "Enter"])
  }

  deinit {
    // The server ends by itself with its last window; killing it takes the program along.
    _ = try? Program("/usr/bin/tmux", ["-L", name, "kill-server"]).waitForEnd()
  }

  /// Types text as it is.
  package func type(_ text: String) async throws { try await tmux(["send-keys", "-l", "--", text]) }

  /// Presses keys by tmux's names: `Enter`, `Up`, `C-c`, `M-x`, `F1`, `PPage`.
  package func press(_ keys: String...) async throws { try await tmux(["send-keys", "--"] + keys) }

  /// Pastes text, bracketed if the program asked for that.
  package func paste(_ text: String) async throws {
    try await tmux(["set-buffer", "--", text])
    try await tmux(["paste-buffer", "-p", "-r"])
  }

  package func resize(columns: Int, rows: Int) async throws {
    try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The screen as text, a line a row without blanks at its end.
  package func screen() async throws -> String { try await tmux(["capture-pane", "-p"]) }

  /// Where a character stands on the screen, in cells as tmux counts them, from the top.
  package func cells(of character: Character) async throws -> [(row: Int, column: Int)] {
    var places: [(row: Int, column: Int)] = []
    try await tmux(["copy-mode"])
    for command in ["top-line", "start-of-line"] { try await tmux(["send-keys", "-X", command]) }
    let count = try await screen().count { $0 == character }
    for _ in 0..<count {
      try await tmux(["send-keys", "-X", "search-forward-text", String(character)])
      let place = try await format("#{copy_cursor_y} #{copy_cursor_x}").split(separator: " ").compactMap { Int($0) }
      if place.count == 2 { places.append((place[0], place[1])) }
    }
    try await tmux(["send-keys", "-X", "cancel"])
    return places
  }

  /// The screen with the escape sequences of its colours.
  package func colouredScreen() async throws -> String { try await tmux(["capture-pane", "-p", "-e"]) }

  /// Every byte that the program has written to the terminal so far.
  package var rawOutput: [UInt8] { folder.bytes(of: "raw") ?? [] }

  /// Waits until the screen is as wanted and returns it.
  @discardableResult package func waitUntil(
    _ what: String, within deadline: Duration = .seconds(100), _ isWanted: (String) -> Bool
  ) async throws -> String {
    let end = ContinuousClock.now + deadline
    while true {
      let now = try await screen()
      if isWanted(now) { return now }
      guard ContinuousClock.now < end else { throw DeadlinePassed(description: "not on the screen: \(what)\n\(now)") }
      try await Task.sleep(for: .milliseconds(30))
    }
  }

  /// Waits until a text is on the screen.
  @discardableResult package func waitFor(_ text: String) async throws -> String {
    try await waitUntil(text) { $0.contains(text) }
  }

  /// Takes the window away from under the command.
  package func close() async throws { try await tmux(["kill-server"]) }

  /// The process in the window.
  package func identifier() async throws -> Int32? { Int32(try await format("#{pane_pid}")) }

  /// Exit status of the command; nil while it runs.
  package func exitStatus() async throws -> Int32? { Int32(try await format("#{pane_dead_status}")) }

  /// Waits for the end of the command and returns its exit status; nil when a signal has ended it.
  @discardableResult package func end(within deadline: Duration = .seconds(100)) async throws -> Int32? {
    let end = ContinuousClock.now + deadline
    while try await format("#{pane_dead_status}#{pane_dead_signal}").isEmpty {
      guard ContinuousClock.now < end else { throw DeadlinePassed(description: "no end:\n\(try await screen())") }
      // tmux 3.3a now and then does not see that a child has ended until another one does.
      try await tmux(["run-shell", "-b", "true"])
      try await Task.sleep(for: .milliseconds(20))
    }
    return try await exitStatus()
  }

  /// Any of tmux's formats, for example `#{cursor_x}` or `#{alternate_on}`.
  package func format(_ text: String) async throws -> String {
    try await tmux(["display-message", "-p", text]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @discardableResult private func tmux(_ arguments: [String]) async throws -> String {
    let outcome = try await Program.run(
      "/usr/bin/tmux", ["-u", "-L", name] + arguments, environment: environment, in: "/")
    guard outcome.status == 0 else { throw ToolFailed(description: "tmux \(arguments): \(outcome.errors)") }
    return outcome.output
  }
}
