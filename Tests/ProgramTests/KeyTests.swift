import TestSupport
import Testing

/// What the keys do to real downloads.
@Suite(.timeLimit(.minutes(2))) struct KeyTests {
  private let slow: SlowDesk
  private var desk: Desk { slow.desk }
  private var origin: ScriptedOrigin { slow.origin }
  private var blob: [UInt8] { slow.blob }

  init() throws { slow = try SlowDesk(seed: 81) }

  @Test func theQuestionBeforeARemovalCanBeDeclined() async throws {
    let terminal = try await slow.open("a")
    try await terminal.press("d")
    try await terminal.waitFor("Remove a?  k keep the partial  d delete it  Esc cancel")
    try await terminal.type("x")
    try await terminal.press("Escape")
    try await terminal.waitFor("q Quit")
    #expect(row(of: "a", on: try await terminal.screen()).contains("active"))
  }

  @Test func aRemovedDownloadKeepsItsBytesWhenAsked() async throws {
    let terminal = try await slow.open("a")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.type("dk")
    try await terminal.waitFor("Nothing to download yet")
    try await eventually("the sidecar") { desk.sidecar(of: "a") != nil }
    #expect(desk.exists("a.part"))
    origin.serve(ServedFile(blob))
    origin.clearRequests()
    let outcome = try await Program.dltui(["get", "-d", desk.folder["files"], origin.url("/a")]).end()
    #expect(outcome.status == 0 && outcome.errors.contains("going on at"))
    #expect(desk.names == ["a"], "\(outcome)")
    #expect(desk.bytes(of: "a") == blob)
  }

  @Test func aRemovedDownloadLosesItsBytesWhenAsked() async throws {
    let terminal = try await slow.open("a")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "a", saying: "paused")
    try await terminal.type("dd")
    try await terminal.waitFor("Nothing to download yet")
    #expect(desk.exists("a.part"))
    try await terminal.press("q")
    try await terminal.end()
    #expect(desk.names.isEmpty)
  }

  @Test func aFinishedFileIsNeverDeleted() async throws {
    origin.serve(ServedFile(blob))
    let terminal = try await desk.open(origin.url("/a"))
    try await terminal.waitForRow(of: "a", saying: "done")
    try await terminal.type("dd")
    try await terminal.waitFor("remove, the file stays")
    try await terminal.type("k")
    try await terminal.waitFor("Nothing to download yet")
    #expect(desk.bytes(of: "a") == blob)
  }

  @Test func addressesAreTypedAndMendedAndPasted() async throws {
    let terminal = try await desk.open()
    try await terminal.type("a")
    try await terminal.waitFor("checksum")
    try await terminal.type("fax://\(origin.url("/a").dropFirst(7))")
    try await terminal.press("Enter")
    let screen = try await terminal.waitFor("addresses can be fetched")
    #expect(screen.contains("fax://127.0.0.1"))
    try await terminal.press("Home", "DC", "DC", "DC")
    try await terminal.type("http")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "a", saying: "active")
    try await terminal.paste(origin.url("/b"))
    try await terminal.waitFor("address   \(origin.url("/b"))")
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "b", saying: "active")
  }

  @Test func allArePausedAndResumedAtOnceAndStartGoesAboveTheLimit() async throws {
    let terminal = try await slow.open("a", "b", "c")
    try await terminal.waitForRow(of: "c", saying: "queued")
    try await terminal.type("Gs")
    try await terminal.waitForRow(of: "c", saying: "active")
    #expect(try await terminal.screen().contains("3 active"))
    try await terminal.type("P")
    try await terminal.waitFor("3 paused")
    try await eventually("silence") { origin.counters.requestsInProgress == 0 }
    try await terminal.type("R")
    try await terminal.waitFor("2 active · 1 queued")
  }

  @Test func movingDetailsAndHelp() async throws {
    let terminal = try await slow.open("a", "b", "c")
    try await terminal.type("jjk")
    try await terminal.press("Enter")
    try await terminal.waitFor(origin.url("/b"))
    try await terminal.type("G")
    try await terminal.waitFor(origin.url("/c"))
    try await terminal.type("g")
    let details = try await terminal.waitFor(origin.url("/a"))
    #expect(details.contains("strong ETag") && details.contains(desk.folder["files"]))
    try await terminal.press("Enter")
    try await terminal.waitUntil("no details") { !$0.contains("strong ETag") }
    try await terminal.type("?")
    try await terminal.waitFor("add: address")
    try await terminal.type("G")
    try await terminal.waitFor("quit and save all")
    try await terminal.press("C-l")
    try await terminal.waitFor("quit and save all")
    try await terminal.press("Escape")
    try await terminal.waitForRow(of: "a", saying: "active")
  }
}
