import DownloadCore
import DownloadEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// How exact the limits are on a real line, measured by hand: `DLTUI_MEASURE=1 swift test --filter RateMeasurement`. What counts is what the
/// origin's kernel takes, behind a send buffer that hides little. It prints bytes a second for every window of five seconds.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["DLTUI_MEASURE"] != nil, "measured by hand"))
struct RateMeasurement {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin(sendBuffer: 4096, ServedFile(Body.virtual(count: 1 << 30, seed: 3)).handler)
  }

  private func engine(_ change: (inout Settings) -> Void) throws -> RunningEngine {
    var settings = Settings()
    settings.preallocate = false
    change(&settings)
    let running = try RunningEngine(settings)
    running.post(.add((0..<4).map { Request(url: origin.url("/file\($0)"), folder: folder.path) }))
    return running
  }

  /// Bytes that the origin got rid of in each second.
  private func seconds(_ count: Int) async throws -> [Int] {
    var (sums, last, next) = ([Int](), origin.counters.bytesSent, ContinuousClock.now)
    for _ in 0..<count {
      next += .seconds(1)
      try await Task.sleep(until: next)
      let now = origin.counters.bytesSent
      sums.append(Int(now - last))
      last = now
    }
    return sums
  }

  private func report(_ what: String, _ seconds: [Int], rate: Int) {
    let windows = seconds.count < 5 ? [] : (0...seconds.count - 5).map { seconds[$0..<$0 + 5].reduce(0, +) / 5 }
    let worst = windows.dropFirst().map { abs(Double($0) / Double(rate) - 1) * 100 }.max() ?? 0
    print(
      "\(what): limit \(rate); each second \(seconds); over 5 s \(windows); worst after the first second \(worst) %")
  }

  @Test(arguments: [1, 8]) func overAll(connections: Int) async throws {
    let running = try engine { ($0.rateLimit, $0.connections) = (1_000_000, connections) }
    report("4 downloads x \(connections)", try await seconds(20), rate: 1_000_000)
    running.post(.limitRate(300_000))
    report("then lower", try await seconds(12), rate: 300_000)
    running.post(.limitRate(2_000_000))
    report("then higher", try await seconds(10), rate: 2_000_000)
    running.post(.pause(.all))
    report("paused", try await seconds(2), rate: 2_000_000)
    running.post(.resume(.all))
    report("resumed", try await seconds(10), rate: 2_000_000)
    try await running.quit()
  }

  @Test func aLimitThatComesLate() async throws {
    let running = try engine { $0.connections = 2 }
    try await Task.sleep(for: .milliseconds(300))
    running.post(.limitRate(1_000_000))
    for _ in 0..<3 {
      let before = running.engine.snapshot.downloads.map(\.completed).reduce(0, +)
      report("unlimited, then limited", try await seconds(5), rate: 1_000_000)
      print("on the disk: \(running.engine.snapshot.downloads.map(\.completed).reduce(0, +) - before)")
    }
    try await running.quit()
  }

  @Test func forEach() async throws {
    let running = try engine { ($0.rateLimitEach, $0.connections) = (250_000, 4) }
    report("250 kB/s for each of 4", try await seconds(15), rate: 1_000_000)
    let done = running.engine.snapshot.downloads.map(\.completed)
    print("each has \(done)")
    try await running.quit()
  }
}
