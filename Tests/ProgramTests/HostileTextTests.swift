import Foundation
import TestSupport
import Testing

/// What servers and addresses say never gives the terminal an order (cases D01, D03, D09).
@Suite(.timeLimit(.minutes(2))) struct HostileTextTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  /// A mark, so that what follows a foreign escape can be found in what the terminal got.
  private static let mark = "PWNED"
  private static let poison = [
    "\u{1B}]0;\(mark)\u{7}", "\u{1B}[2J\u{1B}[31m\(mark)", "\u{9B}31m\(mark)", "\u{202E}\(mark)\u{2066}",
    "\u{85}\(mark)",
    "\u{1B}P\(mark)\u{1B}\\", "\u{200B}\u{FEFF}\(mark)", "\u{8}\u{8}\(mark)",
  ]
  private static let all = poison.joined()
  private static let coded = all.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

  init() throws {
    desk = try Desk("--retries", "1", "--retry-wait", "0")
    origin = try ScriptedOrigin { request, connection in
      func answer(_ status: String, _ fields: String) {
        connection.send("HTTP/1.1 \(status)\r\n\(fields)\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
      }
      switch request.path {
      case "/name": answer("200 OK", "Content-Disposition: attachment; filename=\"\(Self.all)x.bin\"")
      case "/star":
        answer("200 OK", "Content-Disposition: attachment; filename*=UTF-8''\(Self.coded)y.bin")
      case "/long":
        answer(
          "200 OK", "Content-Disposition: attachment; filename=\"\(String(repeating: "l\u{1B}", count: 4096)).bin\"")
      case "/wide": answer("200 OK", "Content-Disposition: attachment; filename=\"日本語👩‍👩‍👧e\u{301}\u{202E}עברית.bin\"")
      case "/hop": answer("302 Found", "Location: javascript:\(Self.all)")
      case "/away": answer("302 Found", "Location: /\(Self.all)")
      case "/range": answer("206 Partial Content", "Content-Range: bytes \(Self.all)")
      case "/tag": answer("200 OK", "ETag: \"\(Self.all)\"\r\nContent-Type: \(Self.all)")
      case "/reason": answer("503 \(Self.all)", "X: \(Self.all)")
      default: answer("404 \(Self.all)", "X: y")
      }
    }
  }

  private var addresses: [String] {
    let paths = ["name", "star", "long", "wide", "hop", "away", "range", "tag", "reason", "u/\(Self.coded)"]
    return paths.map { origin.url("/\($0)") } + [origin.url("/" + String(repeating: "8", count: 8192))]
  }

  /// No order of theirs: what a terminal would obey is not in the bytes, and each mark stands behind its picture.
  private func expectHarmless(_ bytes: [UInt8], mayEscape: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(Self.mark), "the words themselves are shown")
    for poison in Self.poison { #expect(!text.contains(poison), "\(poison.debugDescription)") }
    for scalar in text.unicodeScalars {
      let isOrder =
        (0x80..<0xA0).contains(scalar.value) || "\u{202E}\u{2066}\u{200B}\u{FEFF}".unicodeScalars.contains(scalar)
      if isOrder { Issue.record("U+\(String(scalar.value, radix: 16)) was written") }
      if !mayEscape, scalar.value == 0x1B || scalar == "\r" { Issue.record("a control was written") }
    }
    for piece in text.split(separator: "\u{1B}").dropFirst() {
      // Of curses' own sequences none has a letter of the mark in it.
      let order = piece.prefix { !("@"..."~").contains($0) || $0 == "[" || $0 == "(" || $0 == ")" }
      #expect(!order.contains("P") && !piece.hasPrefix("]0;\(Self.mark)") && !piece.hasPrefix("P\(Self.mark)"))
    }
  }

  @Test func theScreenObeysNoServer() async throws {
    let terminal = try await desk.open([])
    try await terminal.waitFor("Nothing to download yet")
    try await terminal.press("q")
    try await terminal.end()
    let list = desk.folder["list"]
    try desk.folder.write(addresses.joined(separator: "\n").utf8, to: "list")
    let screen = try await desk.open("-i", list)
    try await screen.waitUntil("all have ended") { text in !text.contains("active") && text.contains("failed") }
    for _ in 0..<12 {
      try await screen.press("Enter")
      try await Task.sleep(for: .milliseconds(60))
      try await screen.press("Escape", "Down")
    }
    try await screen.press("q")
    try await screen.end()
    expectHarmless(screen.rawOutput, mayEscape: true)
  }

  @Test func anAddressWithControlsIsRefusedInHarmlessWords() async throws {
    let terminal = try await Tmux(
      try Program.dltuiPath() + " get --no-config \"$(printf 'http://127.0.0.1/\\033]0;\(Self.mark)\\007\\302\\233')\"")
    #expect(try await terminal.end() == 28)
    expectHarmless(terminal.rawOutput, mayEscape: true)
    #expect(!terminal.rawOutput.contains(0x1B))
  }

  @Test(arguments: [[], ["--json"]]) func aPipeGetsNothingThatATerminalWouldObey(_ options: [String]) async throws {
    try desk.folder.write(addresses.joined(separator: "\n").utf8, to: "list")
    let outcome = try await Program.dltui(["get"] + desk.arguments + options + ["-i", desk.folder["list"]]).end()
    #expect(outcome.status != 0)
    let text = options.isEmpty ? outcome.errors : outcome.output
    expectHarmless(Array(text.utf8), mayEscape: false)
    guard !options.isEmpty else { return }
    for line in text.split(separator: "\n") {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any], "\(line)")
    }
  }

  @Test func redrawnProgressObeysNoServer() async throws {
    try desk.folder.write(addresses.joined(separator: "\n").utf8, to: "list")
    let terminal = try await Tmux(
      try Program.dltuiPath() + " get --no-config --retries 1 --retry-wait 0 -d '\(desk.folder["files"])'"
        + " -i '\(desk.folder["list"])'")
    try await terminal.end()
    expectHarmless(terminal.rawOutput, mayEscape: true)
  }
}
