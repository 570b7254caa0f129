import Foundation
import TestSupport
import Testing

/// What is pasted into the window, through a real terminal's brackets.
@Suite(.timeLimit(.minutes(2))) struct PasteTests {
  private let desk: Desk
  private let origin: ScriptedOrigin

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin(ServedFile(Blob.random(count: 100_000, seed: 97)))
  }

  @Test func oneAddressFillsTheForm() async throws {
    let terminal = try await desk.open()
    try await terminal.waitFor("Nothing to download yet")
    try await terminal.paste("Look at \(origin.url("/a")), it is new.\n")
    let screen = try await terminal.waitFor("address   \(origin.url("/a"))\n")
    #expect(!screen.contains("Look at"))
    try await terminal.press("Tab", "Tab")
    try await terminal.type("renamed.bin")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "renamed.bin", saying: "done")
    #expect(desk.names == ["renamed.bin"])
  }

  @Test func aFolderMayBeTyped() async throws {
    let terminal = try await Tmux(try desk.command(), environment: ["HOME": desk.folder.path])
    try await terminal.waitFor("Nothing to download yet")
    try await terminal.paste(origin.url("/a"))
    try await terminal.press("Tab", "C-u")
    try await terminal.type("/dev/null/x")
    try await terminal.press("Enter")
    try await terminal.waitFor("cannot make the folder /dev/null/x")
    try await terminal.press("Tab", "C-u")
    try await terminal.type("~/other")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "a", saying: "done")
    #expect(desk.folder.exists("other/a"))
  }

  @Test func manyAddressesAreLookedThrough() async throws {
    let terminal = try await desk.open(origin.url("/a"))
    try await terminal.waitForRow(of: "a", saying: "done")
    try await terminal.paste(["a", "b", "c", "d"].map { "* \(origin.url("/\($0)"))" }.joined(separator: "\n"))
    let screen = try await terminal.waitFor("4 addresses pasted  1 already in the list")
    #expect(
      screen.contains("[ ] \(origin.url("/a"))  already in the list") && screen.contains("[✓] \(origin.url("/d"))"))
    try await terminal.press("Down", "Down", "Space")
    try await terminal.waitFor("[ ] \(origin.url("/c"))")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "d", saying: "done")
    try await terminal.waitForRow(of: "b", saying: "done")
    #expect(desk.names == ["a", "b", "d"])
  }

  @Test func aCommandBringsItsSecretsToTheServerAndNowhereElse() async throws {
    let file = ServedFile(Blob.random(count: 100_000, seed: 98))
    origin.serve { request, connection in
      let isKnown = request["authorization"] != nil
      isKnown
        ? file.answer(request, connection) : connection.respond(401, headers: ["WWW-Authenticate: Basic realm=\"x\""])
    }
    let terminal = try await desk.open()
    try await terminal.waitFor("Nothing to download yet")
    try await terminal.paste(
      "$ curl '\(origin.url("/get?id=7"))' \\\n -H 'X-Token: hush-1' -H 'X-Plain: $(id) `id` \"q\"' \\\n"
        + " -u 'me:hush-2' -b 'sid=hush-3' -e 'http://page/' -A 'Moz illa' --compressed -L -k -o '../report.pdf'\n")
    let screen = try await terminal.waitFor("as report.pdf, 3 headers, name and password, referer, user agent")
    #expect(screen.contains("not understood and left out: --insecure") && !screen.contains("hush"))
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "report.pdf", saying: "done")
    let request = try #require(origin.requests.last)
    #expect(request["x-token"] == "hush-1" && request["cookie"] == "sid=hush-3")
    #expect(request["x-plain"] == "$(id) `id` \"q\"")
    #expect(request["referer"] == "http://page/" && request["user-agent"] == "Moz illa")
    #expect(request["authorization"] == "Basic " + Data("me:hush-2".utf8).base64EncodedString())
    try await terminal.press("q")
    try await terminal.end()
    #expect(desk.names == ["report.pdf"])
    let session = try #require(desk.folder.text(of: "state/session.json"))
    #expect(session.contains("report.pdf") && !session.contains("hush"))
    #expect(!String(decoding: terminal.rawOutput, as: UTF8.self).contains("hush"))
  }
}
