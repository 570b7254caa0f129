import TestSupport
import Testing

/// The screen while the system looks for a host and finds no end (case C04).
@Suite(.timeLimit(.minutes(2))) struct HangingLookupTests {
  @Test func theScreenIsAliveMeanwhile() async throws {
    let shim = try await LookupShim()
    let origin = try ScriptedOrigin(ServedFile(Array("abc".utf8)))
    let desk = try Desk()
    let variables = shim.environment(delay: .seconds(600)).map { "'\($0)=\($1)'" }.joined(separator: " ")
    let command = try desk.command(["http://127.name.shim/slow.bin", origin.url("/quick.bin")])
    let terminal = try await Tmux("env \(variables) \(command)")
    try await eventually("the other one") { desk.bytes(of: "quick.bin") == Array("abc".utf8) }
    try await eventually("it is looked for") { shim.count == 1 }
    try await terminal.press("P")
    try await terminal.waitForRow(of: "slow.bin", saying: "paused")
    try await terminal.press("R")
    try await eventually("it is looked for again") { shim.count == 2 }
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
  }
}
