import Testing

@testable import DownloadCore

/// How often a download that gets nowhere tries again, in virtual time.
struct RetryBudgetTests {
  private static let url = "http://host/a"

  private func world(_ server: World.Server, seed: UInt64 = 1, _ change: (inout Settings) -> Void = { _ in }) -> World {
    var settings = Settings()
    change(&settings)
    var world = World(seed: seed, servers: [Self.url: server], settings: settings)
    world.command(.add([Request(url: Self.url, folder: "/d")]))
    return world
  }

  private func state(_ world: World) -> DownloadState? { world.session.downloads[DownloadID(1)]?.state }

  /// Bytes for each try, whether they are a reason for a new budget.
  @Test(arguments: [0, 1, 1000, 15_000]) func aLittleProgressDoesNotRenewTheBudgetForEver(_ bytes: Int64) {
    for connections in [1, 8] {
      var world = world(.init(total: 30_000_000, breaksAfter: bytes)) { $0.connections = connections }
      let ended = world.settle()
      #expect(ended)
      if case .failed(.connectionLost) = state(world) {
      } else {
        Issue.record("\(bytes): \(String(describing: state(world)))")
      }
      #expect(world.requestTimes.count <= 9 * connections + 20, "\(bytes): \(world.requestTimes.count) requests")
      #expect(world.now >= .seconds(90), "\(bytes): it waited \(world.now) in all")
    }
  }

  @Test func realProgressRenewsIt() {
    var world = world(.init(total: 3_000_000, breaksAfter: 100_000)) { $0.connections = 1 }
    let ended = world.settle()
    #expect(ended && world.disk.finished["a"] != nil)
    #expect(world.requestTimes.count >= 30)
    for notice in world.notices {
      if case .retrying(let retry, _) = notice.kind { #expect(retry.attempt == 1 && retry.of == 8) }
    }
  }

  @Test(arguments: UInt64(0)..<10) func theWaitsGrowAndNoTwoDownloadsKeepStep(seed: UInt64) {
    var world = world(.init(total: 30_000_000, breaksAfter: 0), seed: seed) { $0.connections = 1 }
    let ended = world.settle()
    #expect(ended)
    let waits = world.notices.compactMap { notice -> Double? in
      if case .retrying(_, let wait) = notice.kind { wait.seconds } else { nil }
    }
    #expect(waits.count == 8, "seed \(seed)")
    for (wait, full) in zip(waits, [1.0, 2, 4, 8, 16, 32, 60, 60]) {
      #expect(wait <= full && wait > full * 0.74, "seed \(seed): \(waits)")
    }
    #expect(Set(waits.map { $0 / waits[0] }).count > 2, "seed \(seed): jitter")
  }

  @Test func aPersonMayGrantANewBudget() {
    var world = world(.init(total: 30_000_000, breaksAfter: 0)) { $0.retry.attempts = 2 }
    _ = world.settle()
    let first = world.requestTimes.count
    world.command(.resume(.all))
    let ended = world.settle()
    #expect(ended && world.requestTimes.count == 2 * first)
  }

  // MARK: No network

  @Test func withoutANetworkItWaitsAndSpendsNothing() throws {
    var world = world(.init(total: 3_000_000)) { $0.retry.attempts = 1 }
    world.isOffline = true
    for _ in 0..<400 { world.step() }
    let retry = try #require(state(world)?.retry)
    #expect(retry.error == .networkDown && retry.attempt == 1)
    #expect(world.now > .seconds(60))
    let pace = zip(world.requestTimes.dropFirst(), world.requestTimes).map { $0 - $1 }
    #expect(pace.allSatisfy { $0 >= .seconds(2) }, "it looks again every two seconds")
    world.isOffline = false
    let ended = world.settle()
    #expect(ended && world.disk.finished["a"] != nil, "and goes on by itself")
  }

  @Test func aNetworkThatGoesInTheMiddleLosesNothing() {
    var world = world(.init(total: 30_000_000)) { $0.retry.attempts = 2 }
    for _ in 0..<60 { world.step() }
    world.isOffline = true
    for id in world.transfers.keys.sorted(by: { $0.number < $1.number }) {
      world.end(id, .failed(.connectionLost(why: "the cable is out"), retryAfter: nil))
    }
    let before = world.session.downloads[DownloadID(1)]?.completedBytes ?? 0
    for _ in 0..<100 { world.step() }
    #expect(state(world)?.retry?.error == .networkDown && before > 0)
    #expect(world.session.downloads[DownloadID(1)]?.completedBytes == before)
    world.isOffline = false
    let ended = world.settle()
    #expect(ended && world.disk.finished["a"] == [1: ByteRangeSet(0..<30_000_000)])
  }
}
