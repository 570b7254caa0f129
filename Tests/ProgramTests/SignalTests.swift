import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Signals end `get` in good order, whatever the server does.
@Suite(.timeLimit(.minutes(2))) struct SignalTests {
  /// A server that never answers, and `get` waiting for it.
  private func waiting(_ arguments: [String] = []) throws -> (origin: ScriptedOrigin, program: Program) {
    let origin = try ScriptedOrigin { _, connection in connection.hold() }
    return (origin, try Program.dltui(["get", origin.url()] + arguments))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalEndsWithSevenThoughTheServerIsSilent(_ signal: Int32) async throws {
    let (origin, program) = try waiting()
    defer { origin.stop() }
    try await ready(program)
    program.send(signal)
    let outcome = try await program.end()
    #expect(outcome.status == 7)
    #expect(outcome.errors.hasSuffix("stopped one download is unfinished, the same command goes on\n"))
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

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func theNextRunGoesOnWhereASignalEndedThis(_ signal: Int32) async throws {
    let body = Blob.random(count: 12 << 20, seed: 21)
    let file = ServedFile(body)
    let origin = try ScriptedOrigin(file.with { $0.ending = .held(after: 600_000, Gate()) })
    let folder = try TemporaryFolder()
    let arguments = ["get", "--no-config", "-d", folder.path, origin.url("/big")]
    let program = try Program.dltui(arguments)
    // What the origin has sent may still be on its way: what counts is on the disk.
    try await eventually("some bytes") { folder.bytes(of: "big.part")?.starts(with: body[..<600_000]) ?? false }
    program.send(signal)
    #expect(try await program.end().status == 7)
    #expect(folder.names.filter { !$0.hasSuffix("~") } == ["big.part", "big.part.json"])
    let sidecar = try #require(folder.bytes(of: "big.part.json"))
    let done = try JSONDecoder().decode(Sidecar.self, from: Data(sidecar)).doneRanges
    #expect(done.contains(0..<600_000))

    origin.clearRequests()
    origin.serve(file)
    let outcome = try await Program.dltui(arguments).end()
    #expect(outcome.status == 0 && outcome.errors.contains("going on at"))
    #expect(folder.bytes(of: "big") == body && folder.names == ["big"])
    for range in origin.requests.compactMap(\.range) {
      #expect(
        !done.ranges.contains { $0.overlaps(range.first..<((range.last ?? .max - 1) + 1)) },
        "\(range) of \(done.ranges), \(outcome.errors)")
    }
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
