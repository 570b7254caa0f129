import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Twenty downloads in every state outlive a kill and a broken list (case E08).
@Suite(.timeLimit(.minutes(2))) struct QueueSurvivalTests {
  private let desk: Desk
  private let origin: ScriptedOrigin
  private let body = Blob.random(count: 2 << 20, seed: 61)
  private let names = (1...20).map { "file\($0).iso" }

  init() throws {
    desk = try Desk("-j", "4", "-x", "2", "--retry-wait", "30", "--retry-max-wait", "30")
    origin = try ScriptedOrigin()
    origin.serve { [body] request, connection in
      let file = ServedFile(body)
      switch request.path {
      case "/file1.iso", "/file2.iso": file.answer(request, connection)
      case "/file3.iso": connection.respond(404)
      case "/file4.iso": connection.respond(503)
      default: file.with { $0.bytesPerSecond = 20_000 }.answer(request, connection)
      }
    }
  }

  /// Done, failed, waiting for a retry, paused, active and queued ones; then the program is killed.
  private func leaveMixedStates() async throws {
    let terminal = try await desk.open(names.map { origin.url("/\($0)") }, rows: 50)
    try await terminal.waitForRow(of: "file1.iso", saying: "done")
    try await terminal.waitForRow(of: "file3.iso", saying: "failed")
    try await terminal.waitForRow(of: "file4.iso", saying: "retry")
    try await terminal.waitForRow(of: "file5.iso", saying: "active")
    try await terminal.press("j", "j", "j", "j", "p")
    try await terminal.waitForRow(of: "file5.iso", saying: "paused")
    try await eventually("the list knows it") {
      desk.folder.text(of: "state/session.json").map { $0.contains("paused") && $0.contains("file20.iso") } ?? false
    }
    try await eventually("a sidecar") { desk.sidecar(of: "file6.iso").map { $0.doneRanges.count > 0 } ?? false }
    kill(try #require(try await terminal.identifier()), SIGKILL)
    try await terminal.end()
  }

  @Test func everyDownloadIsBackAsItWas() async throws {
    try await leaveMixedStates()
    let kept = try #require(desk.sidecar(of: "file6.iso")).doneRanges.count
    origin.clearRequests()
    let terminal = try await desk.open(rows: 50)
    try await terminal.waitForRow(of: "file6.iso", saying: "active")
    let screen = try await terminal.screen()
    for name in names { #expect(!row(of: name, on: screen).isEmpty, "\(name)") }
    #expect(row(of: "file1.iso", on: screen).contains("done") && row(of: "file3.iso", on: screen).contains("failed"))
    #expect(row(of: "file5.iso", on: screen).contains("paused"))
    let starts = origin.requests.filter { $0.path == "/file6.iso" }.compactMap { $0.range?.first }
    #expect((starts.min() ?? 0) > 0 && kept > 0, "it goes on where its sidecar says: \(starts)")
    try await terminal.press("P")
    try await terminal.waitForRow(of: "file6.iso", saying: "paused")
    origin.serve(ServedFile(body))
    try await terminal.press("R")
    try await terminal.waitFor("20 done")
    for name in names { #expect(desk.bytes(of: name) == body, "\(name)") }
  }

  @Test func aListCutInHalfLosesNoBytes() async throws {
    try await leaveMixedStates()
    for file in ["state/session.json", "state/session.json~"] {
      guard let bytes = desk.folder.bytes(of: file) else { continue }
      try desk.folder.write(bytes.prefix(bytes.count / 2), to: file)
    }
    let kept = desk.names
    let terminal = try await desk.open(rows: 50)
    try await terminal.waitFor("session.json")
    #expect(desk.names == kept)
    try await terminal.press("q")
    try await terminal.end()
    origin.serve(ServedFile(body))
    origin.clearRequests()
    let outcome = try await Program.dltui(["get"] + desk.arguments + [origin.url("/file6.iso")]).end()
    #expect(outcome.status == 0 && desk.bytes(of: "file6.iso") == body, "\(outcome)")
    #expect(origin.requests.allSatisfy { ($0.range?.first ?? 0) > 0 }, "what is on the disk is not fetched again")
  }
}
