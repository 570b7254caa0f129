import Foundation
import TestSupport
import Testing

/// `dltui get` against a real server on loopback.
@Suite(.timeLimit(.minutes(2))) struct GetTests {
  private let blob = Blob.random(count: 1_000_000, seed: 7)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func get(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
    try await Program.dltui(["get", "--dir", folder["new/folder"], "--no-config"] + arguments, input: input).end()
  }

  @Test func aFileArrivesAndIsToldInTwoLines() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await get(origin.url("/big.iso"))
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    #expect(folder.bytes(of: "new/folder/big.iso") == blob)
    let lines = outcome.errors.split(separator: "\n")
    #expect(
      lines.count == 2 && lines[0] == "start   big.iso  977 KiB" && lines[1].hasPrefix("done    big.iso  977 KiB in "))
  }

  @Test func eventsAreOneObjectALineInOrder() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await get("--json", origin.url("/big.iso"))
    let objects = try outcome.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let words = objects.compactMap { $0["event"] as? String }.filter { $0 != "progress" }
    #expect(words == ["added", "started", "verifying", "completed"])
    #expect(objects.last?["path"] as? String == folder["new/folder/big.iso"])
    #expect(objects.last?["total"] as? Int == 1_000_000)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
  }

  @Test func theLastFailureIsTheStatusAndAnAddressGivenTwiceIsOneDownload() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/good": ServedFile(blob)])
    let outcome = try await get(origin.url("/good"), origin.url("/good#again"), origin.url("/bad"))
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("this address is given twice: \(origin.url("/good"))\n"))
    #expect(outcome.errors.contains("failed  \(origin.url("/bad")): not found: 404\n"))
    #expect(folder.names == ["new"] && folder.bytes(of: "new/folder/good") == blob)
  }

  @Test func aListIsReadFromStandardInput() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/1": ServedFile(blob), "/2": ServedFile(blob)])
    let list = "\u{FEFF}# two files\r\n\(origin.url("/1"))\t\(origin.url("/mirror"))\r\n\n  \(origin.url("/2"))\n"
    let outcome = try await get("-", input: list)
    #expect(outcome.status == 0)
    #expect(origin.requests.allSatisfy { $0.path != "/mirror" }, "a mirror is for when something fails")
    #expect(folder.bytes(of: "new/folder/1") == blob && folder.bytes(of: "new/folder/2") == blob)
  }

  @Test func whatWasTypedTravelsInTheRequestAndNowhereElse() async throws {
    let file = ServedFile(blob)
    let origin = try ScriptedOrigin { request, connection in
      if request["Authorization"] != nil { return file.answer(request, connection) }
      connection.respond(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
    }
    let address = origin.url("/a?b=c").replacing("http://", with: "http://me:s%20ecret@")
    let outcome = try await get(
      address + "#part", "-H", "X-One: 1", "-A", "agent/1", "--referer", "http://r/", "-o", "sub/name", "--json")
    let request = try #require(origin.requests.last)
    #expect(outcome.status == 0 && folder.bytes(of: "new/folder/sub/name") == blob)
    #expect(request["X-One"] == "1" && request["User-Agent"] == "agent/1" && request["Referer"] == "http://r/")
    #expect(request["Authorization"] == "Basic " + Data("me:s ecret".utf8).base64EncodedString())
    #expect(!outcome.output.contains("ecret") && !outcome.errors.contains("ecret"))
  }

  @Test func aReaderThatGoesAwayCostsNothing() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let script =
      "'\(try Program.dltuiPath())' get --json -d '\(folder.path)' '\(origin.url("/x"))' | head -c 1; exit ${PIPESTATUS[0]}"
    let outcome = try await Program.run("/bin/bash", ["-c", script])
    #expect(outcome.status == 0 && outcome.output == "{")
    #expect(folder.bytes(of: "x") == blob)
  }

  @Test func withoutATerminalThePlainProgramBehavesAsGet() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await Program.dltui([origin.url("/x"), "-d", folder.path]).end()
    #expect(outcome.status == 0 && folder.bytes(of: "x") == blob)
    #expect(
      outcome.errors.hasPrefix("dltui: no screen (standard input or output is no terminal), going on as `dltui get`\n"))
  }

  @Test func aTerminalGetsLinesThatAreRedrawnAndTakenAway() async throws {
    let gate = Gate()
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.ending = .held(after: 500_000, gate) })
    let address = origin.url("/日本語のファイル.bin")
    let command = "'\(try Program.dltuiPath())' get -d '\(folder.path)' '\(address)'"
    let terminal = try await Tmux(command, columns: 80, rows: 10)
    try await terminal.waitUntil("a bar") { $0.contains("█") && $0.contains("─") }
    gate.open()
    let screen = try await terminal.waitFor("done ")
    #expect(!screen.contains("─"))
  }
}
