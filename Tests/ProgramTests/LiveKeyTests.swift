import Foundation
import TestSupport
import Testing

/// What keys and typed lines change about downloads at work.
@Suite(.timeLimit(.minutes(2))) struct LiveKeyTests {
  private let slow: SlowDesk
  private var desk: Desk { slow.desk }
  private var origin: ScriptedOrigin { slow.origin }
  private var blob: [UInt8] { slow.blob }

  init() throws { slow = try SlowDesk(seed: 83) }

  @Test func aRemovalIsUndone() async throws {
    let terminal = try await slow.open("a")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.type("dd")
    try await terminal.waitFor("z brings it back")
    try await terminal.waitFor("Nothing to download yet")
    origin.serve(ServedFile(blob))
    origin.clearRequests()
    try await terminal.type("z")
    try await terminal.waitForRow(of: "a", saying: "done")
    #expect(desk.bytes(of: "a") == blob)
    #expect(origin.requests.allSatisfy { ($0.range?.first ?? 0) > 0 }, "what was there is not fetched again")
    try await terminal.type("z")
    try await terminal.waitFor("nothing to bring back")
  }

  @Test func aFinishedFileIsDeletedOnPurposeOnly() async throws {
    origin.serve(ServedFile(blob))
    let terminal = try await desk.open(origin.url("/a"))
    try await terminal.waitForRow(of: "a", saying: "done")
    try await terminal.type("D")
    try await terminal.waitFor("Delete from the disk: a?")
    try await terminal.type("d")
    try await terminal.waitFor("z brings it back")
    #expect(desk.exists("a"))
    try await terminal.press("q")
    try await terminal.end()
    #expect(desk.names == [])
  }

  @Test func aNewAddressGoesOnWithWhatIsThere() async throws {
    let other = try ScriptedOrigin(ServedFile(blob))
    let terminal = try await slow.open("a")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.type("u")
    try await terminal.waitFor("New address of a:")
    try await terminal.type("fax://nowhere")
    try await terminal.press("Enter")
    try await terminal.waitFor("addresses can be fetched")
    try await terminal.press("C-u")
    try await terminal.paste(other.url("/signed"))
    try await terminal.press("Enter")
    try await terminal.waitFor("the new address has the same file, 32.0 MiB: strong ETag")
    try await terminal.waitForRow(of: "a", saying: "done")
    #expect(desk.bytes(of: "a") == blob)
    #expect(other.requests.allSatisfy { ($0.range?.first ?? 0) > 0 }, "what was there is not fetched again")
  }

  @Test func anotherFileAtTheNewAddressIsAskedAbout() async throws {
    let newer = Blob.random(count: 1 << 20, seed: 84)
    let other = try ScriptedOrigin(ServedFile(newer).with { $0.etag = "\"v2\"" })
    let terminal = try await slow.open("a")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.type("u")
    try await terminal.paste(other.url("/other"))
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "a", saying: "changed")
    #expect(desk.bytes(of: "a.part")?.prefix(65_536).elementsEqual(blob.prefix(65_536)) == true)
    try await terminal.type("r")
    try await terminal.waitFor("Take the new a?")
    try await terminal.type("k")
    try await terminal.waitForRow(of: "a", saying: "done")
    #expect(desk.bytes(of: "a") == newer)
    #expect(desk.names.contains("a.part.old"))
  }

  @Test func limitsAndCommandsHoldAtOnce() async throws {
    let terminal = try await slow.open("a", "b")
    try await terminal.type("L50K")
    try await terminal.press("Enter")
    try await terminal.waitFor("limit 50.0 KiB/s")
    try await terminal.type(":jobs 1")
    try await terminal.press("Enter")
    try await terminal.waitFor("1 active · 1 queued")
    try await terminal.type(":li")
    try await terminal.press("Tab")
    try await terminal.waitFor(":limit-rate")
    try await terminal.type(" 0")
    try await terminal.press("Enter")
    try await terminal.waitUntil("no limit") { !$0.contains("limit 50") }
    try await terminal.type(":jbos 3")
    try await terminal.press("Enter")
    try await terminal.waitFor("did you mean jobs?")
    try await terminal.type(":")
    try await terminal.press("Up", "Up", "Up")
    try await terminal.waitFor(":jobs 1")
    try await terminal.press("BSpace")
    try await terminal.type("2")
    try await terminal.press("Enter")
    try await terminal.waitUntil("two active") { $0.contains("2 active") && !$0.contains("queued") }
    try await terminal.type(":add \(origin.url("/c"))")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "c", saying: "queued")
  }

  @Test func theClipboardIsThatOfTheTerminal() async throws {
    let terminal = try await slow.open("a")
    try await terminal.type("c")
    try await terminal.waitFor("address copied")
    let order = "\u{1B}]52;c;\(Data(origin.url("/a").utf8).base64EncodedString())\u{07}"
    try await eventually("the order") { String(decoding: terminal.rawOutput, as: UTF8.self).contains(order) }
    let envelope = "\u{1B}Ptmux;\u{1B}\(order)\u{1B}\\"
    try await eventually("the envelope") { String(decoding: terminal.rawOutput, as: UTF8.self).contains(envelope) }
    try await terminal.type("C")
    try await terminal.waitFor("path copied")
  }

  @Test func leavingAsksWhileSomethingIsActive() async throws {
    let terminal = try await Tmux(try desk.command(["--confirm-quit", "active", origin.url("/a")]))
    try await terminal.waitForRow(of: "a", saying: "active")
    try await terminal.type("q")
    try await terminal.waitFor("Quit? 1 goes on next time.  q quit  Esc stay")
    try await terminal.press("Escape")
    try await terminal.waitFor("q Quit")
    try await terminal.type("qq")
    #expect(try await terminal.end() == 7)
  }

  @Test func theDetailsSayWhoSendsWhatAndWhatHappened() async throws {
    let server = ServedFile(blob).with { ($0.bytesPerSecond, $0.headers) = (100_000, ["Server: Scripted/1"]) }
    origin.serve { request, connection in
      request.path == "/start"
        ? connection.respond(302, headers: ["Location: /file.iso?token=hush"]) : server.answer(request, connection)
    }
    let terminal = try await desk.open([origin.url("/start")], columns: 200, rows: 50)
    try await terminal.waitFor("active")
    try await terminal.type("l90K")
    try await terminal.press("Enter", "Enter")
    try await terminal.waitFor("Scripted/1")
    for words in [
      "127.0.0.1:\(origin.port)", "strong ETag \"v1\"", "yes: stopping costs no bytes", "90.0 KiB/s",
      "started: 32.0 MiB, ranges, strong ETag", "sent on to \(origin.url("/file.iso"))", "in flight", "last minute",
      origin.url("/start"),
    ] { try await terminal.waitFor(words) }
  }

  // MARK: The desktop

  @Test func withoutADesktopThatIsSaid() async throws {
    let terminal = try await Tmux(
      try desk.command([origin.url("/a")]), environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
    try await terminal.waitForRow(of: "a", saying: "active")
    try await terminal.type("o")
    try await terminal.waitFor("not complete yet")
    try await terminal.type("O")
    try await terminal.waitFor("there is no desktop to open it with")
  }

  @Test func theDesktopIsGivenTheFileAndNothingElse() async throws {
    let name = "-rf $(touch gotcha) ; 'x'.bin"
    origin.serve(ServedFile(blob).with { $0.disposition = "attachment; filename=\"\(name)\"" })
    let log = desk.folder["opened"]
    try FileManager.default.createDirectory(atPath: desk.folder["bin"], withIntermediateDirectories: false)
    try desk.folder.write("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" >>'\(log)'\n".utf8, to: "bin/xdg-open")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: desk.folder["bin/xdg-open"])
    let path = desk.folder["bin"] + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let terminal = try await Tmux(
      try desk.command([origin.url("/a")]), environment: ["DISPLAY": ":99", "PATH": path])
    try await terminal.waitFor("✓ done")
    try await terminal.type("o")
    try await eventually("it is opened") { desk.folder.text(of: "opened")?.hasSuffix("bin\n") == true }
    #expect(desk.folder.text(of: "opened") == "1\n\(desk.file(try #require(desk.names.first)))\n")
    try await terminal.type("O")
    try await eventually("the folder") {
      desk.folder.text(of: "opened")?.hasSuffix("\n1\n\(desk.folder["files"])\n") == true
    }
  }
}
