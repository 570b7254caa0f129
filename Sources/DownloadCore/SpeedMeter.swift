/// A smoothed rate: a plain average at first, an exponentially weighted one over about ten seconds later.
package struct SpeedMeter: Sendable {
  private static let memory = 5.0
  private static let step = 0.25

  private var rate = 0.0
  private var pending: Int64 = 0
  private var since: Duration
  private let start: Duration

  package init(now: Duration) {
    since = now
    start = now
  }

  package mutating func add(_ bytes: Int64, now: Duration) {
    let (sum, overflow) = pending.addingReportingOverflow(max(0, bytes))
    pending = overflow ? .max : sum
    if (now - since).seconds >= Self.step { settle(now) }
  }

  /// Bytes per second. Falls towards zero while nothing arrives.
  package func rate(now: Duration) -> Int64 {
    var meter = self
    if now > since { meter.settle(now) }
    return meter.rate < 0x1p62 ? Int64(meter.rate) : .max
  }

  private mutating func settle(_ now: Duration) {
    let elapsed = max((now - since).seconds, 0.001)
    let weight = elapsed / max(min(Self.memory, (now - start).seconds), elapsed)
    rate += (Double(pending) / elapsed - rate) * min(1, weight)
    pending = 0
    since = now
  }
}

extension Duration {
  /// As a floating-point number, for rates and displays.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
