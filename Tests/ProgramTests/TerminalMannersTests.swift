import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// The terminal before, between and after: what a shell finds when the screen has gone.
@Suite(.timeLimit(.minutes(2))) struct TerminalMannersTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin(
      ServedFile(Blob.random(count: 64 << 20, seed: 61)).with { $0.bytesPerSecond = 100_000 })
  }

  /// An interactive shell with job control, its prompt `ready>`, that has written its terminal's modes to `before`.
  private func shell() async throws -> Tmux {
    let terminal = try await Tmux("env PS1='ready> ' /bin/bash --norc --noprofile -i", columns: 100, rows: 40)
    try await terminal.waitFor("ready>")
    try await run("stty -a >'\(desk.folder["before"])'; echo modes-$((6*7))", in: terminal, until: "modes-42")
    return terminal
  }

  private func run(_ command: String, in terminal: Tmux, until answer: String) async throws {
    try await terminal.type(command)
    try await terminal.press("Enter")
    try await terminal.waitFor(answer)
  }

  /// The shell is usable, and its terminal as it was.
  private func expectAsBefore(_ terminal: Tmux) async throws {
    let mark = UUID().uuidString
    try await run("stty -a >'\(desk.folder["after"])'; echo $((6*7))\(mark)", in: terminal, until: "42\(mark)")
    #expect(desk.folder.text(of: "after") == desk.folder.text(of: "before"))
    #expect(try await terminal.format("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0")
    // Bracketed paste is off again: what is pasted arrives bare.
    try await run("cat -v", in: terminal, until: "cat -v")
    try await terminal.paste("pasted\n")
    try await terminal.waitFor("pasted")
    #expect(try await terminal.screen().contains("200~") == false)
    try await terminal.press("C-c")
  }

  /// The process of the program that the shell has started.
  private func child(of terminal: Tmux) async throws -> Int32 {
    let shell = try #require(try await terminal.identifier())
    let outcome = try await Program.run("/usr/bin/pgrep", ["-P", "\(shell)", "-x", "dltui"])
    return try #require(Int32(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  private func start(in terminal: Tmux) async throws {
    try await terminal.type(try desk.command([origin.url("/big.iso")]) + "; echo \"status=$?\"")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "big.iso", saying: "active")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func aSignalLeavesTheTerminalAsItWas(_ signal: Int32) async throws {
    let terminal = try await shell()
    try await start(in: terminal)
    kill(try await child(of: terminal), signal)
    let screen = try await terminal.waitFor("status=7")
    #expect(screen.contains("modes-42"))
    try await expectAsBefore(terminal)
    #expect(desk.exists("big.iso.part"))
  }

  @Test(arguments: ["q", "C-c"]) func quittingLeavesTheTerminalAsItWas(_ key: String) async throws {
    let terminal = try await shell()
    try await start(in: terminal)
    try await terminal.press(key)
    try await terminal.waitFor("status=7")
    try await expectAsBefore(terminal)
  }

  @Test func suspendingGivesTheTerminalBackAndTakesItAgain() async throws {
    let terminal = try await shell()
    try await start(in: terminal)
    let program = try await child(of: terminal)
    for _ in 1...2 {
      try await terminal.press("C-z")
      let suspended = try await terminal.waitFor("Stopped")
      #expect(suspended.contains("modes-42") && !suspended.contains("Quit"))
      try await expectAsBefore(terminal)
      try await terminal.type("fg")
      try await terminal.press("Enter")
      let screen = try await terminal.waitForRow(of: "big.iso", saying: "active")
      #expect(screen.contains("q Quit") && !screen.contains("ready>"))
    }
    kill(program, SIGTSTP)
    try await terminal.waitFor("Stopped")
    try await terminal.resize(columns: 70, rows: 12)
    try await terminal.type("fg")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "big.iso", saying: "▶")
    try await terminal.press("?")
    try await terminal.waitFor("Keys")
    try await terminal.press("Escape")
    try await terminal.resize(columns: 100, rows: 40)
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    try await terminal.press("q")
    try await terminal.waitUntil("the shell") { !$0.contains("Quit") && $0.contains("ready>") }
    try await expectAsBefore(terminal)
  }

  @Test func theStatusIsSevenWithWorkLeftAndZeroWithout() async throws {
    origin.serve(ServedFile(Blob.random(count: 1000, seed: 62)))
    let done = try await desk.open(origin.url("/small"))
    try await done.waitForRow(of: "small", saying: "done")
    try await done.press("q")
    #expect(try await done.end() == 0)
    origin.serve { $1.respond(404) }
    let failed = try await desk.open("--no-session", origin.url("/gone"))
    try await failed.waitForRow(of: "gone", saying: "failed")
    try await failed.press("q")
    #expect(try await failed.end() == 3)
  }

  @Test func quittingDoesNotWaitForASilentServer() async throws {
    origin.serve { $1.hold() }
    let terminal = try await desk.open(origin.url("/silent"))
    try await terminal.waitForRow(of: "silent", saying: "connecting")
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
  }

  @Test func aTerminalThatGoesAwayLosesNoWork() async throws {
    let terminal = try await desk.open(origin.url("/big.iso"))
    try await terminal.waitForPercent(1, of: "big.iso")
    let program = try #require(try await terminal.identifier())
    try await terminal.close()
    try await eventually("the end") { kill(program, 0) != 0 }
    #expect(try #require(desk.sidecar(of: "big.iso")).clean)
  }

  @Test(arguments: ["dumb", ""]) func withoutACursorItGoesOnAsGet(_ term: String) async throws {
    origin.serve(ServedFile(Blob.random(count: 1000, seed: 63)))
    let command = "env TERM='\(term)' " + (try desk.command([origin.url("/small")]))
    let terminal = try await Tmux(command)
    #expect(try await terminal.end() == 0)
    #expect(try await terminal.screen().contains("no screen (TERM is unset or dumb), going on as `dltui get`"))
    #expect(desk.exists("small"))
  }

  @Test func anUnknownTerminalIsDrawnForAKnownOne() async throws {
    let terminal = try await Tmux("env TERM=no-such-terminal " + (try desk.command()))
    try await terminal.waitFor("unknown terminal no-such-terminal: drawing for xterm-256color")
  }

  /// What a window shows of a finished, a failed and a running download, with its colours.
  private func colours(_ environment: String, _ arguments: String...) async throws -> String {
    origin.serve(paths: ["/good": ServedFile(Blob.random(count: 1000, seed: 64))])
    let command = try desk.command(["--no-session"] + arguments + [origin.url("/good"), origin.url("/bad")])
    let terminal = try await Tmux("env \(environment) \(command)")
    try await terminal.waitForRow(of: "good", saying: "done")
    try await terminal.waitForRow(of: "bad", saying: "failed")
    return try await terminal.colouredScreen()
  }

  @Test func coloursAreThoseOfTheThemeAndNoneWhereNoneAreWanted() async throws {
    #expect(try await colours("X=1").contains("38;5;167m"))
    #expect(try await colours("COLORFGBG='15;0'").contains("38;5;203m"))
    #expect(try await colours("X=1", "--theme", "light").contains("38;5;160m"))
    #expect(try await colours("X=1", "--theme", "16").contains("[31m"))
    #expect(try await colours("TERM=xterm").contains("[31m"))
    for (environment, arguments) in [("NO_COLOR=1", []), ("X=1", ["--color=never"]), ("X=1", ["--theme=mono"])] {
      let screen = try await colours(environment, arguments.first ?? "--retries=8")
      #expect(!screen.contains(/\u{1B}\[[0-9;]*3[0-8][;m]/), "\(environment) \(arguments)")
    }
    #expect(try await colours("NO_COLOR=1", "--color=always").contains("38;5;167m"))
  }

  @Test(arguments: ["env LC_ALL=C", "env LC_ALL=C.UTF-8 TERM=linux"])
  func aTerminalWithoutUnicodeGetsAsciiAndTheConsoleNoMoreThanItKnows(_ environment: String) async throws {
    let terminal = try await Tmux("\(environment) " + (try desk.command([origin.url("/big.iso")])))
    let screen = try await terminal.waitForRow(of: "big.iso", saying: "active")
    #expect(screen.utf8.allSatisfy { $0 < 0x80 } == environment.hasSuffix("LC_ALL=C"))
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
  }

  @Test func theKeyForTheThemeChangesEveryCell() async throws {
    let terminal = try await desk.open("--theme", "mono", origin.url("/big.iso"))
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    try await terminal.type("t")
    let screen = try await terminal.waitFor("theme: ascii")
    #expect(row(of: "big.iso", on: screen).contains("> active"))
    try await terminal.type("tt")
    try await terminal.waitFor("theme: dark")
    #expect(try await terminal.colouredScreen().contains("38;5;75m"))
    try await terminal.type(":theme light")
    try await terminal.press("Enter")
    try await terminal.waitFor("theme is light now")
    #expect(try await terminal.colouredScreen().contains("38;5;26m"))
  }

  @Test func withoutAShellItIsNotSuspended() async throws {
    let terminal = try await desk.open(origin.url("/big.iso"))
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    try await terminal.press("C-z")
    try await terminal.waitFor("there is no shell to go back to")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "big.iso", saying: "paused")
  }

  /// With a job of more than one process, as `make run` is.
  @Test func suspendingStopsTheWholeJob() async throws {
    let terminal = try await shell()
    try await terminal.type("( \(try desk.command([origin.url("/big.iso")])); echo back-$((6*7)) )")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    try await terminal.press("C-z")
    try await terminal.waitFor("Stopped")
    try await expectAsBefore(terminal)
    try await terminal.type("fg")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    try await terminal.press("C-c")
    try await terminal.waitFor("back-42")
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGABRT, SIGQUIT]) func aCrashLeavesAUsableTerminal(_ signal: Int32) async throws {
    let terminal = try await shell()
    try await start(in: terminal)
    try await terminal.waitForPercent(1, of: "big.iso")
    kill(try await child(of: terminal), signal)
    try await terminal.waitFor("status=\(128 + signal)")
    try await expectAsBefore(terminal)
  }

  @Test func whatGoesToStandardErrorDoesNotScribbleOverTheScreen() async throws {
    let terminal = try await desk.open()
    try await terminal.waitFor("Nothing to download yet")
    let program = try #require(try await terminal.identifier())
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program)/fd/2")
    #expect(target.hasPrefix("/memfd:"), "\(target)")
  }

  @Test func aStormOfResizesEndsWithTheRightPicture() async throws {
    let terminal = try await desk.open(origin.url("/big.iso"), columns: 120, rows: 40)
    try await terminal.waitForRow(of: "big.iso", saying: "active")
    let program = try #require(try await terminal.identifier())
    try await terminal.press("p")
    try await terminal.waitForRow(of: "big.iso", saying: "paused")
    for turn in 1...40 {
      try await terminal.resize(columns: 20 + turn * 37 % 180, rows: 3 + turn * 11 % 50)
      for _ in 0..<50 { kill(program, SIGWINCH) }
    }
    try await terminal.resize(columns: 90, rows: 20)
    let screen = try await terminal.waitUntil("the picture of that size") {
      row(of: "big.iso", on: $0).contains("paused") && $0.contains("q Quit")
    }
    #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 90 })
    #expect(try await terminal.format("#{pane_dead}") == "0")
  }

  @Test(arguments: [
    ("LC_ALL=xx_YY.UTF-8", true), ("LC_ALL= LC_CTYPE= LANG=xx_YY.utf8", true), ("LC_ALL=xx_YY.ISO-8859-1", false),
  ])
  func aLocaleThatIsNotInstalledIsMadeDoWith(_ environment: String, _ isUnicode: Bool) async throws {
    let terminal = try await Tmux("env \(environment) " + (try desk.command([origin.url("/big.iso")])))
    let screen = try await terminal.waitForRow(of: "big.iso", saying: "active")
    #expect(screen.contains("▶") == isUnicode)
  }
}
