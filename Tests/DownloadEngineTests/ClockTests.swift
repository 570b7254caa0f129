import Foundation
import TestSupport
import Testing

/// The wall's clock is for people: whatever it does, no wait, limit or speed hangs on it (case E05).
@Suite(.timeLimit(.minutes(2))) struct ClockTests {
  @Test func aClockThatJumpsDisturbsNothing() async throws {
    let (shim, folder) = (try await ClockShim(), try TemporaryFolder())
    let origin = try ScriptedOrigin()
    let slow = ServedFile.v1.with { $0.bytesPerSecond = 400_000 }
    origin.serve(inTurn: [{ $1.respond(503) }, slow.handler])
    let outcome = try await Program.dltui(
      ["get", "--no-config", "--json", "-x", "1", "--stall-timeout", "20", "--retries", "1", "-d", folder.path]
        + [origin.url()], environment: shim.environment
    ).end()
    #expect(outcome.status == 0 && origin.requests.count == 2, "\(outcome)")
    #expect(folder.bytes(of: "file.bin") == Version.v1)
    let events = outcome.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    let speeds = events.compactMap { $0["speed"] as? Int }
    #expect(!speeds.isEmpty && speeds.allSatisfy { (0..<100_000_000).contains($0) }, "\(speeds)")
    let seconds = try #require(events.last?["seconds"] as? Double)
    #expect((1..<600).contains(seconds))
    let times = Set(events.compactMap { ($0["time"] as? String)?.prefix(13) })
    #expect(times.count > 1, "the shim is at work: \(times)")
  }
}
