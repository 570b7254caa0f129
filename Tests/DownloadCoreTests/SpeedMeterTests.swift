import Testing

@testable import DownloadCore

/// What a person sees as speed.
struct SpeedMeterTests {
  /// Adds `bytes` every `step` from `start` on, and says what is shown after each.
  private func feed(
    _ meter: inout SpeedMeter, _ bytes: Int64, every step: Duration, from start: Duration, for span: Duration
  ) -> [Int64] {
    var (now, shown) = (start, [Int64]())
    while now < start + span {
      now += step
      meter.add(bytes, now: now)
      shown.append(meter.rate(now: now))
    }
    return shown
  }

  @Test func nothingIsZero() {
    let meter = SpeedMeter(now: .seconds(5))
    for moment in [0, 5, 6, 1_000_000] { #expect(meter.rate(now: .seconds(moment)) == 0) }
  }

  @Test(arguments: [10, 50, 249, 250, 251, 900]) func itIsAPlainAverageAtFirst(_ step: Int64) {
    var random = Seeded(UInt64(step))
    var meter = SpeedMeter(now: .zero)
    var (now, sum) = (Duration.zero, Int64(0))
    while now < .seconds(4) {
      now += .milliseconds(step)
      let bytes = Int64.random(in: 0...1_000_000, using: &random)
      sum += bytes
      meter.add(bytes, now: now)
      let average = Double(sum) / now.seconds
      #expect(abs(Double(meter.rate(now: now)) - average) <= 1 + average * 1e-6, "seed \(step), at \(now)")
    }
  }

  @Test(arguments: [1, 10, 100, 1000]) func aSteadyFlowIsShownAsItIs(_ step: Int64) {
    var meter = SpeedMeter(now: .seconds(3))
    let shown = feed(&meter, 1000 * step, every: .milliseconds(step), from: .seconds(3), for: .seconds(30))
    for speed in shown { #expect(abs(Double(speed) - 1_000_000) < 2000) }
  }

  @Test func aChangeIsSmoothedAndFollowed() {
    var meter = SpeedMeter(now: .zero)
    _ = feed(&meter, 100_000, every: .milliseconds(100), from: .zero, for: .seconds(20))
    let shown = feed(&meter, 1_000_000, every: .milliseconds(100), from: .seconds(20), for: .seconds(30))
    #expect(shown.first.map { $0 < 1_500_000 } == true, "one burst is no speed")
    #expect(zip(shown, shown.dropFirst()).allSatisfy { $1 >= $0 - 1000 && $1 - $0 < 1_000_000 })
    #expect(shown.last.map { $0 > 9_700_000 && $0 <= 10_001_000 } == true)
  }

  @Test func itFallsToNothingWhenNothingComes() {
    var meter = SpeedMeter(now: .zero)
    _ = feed(&meter, 100_000, every: .milliseconds(100), from: .zero, for: .seconds(20))
    let shown = (0...40).map { meter.rate(now: .seconds(20) + .milliseconds(250 * $0)) }
    #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(shown.allSatisfy { $0 >= 0 } && shown[20] < 100_000 && shown[40] < 50_000)
    #expect(meter.rate(now: .seconds(1_000_000)) == 0)
  }

  @Test func askingDoesNotChangeIt() {
    var (asked, left) = (SpeedMeter(now: .zero), SpeedMeter(now: .zero))
    for moment in 1...100 {
      let now = Duration.milliseconds(77 * moment)
      asked.add(5000, now: now)
      left.add(5000, now: now)
      for _ in 0..<5 { _ = asked.rate(now: now + .milliseconds(3)) }
      #expect(asked.rate(now: now) == left.rate(now: now))
    }
  }

  @Test(arguments: UInt64(0)..<30) func anyFlowIsBetweenNothingAndItsPeak(seed: UInt64) {
    var random = Seeded(seed)
    let start = Duration.nanoseconds(Int64.random(in: 0...Int64.max >> 20, using: &random))
    var (meter, now) = (SpeedMeter(now: start), start)
    for step in 0..<300 {
      let span = Int64.random(in: 0...3_000_000_000 >> Int64.random(in: 0...20, using: &random), using: &random)
      now += .nanoseconds(span)
      meter.add(Int64.random(in: 0...1_000_000, using: &random), now: now)
      let speed = meter.rate(now: now)
      #expect(speed >= 0, "seed \(seed), step \(step)")
      #expect(speed <= 1_000_000_000_000, "seed \(seed), step \(step): \(speed)")
    }
  }

  @Test func equalAndEarlierMomentsAreHarmless() {
    var meter = SpeedMeter(now: .seconds(10))
    for _ in 0..<100 { meter.add(1000, now: .seconds(10)) }
    #expect(meter.rate(now: .seconds(10)) >= 0)
    meter.add(1000, now: .seconds(3))
    #expect(meter.rate(now: .seconds(3)) >= 0)
    #expect(abs(meter.rate(now: .seconds(11)) - 101_000) <= 1)
  }

  @Test func hugeCountsDoNotTrap() {
    var meter = SpeedMeter(now: .zero)
    for moment in [0, 0, 1, 1, 1000, 1001] {
      meter.add(.max, now: .milliseconds(moment))
      #expect(meter.rate(now: .milliseconds(moment)) >= 0)
    }
    #expect(meter.rate(now: .milliseconds(1002)) > 0)
    meter.add(-5, now: .seconds(Int64.max))
    #expect(meter.rate(now: .seconds(Int64.max)) >= 0)
  }
}
