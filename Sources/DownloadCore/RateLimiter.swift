/// A token bucket that may go into debt: whoever finds it in credit takes what it has in hand, the next one waits until the debt is paid.
/// So the long-run rate is exact, and a burst is never longer than `burst` seconds' worth.
package struct RateLimiter: Sendable {
  private static let burst = 0.1
  /// Seconds; only keeps the arithmetic within a `Duration`.
  private static let longestWait = 1e15

  /// Bytes per second.
  package let rate: Int64
  private var tokens: Double
  private var since: Duration

  package init(rate: Int64, now: Duration) {
    self.rate = max(1, rate)
    tokens = 0
    since = now
  }

  /// How long to wait before taking more; nil when there is no need to. Less than a byte of debt is none: it is what rounding leaves
  /// when a wait is over.
  package mutating func wait(now: Duration) -> Duration? {
    refill(now)
    return tokens <= -1 ? max(.nanoseconds(1), .seconds(min(-tokens / Double(rate), Self.longestWait))) : nil
  }

  /// Bytes that are free: they had passed the line before the limit held.
  package mutating func credit(_ bytes: Int) { tokens += Double(bytes) }

  package mutating func take(_ bytes: Int, now: Duration) {
    refill(now)
    tokens -= Double(bytes)
  }

  private mutating func refill(_ now: Duration) {
    guard now > since else { return }
    tokens = max(tokens, min(tokens + (now - since).seconds * Double(rate), Double(rate) * Self.burst))
    since = now
  }
}
