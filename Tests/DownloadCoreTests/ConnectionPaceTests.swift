import Testing

@testable import DownloadCore

/// When a download whose number of connections nobody has chosen gets more than one.
struct ConnectionPaceTests {
  private static let latency = Duration.milliseconds(50)

  /// The first second at which all connections come, if `rate` bytes come in each 200 ms.
  private func opening(total: Int64, latency: Duration = latency, _ rates: [Int64]) -> Int? {
    var pace = ConnectionPace()
    var (now, missing) = (Duration.zero, total)
    pace.begin(latency: latency, now: now)
    for (index, rate) in rates.enumerated() {
      guard let due = pace.due else { return nil }
      now = due
      pace.add(rate)
      missing -= rate
      if pace.isWorthMore(remaining: missing, latency: latency, now: now) { return index }
    }
    return nil
  }

  @Test func aConnectionThatStillGetsFasterIsLeftAlone() {
    #expect(opening(total: 1 << 40, [1, 2, 4, 8, 16, 32].map { $0 << 20 }) == nil)
  }

  @Test func oneThatNoLongerDoesGetsHelpIfMuchIsLeft() {
    #expect(opening(total: 1 << 30, [4 << 20, 8 << 20, 8 << 20]) == 2)
  }

  @Test func oneThatBringsAsMuchAsTheMachineCanTakeIsLeftAlone() {
    #expect(opening(total: 1 << 40, Array(repeating: 1 << 27, count: 9)) == nil)
    #expect(opening(total: 1 << 40, Array(repeating: 1 << 26, count: 9)) == 1)
  }

  @Test func whatEndsInAMomentStaysWithOne() {
    #expect(opening(total: 40 << 20, Array(repeating: 10 << 20, count: 4)) == nil)
  }

  @Test func helpComesLaterWhenItGetsSlow() {
    #expect(opening(total: 32 << 20, [10 << 20, 10 << 20, 1 << 10]) == 2)
  }

  @Test func aFarServerHasToBeWorthMore() {
    // 2 MiB a second, and 8 MiB in all.
    #expect(opening(total: 8 << 20, latency: .milliseconds(10), [1 << 20, 1 << 20, 1 << 20].map { $0 / 5 }) == 1)
    #expect(opening(total: 8 << 20, latency: .milliseconds(250), [2 << 20, 2 << 20, 2 << 20]) == nil)
  }

  @Test func nobodyWaitsForEver() {
    let rates = (0..<20).map { Int64(1 << 10) << Int64($0) }
    #expect(opening(total: .max, rates) == 11)
  }

  @Test func whatOneServerGivesSlowlyIsSharedAndANumberThatWasAskedForIsKept() {
    for isAskedFor in [false, true] {
      var settings = Settings()
      settings.areConnectionsPaced = true
      var world = World(seed: 3, servers: ["http://host/a": .init(total: 64 << 20)], settings: settings)
      var request = Request(url: "http://host/a", folder: "/d")
      request.connections = isAskedFor ? 8 : nil
      world.command(.add([request]))
      var counts: [Int] = []
      let ended = world.settle { counts.append($0.session.all.first?.run?.transfers.count { $0.isAccepted } ?? 0) }
      #expect(ended)
      #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<64 << 20)])
      let first = counts.filter { $0 > 0 }.prefix(8)
      #expect(first.allSatisfy { $0 == 1 } != isAskedFor, "\(first)")
      #expect(counts.max() == 8)
    }
  }
}
