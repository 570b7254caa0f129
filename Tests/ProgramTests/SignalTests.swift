import Foundation
import Glibc
import TestSupport
import Testing

/// Signals end `get` in good order and in time.
@Suite(.timeLimit(.minutes(2))) struct SignalTests {
  /// A server that never answers, and `get` waiting for it.
  private func waiting(_ arguments: [String] = []) throws -> (origin: ScriptedOrigin, program: Program) {
    let origin = try ScriptedOrigin { _, connection in connection.hold() }
    return (origin, try Program.dltui(["get", origin.url()] + arguments))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsWithSevenWithinTwoSeconds(_ signal: Int32) async throws {
    let (origin, program) = try waiting()
    defer { origin.stop() }
    try await ready(program)
    let start = ContinuousClock.now
    program.send(signal)
    let outcome = try await program.end()
    #expect(outcome.status == 7)
    #expect(outcome.errors.hasSuffix("stopped one download is unfinished, the same command goes on\n"))
    #expect(ContinuousClock.now - start < .seconds(3))
  }

  @Test func aSecondInterruptEndsAtOnce() async throws {
    let (origin, program) = try waiting()
    defer { origin.stop() }
    try await ready(program)
    program.send(SIGINT)
    try await Task.sleep(for: .milliseconds(50))
    program.send(SIGINT)
    #expect(try await program.end().status == 7)
  }

  /// Once its signals are blocked it is ready for them (proc(5): SigBlk is a hexadecimal mask).
  private func ready(_ program: Program) async throws {
    try await eventually("signals are blocked") {
      let text = try? String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
      return mask & (1 << UInt64(SIGTERM - 1)) != 0
    }
  }
}
