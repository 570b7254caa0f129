import Testing

@testable import DownloadCore

/// A limit in virtual time: exact in the long run, never a long burst, never a standstill.
struct RateLimiterTests {
  /// Takes as fast as it is allowed to. Every row is a moment and how many bytes were taken then.
  private func run(
    _ limiter: inout RateLimiter, from start: Duration, for span: Duration, chunk: () -> Int
  ) -> [(at: Duration, bytes: Int)] {
    var (now, taken) = (start, [(at: Duration, bytes: Int)]())
    var standstill = 0
    while now < start + span, standstill < 1_000_000 {
      if let wait = limiter.wait(now: now) {
        now += wait
      } else {
        let bytes = chunk()
        limiter.take(bytes, now: now)
        taken.append((now, bytes))
      }
      standstill += 1
    }
    #expect(standstill < 1_000_000, "it hangs at \(now)")
    return taken
  }

  @Test(arguments: UInt64(0)..<12) func theRateIsExactOverAnyWindow(seed: UInt64) {
    var random = Seeded(seed)
    let rate = Int64.random(in: 50_000...20_000_000, using: &random)
    let largest = Int.random(in: 1000...20_000, using: &random)
    var limiter = RateLimiter(rate: rate, now: .zero)
    let taken = run(&limiter, from: .zero, for: .seconds(5)) { Int.random(in: 1...largest, using: &random) }
    for _ in 0..<200 {
      let first = Int.random(in: 0..<taken.count, using: &random)
      let last = Int.random(in: first..<taken.count, using: &random)
      let sum = taken[first...last].reduce(0) { $0 + $1.bytes }
      let allowed = Double(rate) * (taken[last].at - taken[first].at).seconds
      let slack = Double(rate) * 0.1 + Double(largest) + 2
      #expect(Double(sum) <= allowed + slack, "seed \(seed): too fast")
      #expect(Double(sum) >= allowed - slack, "seed \(seed): too slow")
    }
    let whole = taken.reduce(0) { $0 + $1.bytes }
    #expect(abs(Double(whole) - Double(rate) * 5) <= Double(rate) * 0.1 + Double(largest) + 2, "seed \(seed)")
  }

  @Test(arguments: UInt64(20)..<26) func aLateWakeUpCostsNothingInTheLongRun(seed: UInt64) {
    var random = Seeded(seed)
    var limiter = RateLimiter(rate: 1_000_000, now: .zero)
    var (now, sum) = (Duration.zero, 0)
    while now < .seconds(60) {
      if let wait = limiter.wait(now: now) {
        now += wait + .microseconds(Int64.random(in: 0...5000, using: &random))
      } else {
        limiter.take(16_384, now: now)
        sum += 16_384
      }
    }
    #expect(abs(Double(sum) / 60_000_000 - 1) < 0.01, "seed \(seed): \(sum)")
  }

  @Test func aLongPauseGivesNoLongBurst() {
    var limiter = RateLimiter(rate: 1_000_000, now: .zero)
    let burst = run(&limiter, from: .seconds(3600), for: .nanoseconds(1)) { 1000 }.reduce(0) { $0 + $1.bytes }
    #expect(burst <= 101_000)
    #expect(limiter.wait(now: .seconds(3600)) != nil)
  }

  @Test func aFreshLimitBeginsWithoutCredit() {
    var limiter = RateLimiter(rate: 1000, now: .seconds(9))
    #expect(limiter.wait(now: .seconds(9)) == nil, "somebody may begin")
    limiter.take(500, now: .seconds(9))
    #expect(limiter.wait(now: .seconds(9)) == .milliseconds(500))
    #expect(limiter.wait(now: .seconds(9) + .milliseconds(200)).map { abs($0.seconds - 0.3) < 1e-9 } == true)
    #expect(limiter.wait(now: .seconds(9) + .milliseconds(500)) == nil)
  }

  @Test func whatHadComeBeforeIsFreeAndTakenOnce() {
    var limiter = RateLimiter(rate: 1000, now: .zero)
    limiter.credit(50_000)
    #expect(limiter.wait(now: .seconds(1)) == nil, "time takes nothing of it away")
    let taken = run(&limiter, from: .seconds(1), for: .seconds(10)) { 500 }.reduce(0) { $0 + $1.bytes }
    #expect((60_000...60_600).contains(taken), "\(taken)")
  }

  @Test func oneBigBiteIsPaidForBeforeTheNext() {
    var limiter = RateLimiter(rate: 1024, now: .zero)
    limiter.take(512 << 10, now: .zero)
    #expect(limiter.wait(now: .zero) == .seconds(512))
    #expect(limiter.wait(now: .seconds(511)) != nil)
    #expect(limiter.wait(now: .seconds(512)) == nil)
  }

  @Test(arguments: [1, 2, 3, 7, 999, 1 << 20, 1 << 40, 1 << 53, Int64.max, 0, -5, Int64.min])
  func whoWaitsAsLongAsToldMayGoOn(_ rate: Int64) {
    var limiter = RateLimiter(rate: rate, now: .zero)
    var (now, turns) = (Duration.zero, 0)
    for bytes in [1, 1, 16_384, 524_288, 1, 333, 65_537, 0, 3] {
      while let wait = limiter.wait(now: now), turns < 100 {
        now += wait
        turns += 1
      }
      limiter.take(bytes, now: now)
    }
    #expect(turns < 12, "it took \(turns) waits")
  }

  @Test func aClockThatStandsStillOrGoesBackIsHarmless() {
    var limiter = RateLimiter(rate: 1000, now: .seconds(100))
    for _ in 0..<1000 { limiter.take(1, now: .seconds(100)) }
    #expect(limiter.wait(now: .seconds(100)) == .seconds(1))
    limiter.take(1000, now: .seconds(50))
    #expect(limiter.wait(now: .seconds(50)) == .seconds(2))
    #expect(limiter.wait(now: .seconds(100)) == .seconds(2), "no time has passed since the latest moment it saw")
    #expect(limiter.wait(now: .seconds(102)) == nil)
  }

  @Test func hugeAmountsDoNotTrap() {
    var limiter = RateLimiter(rate: 1, now: .zero)
    for _ in 0..<1000 { limiter.take(.max, now: .zero) }
    #expect(limiter.wait(now: .zero).map { $0 > .seconds(1_000_000) } == true)
    var fast = RateLimiter(rate: .max, now: .zero)
    fast.take(.max, now: .seconds(1_000_000_000))
    _ = fast.wait(now: .seconds(Int64.max))
  }
}
