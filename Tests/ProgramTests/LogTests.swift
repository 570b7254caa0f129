import Foundation
import Glibc
import TestSupport
import Testing

/// `--log`: what happens, a line each, without secrets and without orders to a terminal.
@Suite(.timeLimit(.minutes(2))) struct LogTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk("--retries", "1", "--retry-wait", "0")
    origin = try ScriptedOrigin { request, connection in
      switch request.path {
      case "/good": ServedFile(Array("abc".utf8)).answer(request, connection)
      case "/busy": connection.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
      case "/jar":
        connection.send(
          "HTTP/1.1 302 Found\r\nSet-Cookie: k=hush-cookie\r\nLocation: http://me:hush-hop@127.0.0.1:1/\r\n")
        connection.send("Content-Length: 0\r\n\r\n")
      case "/name":
        connection.send("HTTP/1.1 200 OK\r\nETag: \"\u{1B}[31m\u{9B}1m\u{202E}\"\r\nContent-Length: 3\r\n")
        connection.send("Content-Disposition: attachment; filename=\"\u{1B}]0;x\u{7}y.bin\"\r\n\r\nabc")
      default: connection.respond(404)
      }
    }
  }

  private func get(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(["get"] + desk.arguments + arguments).end()
  }

  private var log: String { desk.folder.text(of: "log") ?? "" }

  /// The levels and words of all lines; every line has to be one.
  private func lines() throws -> [(level: String, text: String)] {
    try log.split(separator: "\n").map { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      #expect(words.first?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(line)")
      let level = try #require(words.dropFirst().first)
      return (level, words.last ?? "")
    }
  }

  @Test(arguments: [
    ("error", ["error"]), ("warn", ["error", "warn"]), ("info", ["error", "warn", "info"]),
    ("debug", ["error", "warn", "info", "debug"]),
  ]) func aLevelIsItselfAndAllThatMattersMore(_ level: String, _ expected: [String]) async throws {
    let outcome = try await get(
      "--log", desk.folder["log"], "--log-level", level, origin.url("/good"), origin.url("/busy"))
    #expect(outcome.status == 29)
    let lines = try lines()
    #expect(Set(lines.map(\.level)).sorted() == expected.sorted())
    #expect(lines.contains { $0.level == "error" && $0.text == "#2 failed: server overloaded: 503" }, "\(log)")
    if level == "debug" {
      #expect(log.contains(/transfer \d+ is answered 206, content-range: bytes 0-2\/3, content-length: 3/))
    }
    if level == "info" { #expect(lines.last?.text == "dltui ends with status 29") }
  }

  @Test func noSecretIsInItAtAnyLevel() async throws {
    let url = origin.url("/good").replacing("//", with: "//me:hush-typed@")
    _ = try await get(
      "--log", desk.folder["log"], "--log-level", "debug", "-H", "Authorization: Bearer hush-header", "-H",
      "Cookie: c=hush-own", "--proxy", "http://p:hush-proxy@127.0.0.1:1", "--noproxy", "127.0.0.1", url,
      origin.url("/jar"))
    #expect(log.contains("transfer") && !log.contains("hush"), "\(log)")
  }

  @Test func whatOthersWroteIsMadeVisible() async throws {
    _ = try await get("--log", desk.folder["log"], "--log-level", "debug", origin.url("/name"))
    let foreign = log.unicodeScalars.filter { ($0.value < 0x20 && $0 != "\n") || (0x7F..<0xA0).contains($0.value) }
    #expect(foreign.isEmpty && !log.contains("\u{202E}") && log.contains("␛"), "\(log)")
  }

  @Test func aLogIsAddedToAndForItsOwnerOnly() async throws {
    for _ in 0..<2 { #expect(try await get("--log", desk.folder["log"], origin.url("/good")).status == 0) }
    #expect(try lines().count { $0.text.hasSuffix("begins") } == 2)
    var facts = stat()
    #expect(stat(desk.folder["log"], &facts) == 0 && facts.st_mode & 0o777 == 0o600)
  }

  @Test func aLogThatCannotBeOpenedIsToldBeforeAnythingElse() async throws {
    mkfifo(desk.folder["pipe"], 0o600)
    for path in [desk.folder["no/such/log"], desk.folder.path, desk.folder["pipe"]] {
      let outcome = try await get("--log", path, origin.url("/good"))
      #expect(outcome.status == 28 && outcome.errors.hasPrefix("dltui: --log cannot be opened ("), "\(outcome)")
    }
    #expect(origin.requests.isEmpty && desk.names.isEmpty)
    #expect(try await get("--log", desk.folder["log"], "--log-level", "loud", origin.url("/good")).status == 28)
  }

  @Test func aFullDiskForTheLogHarmsNoDownload() async throws {
    let outcome = try await get("--log", "/dev/full", "--log-level", "debug", origin.url("/good"))
    #expect(outcome.status == 0 && desk.bytes(of: "good") == Array("abc".utf8), "\(outcome)")
  }

  @Test func theScreenHasALogToo() async throws {
    let terminal = try await desk.open(["--log", desk.folder["log"], origin.url("/good")])
    try await eventually("the log tells of the end") { log.contains("complete: ") }
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    #expect(try lines().last?.text == "dltui ends with status 0")
    let other = try await desk.open(["--log", "/dev/tty"])
    #expect(try await other.end() == 28)
    #expect(try await other.screen().contains("must be a file, not a terminal"))
  }
}
