/// When to try again: attempts without progress, exponential waits with jitter, the server's Retry-After obeyed.
package struct RetryPolicy: Hashable, Sendable {
  /// Attempts without progress before giving up; 0 is for ever.
  package var attempts = 8
  package var firstWait: Duration = .seconds(1)
  package var longestWait: Duration = .seconds(60)

  package init() {}

  /// How long to wait before attempt number `attempt` (from 1), or nil when the budget is spent. `jitter` is in 0..<1 and
  /// takes up to a quarter off the wait. A Retry-After longer than the longest wait is still obeyed.
  package func wait(before attempt: Int, jitter: Double, retryAfter: Duration?) -> Duration? {
    guard attempts == 0 || attempt <= attempts else { return nil }
    let doublings = min(max(0, attempt - 1), 30)
    let full = min(firstWait * (1 << doublings), longestWait)
    let wait = full - full * (0.25 * jitter)
    return max(wait, retryAfter ?? .zero)
  }
}
