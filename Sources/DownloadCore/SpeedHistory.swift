/// How many bytes came in each of the last sixty seconds.
struct SpeedHistory: Sendable {
  static let length = 60

  /// Whole seconds, oldest first.
  private var seconds: [Int64] = []
  private var current: Int64 = 0
  /// The beginning of the current second.
  private var since: Duration

  init(now: Duration) { since = now }

  mutating func add(_ bytes: Int64, now: Duration) {
    turn(now)
    let (sum, overflow) = current.addingReportingOverflow(max(0, bytes))
    current = overflow ? .max : sum
  }

  /// Bytes per second, oldest first; at most sixty.
  func samples(now: Duration) -> [Int64] {
    var history = self
    history.turn(now)
    return history.seconds
  }

  private mutating func turn(_ now: Duration) {
    let passed = (now - since).components.seconds
    guard passed > 0 else { return }
    since += .seconds(passed)
    seconds.append(current)
    seconds += Array(repeating: 0, count: Int(min(passed - 1, Int64(Self.length))))
    seconds.removeFirst(max(0, seconds.count - Self.length))
    current = 0
  }
}
