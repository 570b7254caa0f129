import Foundation
import TestSupport
import Testing

/// A screen on which nothing moves costs nothing.
@Suite(.timeLimit(.minutes(2))) struct IdleTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  /// What a process has used so far (proc(5): stat in clock ticks, status for the switches of every thread).
  private struct Usage {
    var ticks = 0
    var switches = 0

    init(of process: Int32) throws {
      let folder = "/proc/\(process)/task"
      for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let stat = try String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        ticks += fields.dropFirst(11).prefix(2).compactMap(Int.init).reduce(0, +)
        let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
        let lines = status.split(separator: "\n").filter { $0.hasPrefix("voluntary_ctxt_switches:") }
        switches += lines.compactMap { Int($0.drop { !$0.isNumber }) }.reduce(0, +)
      }
    }
  }

  private func expectNothingHappens(_ terminal: Tmux) async throws {
    let process = try #require(try await terminal.identifier())
    var seen = ""
    // What was still on its way (a last frame, the session file, a look at the free space) takes its time on a busy machine.
    for _ in 0..<20 {
      let (before, written) = (try Usage(of: process), terminal.rawOutput.count)
      try await Task.sleep(for: .seconds(3))
      let after = try Usage(of: process)
      let (ticks, switches) = (after.ticks - before.ticks, after.switches - before.switches)
      if ticks <= 1, switches <= 6, terminal.rawOutput.count == written { return }
      seen = "\(terminal.rawOutput.count - written) bytes, \(ticks) ticks, \(switches) switches"
    }
    Issue.record("never three seconds without anything: \(seen)")
  }

  @Test func anEmptyScreenSleeps() async throws {
    let terminal = try await desk.open()
    try await terminal.waitFor("Nothing to download yet")
    try await expectNothingHappens(terminal)
  }

  @Test func finishedFailedAndPausedDownloadsSleep() async throws {
    let origin = try ScriptedOrigin()
    let slow = ServedFile(Blob.random(count: 8 << 20, seed: 71)).with { $0.ending = .held(after: 300_000, Gate()) }
    origin.serve(paths: ["/a": slow, "/b": ServedFile(Blob.random(count: 1000, seed: 72))])
    let terminal = try await desk.open(origin.url("/a"), origin.url("/b"), origin.url("/c"))
    try await terminal.waitForRow(of: "b", saying: "done")
    try await terminal.waitForRow(of: "c", saying: "failed")
    try await terminal.waitForPercent(1, of: "a")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "a", saying: "paused")
    try await terminal.press("Enter")
    try await expectNothingHappens(terminal)
  }
}
