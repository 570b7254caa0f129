import Foundation
import TestSupport
import Testing

/// `dltui add`, and a second `dltui` beside one that is running.
@Suite(.timeLimit(.minutes(2))) struct AddTests {
  private let desk: Desk
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 100_000, seed: 6)

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin(ServedFile(blob))
  }

  private func add(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(
      ["add", "--no-config", "--state-dir", desk.folder["state"], "-d", desk.folder["files"]] + arguments
    ).end()
  }

  @Test func theRunningOneTakesWhatIsAdded() async throws {
    let terminal = try await desk.open()
    try await terminal.waitFor("Nothing to download yet")
    let sum = try await sha256(of: blob)
    let outcome = try await add(origin.url("/a"), "-o", "sub/one", "--checksum", "sha-256=\(sum)", "-H", "X-One: 1")
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    #expect(outcome.errors == "dltui: one download handed to the dltui that is running\n")
    try await terminal.waitForRow(of: "one", saying: "done")
    #expect(desk.bytes(of: "sub/one") == blob && origin.requests.first?["X-One"] == "1")
    #expect(try await add(origin.url("/b"), origin.url("/c")).errors.contains("2 downloads handed to"))
    try await terminal.waitForRow(of: "c", saying: "done")
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    let spool = try FileManager.default.contentsOfDirectory(atPath: desk.folder["state/spool"])
    #expect(spool.isEmpty)
  }

  @Test func whereNoneRunsTheyWaitInTheQueue() async throws {
    let outcome = try await add(origin.url("/a"), "-x", "3")
    #expect(outcome.status == 0 && outcome.errors == "dltui: one download in the queue for the next dltui\n")
    #expect(try await add(origin.url("/a"), origin.url("/b")).status == 0)
    #expect(origin.requests.isEmpty)
    let list = try await Program.dltui(["list", "--json", "--state-dir", desk.folder["state"]]).end().output
    let lines = try list.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(lines.compactMap { $0?["url"] as? String } == [origin.url("/a"), origin.url("/b")])
    #expect(lines.allSatisfy { $0?["state"] as? String == "queued" })
    let terminal = try await desk.open()
    try await terminal.waitForRow(of: "b", saying: "done")
    #expect(desk.bytes(of: "a") == blob)
  }

  @Test func aListIsAddedWithItsOptions() async throws {
    try desk.folder.write("\(origin.url("/a"))\n  out=one\n\(origin.url("/b"))\n".utf8, to: "list")
    let outcome = try await add("-i", desk.folder["list"])
    #expect(outcome.status == 0 && outcome.errors.contains("2 downloads in the queue"))
    let terminal = try await desk.open()
    try await terminal.waitForRow(of: "one", saying: "done")
  }

  @Test func whatCannotBeReadIsToldAndKeptAside() async throws {
    try desk.folder.write("{".utf8, to: "state/spool/1.json")
    let terminal = try await desk.open()
    try await terminal.waitFor("unreadable file")
    #expect(desk.folder.exists("state/spool/1.json.unreadable"))
    #expect(try await add(origin.url("/a")).status == 0)
    try await terminal.waitForRow(of: "a", saying: "done")
  }

  @Test func aSecondOneHandsItsAddressesToTheFirst() async throws {
    let first = try await desk.open()
    try await first.waitFor("Nothing to download yet")
    let second = try await desk.open(origin.url("/a"))
    #expect(try await second.end() == 0)
    try await second.waitFor("one download handed to the dltui that is running")
    try await first.waitForRow(of: "a", saying: "done")
  }

  @Test func aSecondOneWithoutAddressesSaysWhatCanBeDone() async throws {
    let first = try await desk.open()
    try await first.waitFor("Nothing to download yet")
    let second = try await desk.open()
    #expect(try await second.end() == 1)
    let text = try await second.screen()
    #expect(text.contains("another dltui has this session open") && text.contains("--no-session"))
  }

  @Test func passwordsAreNotHandedOver() async throws {
    for arguments in [["-u", "me:secret"], ["-H", "Cookie: secret"]] {
      let outcome = try await Program.dltui(
        ["add", "--state-dir", desk.folder["state"], origin.url("/a")] + arguments
      ).end()
      #expect(outcome.status == 28 && outcome.errors.contains("a password or secret header cannot be handed over"))
      #expect(!desk.folder.exists("state"))
    }
  }

  @Test(arguments: [
    (["--jobs", "3", "http://h/"], "`dltui add` takes only what belongs to a download, not --jobs"),
    ([], "no address given"), (["nonsense"], "neither a command nor an address: nonsense"),
  ]) func aMistakeIsNamed(_ arguments: [String], _ complaint: String) async throws {
    let outcome = try await Program.dltui(["add", "--state-dir", desk.folder["state"]] + arguments).end()
    #expect(outcome.status == 28 && outcome.errors.contains(complaint) && !desk.folder.exists("state"))
  }
}
