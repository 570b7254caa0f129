/// Whether a download that nobody has said a number of connections for is better off with one. Each new connection begins slowly and gets into
/// the way of those that are there, so what ends in a moment stays with the first; as soon as more is left, all come.
struct ConnectionPace: Sendable {
  private static let windows: ClosedRange<Duration> = .milliseconds(100) ... .seconds(1)
  /// A connection that still gets faster by itself, as TCP's slow start makes it do, is not judged yet, for so many windows at most.
  private static let acceleration = 1.25
  private static let mostWindows = 12
  /// So many times what a request takes, and so many seconds, have to be left.
  private static let worthwhile = 20.0
  private static let leastSeconds = 1.0
  /// Bytes a second. Who gets so many over one connection waits for nobody at its other end, and several would get into each other's way.
  private static let plenty = 0x1p29

  /// When it has to be looked at; nil until bytes flow.
  private(set) var due: Duration?
  private var since = Duration.zero
  private var bytes: Int64 = 0
  private var lastRate = 0.0
  private var windowCount = 0

  mutating func add(_ count: Int64) { bytes &+= count }

  /// Bytes begin to flow, or a new window begins. `latency` is the time from a request to its answer.
  mutating func begin(latency: Duration, now: Duration) {
    (since, bytes) = (now, 0)
    due = now + min(max(latency * 4, Self.windows.lowerBound), Self.windows.upperBound)
  }

  /// The window is over; `remaining` bytes are missing.
  /// - Returns: whether all connections should come.
  mutating func isWorthMore(remaining: Int64, latency: Duration, now: Duration) -> Bool {
    let rate = Double(bytes) / max((now - since).seconds, 0.001)
    begin(latency: latency, now: now)
    windowCount += 1
    let isAccelerating = rate > lastRate * Self.acceleration && windowCount < Self.mostWindows
    lastRate = rate
    guard !isAccelerating, rate < Self.plenty else { return false }
    return Double(remaining) > rate * max(latency.seconds * Self.worthwhile, Self.leastSeconds)
  }
}
