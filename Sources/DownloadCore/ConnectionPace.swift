/// How many connections a download is better off with that nobody has said a number for: one, or all. Each new connection begins slowly and gets
/// into the way of those that are there, so what ends in a moment stays with the first. If more is left, a second one fetches a little of the
/// end, and only if both bring more than the first did, all come.
struct ConnectionPace: Sendable {
  enum Verdict: Equatable {
    case wait
    /// A second connection should fetch so many bytes.
    case tryAnother(Int64)
    case all
    /// The second one brings nothing.
    case oneIsEnough(rate: Double)
  }

  private static let windows: ClosedRange<Duration> = .milliseconds(100) ... .seconds(1)
  /// A connection that still gets faster by itself, as TCP's slow start makes it do, is not judged yet, for so many windows at most.
  private static let acceleration = 1.25
  private static let mostWindows = 12
  /// So many times what a request takes, and so many seconds, have to be left.
  private static let worthwhile = 20.0
  private static let leastSeconds = 1.0
  /// Bytes a second. Who gets so many over one connection waits for nobody at its other end, and several would get into each other's way.
  private static let plenty = 0x1p29
  /// So much faster than one connection two have to be, in one of so many windows.
  private static let gain = 1.25
  private static let trialWindows = 6
  /// The second one gets what the first brings in so many windows: not more, so that it never is the last to end.
  private static let trialLength = 2.5

  /// When it has to be looked at; nil until bytes flow.
  private(set) var due: Duration?
  private var since = Duration.zero
  private var bytes: Int64 = 0
  private var lastRate = 0.0
  private var windowCount = 0
  /// What one connection brought a second; nil unless a second one has to show what it is good for.
  private var rateOfOne: Double?
  private var hasCome = false
  /// What one connection brought a second when a second one brought nothing.
  private var enough: Double?

  /// `enough`: what one connection brought from the same host when a second one brought nothing.
  init(enough: Double? = nil) { self.enough = enough }

  var connections: Int { rateOfOne == nil ? 1 : 2 }

  /// The second one is there.
  mutating func anotherCame() { hasCome = true }

  mutating func add(_ count: Int64) { bytes &+= count }

  /// Bytes begin to flow, or a new window begins. `latency` is the time from a request to its answer.
  mutating func begin(latency: Duration, now: Duration) {
    (since, bytes) = (now, 0)
    due = now + Self.window(latency)
  }

  private static func window(_ latency: Duration) -> Duration {
    min(max(latency * 4, windows.lowerBound), windows.upperBound)
  }

  /// The window is over; `remaining` bytes are missing.
  mutating func judge(remaining: Int64, latency: Duration, now: Duration) -> Verdict {
    let rate = Double(bytes) / max((now - since).seconds, 0.001)
    begin(latency: latency, now: now)
    windowCount += 1
    if let rateOfOne { return judgeTwo(rate, against: rateOfOne) }
    let isAccelerating = rate > lastRate * Self.acceleration && windowCount < Self.mostWindows
    lastRate = rate
    // Where one was enough, it is until it brings less than half of that.
    guard !isAccelerating, rate < min(Self.plenty, enough.map { $0 / 2 } ?? .infinity),
      Double(remaining) > rate * max(latency.seconds * Self.worthwhile, Self.leastSeconds)
    else { return .wait }
    (rateOfOne, windowCount, hasCome) = (rate, 0, false)
    let length = rate * Self.window(latency).seconds * Self.trialLength
    return .tryAnother(min(remaining / 2, Int64(length.rounded(.up))))
  }

  private mutating func judgeTwo(_ rate: Double, against rateOfOne: Double) -> Verdict {
    if rate >= rateOfOne * Self.gain { return .all }
    guard windowCount >= Self.trialWindows else { return .wait }
    // Where none was to be had nothing is learnt, and they come as soon as they may.
    guard hasCome else { return .all }
    (self.rateOfOne, enough, windowCount) = (nil, rateOfOne, 0)
    return .oneIsEnough(rate: rateOfOne)
  }
}
