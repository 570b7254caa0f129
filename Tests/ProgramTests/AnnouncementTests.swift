import Foundation
import TestSupport
import Testing

/// The window's title, the taskbar's progress and the news that all is done, as the bytes that a terminal gets.
@Suite(.timeLimit(.minutes(2))) struct AnnouncementTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk("-x", "1")
    origin = try ScriptedOrigin(ServedFile(Blob.random(count: 1 << 20, seed: 95)).with { $0.bytesPerSecond = 400_000 })
  }

  private func open(_ environment: String, _ arguments: String...) async throws -> Tmux {
    try await Tmux("env \(environment) " + (try desk.command(["--no-session"] + arguments + [origin.url("/file")])))
  }

  /// What has been written until the program has ended.
  private func bytes(_ environment: String, _ arguments: String...) async throws -> String {
    let command = try desk.command(["--no-session", "--if-exists=overwrite"] + arguments + [origin.url("/file")])
    let terminal = try await Tmux("env \(environment) \(command)")
    try await terminal.waitForRow(of: "file", saying: "done")
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    return String(decoding: terminal.rawOutput, as: UTF8.self)
  }

  @Test func theTitleGoesAlongAndIsGivenBack() async throws {
    let text = try await bytes("TERM=xterm-256color")
    let parts = text.components(separatedBy: "\u{1B}[22;0t")
    #expect(parts.count == 2)
    #expect(try #require(parts.last).contains(/\u{1B}\]2;\d+% \d\d:\d\d dltui\u{07}/))
    #expect(text.components(separatedBy: "\u{1B}[23;0t").count == 2)
    #expect(!text.contains("\u{1B}]9;") && !text.contains("\u{1B}]777;"))
    #expect(text.replacing(/\u{1B}\][^\u{07}]*\u{07}/, with: "").count { $0 == "\u{07}" } == 1)
  }

  @Test func theTaskbarIsToldWhereItIsKnown() async throws {
    let text = try await bytes("TERM=xterm-256color TERM_PROGRAM=WezTerm", "--notify=desktop")
    #expect(text.contains(/\u{1B}\]9;4;1;\d+\u{07}/))
    #expect(text.components(separatedBy: "\u{1B}]9;4;0;\u{07}").count == 2)
    #expect(text.contains("\u{1B}]9;file: done\u{07}"))
  }

  @Test func theDesktopIsToldInTheWayOfMost() async throws {
    #expect(
      try await bytes("TERM=xterm-256color", "--notify", "desktop").contains("\u{1B}]777;notify;dltui;file: done\u{07}")
    )
  }

  @Test(arguments: [
    ("TERM=linux", "--notify=desktop"), ("TERM=vt100", "--notify=bell"), ("TERM=xterm-256color", "--no-title"),
  ])
  func nothingIsSaidWhereNobodyWouldUnderstandOrWantIt(_ environment: String, _ argument: String) async throws {
    let silent = argument == "--no-title" ? "--notify=none" : "--notify=bell"
    let text = try await bytes(environment, argument, silent)
    for sequence in ["\u{1B}]2;", "\u{1B}[22;0t", "\u{1B}[23;0t", "\u{1B}]9;", "\u{1B}]777;", "\u{07}"] {
      #expect(!text.contains(sequence), "\(environment): \(sequence.debugDescription)")
    }
  }

  @Test func whileItIsSuspendedTheTerminalIsAsItWas() async throws {
    origin.serve(ServedFile(Blob.random(count: 32 << 20, seed: 96)).with { $0.bytesPerSecond = 100_000 })
    let terminal = try await open("TERM=xterm-256color TERM_PROGRAM=ghostty")
    try await terminal.waitForPercent(1, of: "file")
    try await eventually("a title") { String(decoding: terminal.rawOutput, as: UTF8.self).contains("\u{1B}]9;4;1;") }
    let program = try #require(try await terminal.identifier())
    kill(program, SIGTSTP)
    try await eventually("the title is given back") {
      String(decoding: terminal.rawOutput, as: UTF8.self).contains(
        "\u{1B}]9;4;0;\u{07}\u{1B}]2;dltui\u{07}\u{1B}[23;0t")
    }
    kill(program, SIGCONT)
    try await eventually("it is set again") {
      String(decoding: terminal.rawOutput, as: UTF8.self).components(separatedBy: "\u{1B}[22;0t").count == 3
    }
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
    let text = String(decoding: terminal.rawOutput, as: UTF8.self)
    #expect(text.components(separatedBy: "\u{1B}[23;0t").count == 3)
    #expect(text.components(separatedBy: "\u{1B}]9;4;0;\u{07}").count == 3)
  }
}
