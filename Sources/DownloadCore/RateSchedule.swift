/// A speed limit that depends on the time of day: `2M; 08:00-18:00 500K`.
package struct RateSchedule: Hashable, Sendable {
  /// Bytes per second outside all windows; nil is no limit.
  package var base: Int64?
  /// Where several hold, the last one counts.
  package var windows: [Window]

  /// A time of each day, from `start` until just before `end`; over midnight when `end` is the earlier one.
  package struct Window: Hashable, Sendable {
    /// Minutes since midnight.
    package var start: Int
    package var end: Int
    /// Bytes per second; nil is no limit.
    package var rate: Int64?

    fileprivate func contains(_ minute: Int) -> Bool {
      start < end ? start <= minute && minute < end : minute >= start || minute < end
    }
  }

  private static let day = 24 * 3600

  /// Nil when it is not `RATE` or `RATE; HH:MM-HH:MM RATE; …`. A rate of 0 is no limit.
  package init?(parsing text: String) {
    let pieces = text.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = pieces.first, let base = ByteCount.parse(String(first.filter { $0 != " " })) else { return nil }
    self.base = base == 0 ? nil : base
    windows = []
    for piece in pieces.dropFirst() {
      guard let window = Window(parsing: piece) else { return nil }
      windows.append(window)
    }
  }

  /// Bytes per second at so many seconds after midnight; nil is no limit.
  package func rate(at second: Int) -> Int64? {
    guard let window = windows.last(where: { $0.contains(second / 60) }) else { return base }
    return window.rate
  }

  /// How many seconds later a window begins or ends, from 1 to a day; nil when none ever does.
  package func secondsToChange(after second: Int) -> Int? {
    windows.flatMap { [$0.start, $0.end] }.map { edge in
      let wait = (edge * 60 - second) % Self.day
      return wait > 0 ? wait : wait + Self.day
    }.min()
  }
}

extension RateSchedule.Window {
  /// `08:00-18:00 500K`.
  fileprivate init?(parsing text: Substring) {
    let words = text.split(separator: " ")
    guard words.count == 2, let rate = ByteCount.parse(String(words[1])) else { return nil }
    let times = words[0].split(separator: "-", omittingEmptySubsequences: false).compactMap(Self.minute)
    guard times.count == 2, times[0] != times[1] else { return nil }
    (start, end, self.rate) = (times[0] % (24 * 60), times[1] % (24 * 60), rate == 0 ? nil : rate)
    guard start != end else { return nil }
  }

  /// `08:00`, or `24:00` for the day's end.
  private static func minute(_ text: Substring) -> Int? {
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2,
      halves.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(halves[0]), let minute = Int(halves[1]), (0...24).contains(hour), (0...59).contains(minute),
      hour * 60 + minute <= 24 * 60
    else { return nil }
    return hour * 60 + minute
  }
}

/// Remembers what a schedule asked for last, so that what a person sets by hand stays until the schedule asks for something else.
package struct RateClock: Sendable {
  private var rate: Int64??

  package init() {}

  /// Whether this rate begins to hold now.
  package mutating func isNews(_ rate: Int64?) -> Bool {
    defer { self.rate = .some(rate) }
    return self.rate != .some(rate)
  }
}
