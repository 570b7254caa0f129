/// Durations and clock times as the screen writes them.
package enum TimeText {
  /// `00:08`, `1:02:07`, `12h 05m`, `4d 03h`, `312d`; at most seven cells.
  package static func duration(_ seconds: Int?) -> String {
    guard let seconds, seconds >= 0 else { return "--" }
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
    if days >= 100 { return days < 1_000_000 ? "\(days)d" : "--" }
    if hours >= 100 { return "\(days)d \(two(hours % 24))h" }
    if hours >= 10 { return "\(hours)h \(two(minutes % 60))m" }
    if hours > 0 { return "\(hours):\(two(minutes % 60)):\(two(seconds % 60))" }
    return "\(two(minutes)):\(two(seconds % 60))"
  }

  /// `14:06:03` of the seconds since 1970.
  package static func clock(_ time: Int64, seconds: Bool = true) -> String {
    let second = Int(positive(time, modulo: 86_400))
    let minutes = "\(two(second / 3600)):\(two(second / 60 % 60))"
    return seconds ? minutes + ":" + two(second % 60) : minutes
  }

  /// `14:06` today, `Thu 14:06` within a week, else nil.
  package static func finish(at end: Int64, now: Int64) -> String? {
    let (day, today) = (end / 86_400, now / 86_400)
    guard end >= now, now >= 0, day - today < 7 else { return nil }
    return (day == today ? "" : weekday(day) + " ") + clock(end, seconds: false)
  }

  /// 1 January 1970 was a Thursday.
  private static func weekday(_ day: Int64) -> String {
    switch positive(day, modulo: 7) {
    case 0: "Thu"
    case 1: "Fri"
    case 2: "Sat"
    case 3: "Sun"
    case 4: "Mon"
    case 5: "Tue"
    default: "Wed"
    }
  }

  private static func positive(_ value: Int64, modulo: Int64) -> Int64 { (value % modulo + modulo) % modulo }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
