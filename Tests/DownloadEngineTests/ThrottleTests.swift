import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Limits and who gets a turn, in virtual time: transfers that always have bytes at hand, 16 KiB at a time.
struct ThrottleTests {
  private static let mouthful = 16 << 10

  /// Transfers under a throttle, and what each got when.
  private struct Line {
    var throttle = Throttle()
    var now = Duration.zero
    let owners: [TransferID: DownloadID]
    var taken: [(at: Duration, by: TransferID)] = []
    var releases = 0

    /// `transfers` of each of `downloads`.
    init(downloads: UInt64, transfers: UInt64) {
      var owners: [TransferID: DownloadID] = [:]
      for id in 0..<downloads * transfers { owners[TransferID(id)] = DownloadID(Int(id % downloads)) }
      self.owners = owners
    }

    mutating func begin() {
      for id in owners.keys.sorted(by: { $0.number < $1.number }) { feed(id) }
    }

    /// Takes until it has to wait.
    private mutating func feed(_ id: TransferID) {
      guard let owner = owners[id] else { return }
      while throttle.take(ThrottleTests.mouthful, owner, id, now: now) { taken.append((now, id)) }
    }

    mutating func run(until end: Duration) {
      while let wait = throttle.nextWake(now), now + wait < end {
        now += wait
        let due = throttle.due(now)
        releases += due.count
        for id in due { feed(id) }
      }
      now = end
    }

    func bytes(_ window: Range<Duration>, _ isCounted: (TransferID) -> Bool = { _ in true }) -> Double {
      Double(taken.count { window.contains($0.at) && isCounted($0.by) } * ThrottleTests.mouthful)
    }

    func expect(_ rate: Double, in windows: Range<Int>, _ isCounted: (TransferID) -> Bool = { _ in true }) {
      for start in windows {
        let bytes = bytes(.seconds(start)..<(.seconds(start) + .seconds(5)), isCounted)
        #expect(abs(bytes / (5 * rate) - 1) < 0.05, "from \(start) s: \(bytes / 5) of \(rate)")
      }
    }
  }

  @Test(arguments: [(1, 1), (4, 1), (4, 8), (100, 10)] as [(UInt64, UInt64)])
  func theRateIsExactOverAnyFiveSecondsHoweverManyShareIt(_ downloads: UInt64, _ transfers: UInt64) {
    var line = Line(downloads: downloads, transfers: transfers)
    line.throttle.limit(1_000_000, now: .zero)
    line.begin()
    line.run(until: .seconds(20))
    line.expect(1_000_000, in: 0..<15)
    for start in 0..<19 { #expect(line.bytes(.seconds(start)..<(.seconds(start) + .seconds(1))) < 1_150_000) }
    #expect(line.releases < 2 * line.taken.count + 10, "whoever is let go gets something")
  }

  @Test func allGetTheirTurn() {
    var line = Line(downloads: 4, transfers: 8)
    line.throttle.limit(1_000_000, now: .zero)
    line.begin()
    line.run(until: .seconds(20))
    let shares = line.owners.keys.map { id in line.taken.count { $0.by == id } }
    #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 7, "\(shares)")
  }

  @Test func aLiveChangeHoldsAtOnce() {
    var line = Line(downloads: 4, transfers: 1)
    line.throttle.limit(1_000_000, now: .zero)
    line.begin()
    line.run(until: .seconds(10))
    line.throttle.limit(300_000, now: line.now)
    line.run(until: .seconds(20))
    line.throttle.limit(3_000_000, now: line.now)
    line.run(until: .seconds(30))
    line.expect(1_000_000, in: 0..<6)
    line.expect(300_000, in: 10..<16)
    line.expect(3_000_000, in: 20..<26)
    line.throttle.limit(nil, now: line.now)
    #expect(line.throttle.due(line.now).count == 4 && line.throttle.nextWake(line.now) == nil)
  }

  @Test func everyDownloadHasItsOwnLimitBesidesTheCommonOne() {
    var line = Line(downloads: 4, transfers: 3)
    for id in 0..<3 { line.throttle.join(DownloadID(id), limit: 100_000, now: .zero) }
    line.throttle.limit(1_000_000, now: .zero)
    line.begin()
    line.run(until: .seconds(20))
    for id in 0..<3 { line.expect(100_000, in: 1..<15) { line.owners[$0] == DownloadID(id) } }
    line.expect(700_000, in: 1..<15) { line.owners[$0] == DownloadID(3) }
    line.expect(1_000_000, in: 1..<15)
  }

  @Test func aLimitOfItsOwnThatChangesHoldsAtOnce() {
    var line = Line(downloads: 2, transfers: 2)
    for id in 0..<2 { line.throttle.join(DownloadID(id), limit: 500_000, now: .zero) }
    line.begin()
    line.run(until: .seconds(10))
    line.throttle.join(DownloadID(0), limit: 100_000, now: line.now)
    line.run(until: .seconds(20))
    line.expect(500_000, in: 0..<6) { line.owners[$0] == DownloadID(0) }
    line.expect(100_000, in: 10..<15) { line.owners[$0] == DownloadID(0) }
    line.expect(500_000, in: 10..<15) { line.owners[$0] == DownloadID(1) }
    for id in 0..<2 { line.throttle.join(DownloadID(id), limit: nil, now: line.now) }
    #expect(!line.throttle.isOn && line.throttle.nextWake(line.now) == .zero)
    #expect(line.throttle.due(line.now).count == 4)
  }

  @Test func anIdleTimeIsNoCredit() {
    var line = Line(downloads: 1, transfers: 1)
    line.throttle.limit(1_000_000, now: .zero)
    line.now = .seconds(600)
    line.begin()
    line.run(until: .seconds(601))
    #expect(line.bytes(.seconds(600)..<(.seconds(601))) < 1_150_000)
  }

  @Test func whoLeavesIsNotWaitedFor() {
    var line = Line(downloads: 2, transfers: 1)
    line.throttle.limit(16_384, now: .zero)
    line.begin()
    #expect(line.throttle.held == [TransferID(0), TransferID(1)])
    line.throttle.leave(TransferID(0))
    line.run(until: .seconds(20))
    #expect(line.taken.dropFirst().allSatisfy { $0.by == TransferID(1) } && line.taken.count > 15)
    line.throttle.leave(TransferID(1))
    #expect(line.throttle.nextWake(line.now) == nil)
  }
}
