import DownloadCore
import Testing

/// Limits by the time of day, in virtual time.
@Suite struct RateScheduleTests {
  /// Every change in a day from midnight on: when in minutes, and the rate from then on.
  private func day(_ text: String) throws -> [String] {
    let schedule = try #require(RateSchedule(parsing: text))
    var clock = RateClock()
    var (second, lines): (Int, [String]) = (0, [])
    while second < 24 * 3600 {
      let rate = schedule.rate(at: second)
      if clock.isNews(rate) {
        let (hour, minute) = (second / 3600, second / 60 % 60)
        lines.append("\(hour):\(minute < 10 ? "0" : "")\(minute) \(rate.map(ByteCount.text) ?? "none")")
      }
      second += schedule.secondsToChange(after: second) ?? 24 * 3600
    }
    return lines
  }

  @Test(arguments: [
    ("2M", ["0:00 2.0 MiB"]), ("0", ["0:00 none"]),
    ("2M; 08:00-18:00 500K", ["0:00 2.0 MiB", "8:00 500 KiB", "18:00 2.0 MiB"]),
    ("0;8:00-18:00 500K", ["0:00 none", "8:00 500 KiB", "18:00 none"]),
    ("500K; 22:30-06:15 0", ["0:00 none", "6:15 500 KiB", "22:30 none"]),
    ("1M; 18:00-24:00 2M", ["0:00 1.0 MiB", "18:00 2.0 MiB"]),
    ("1M; 00:00-06:00 2M", ["0:00 2.0 MiB", "6:00 1.0 MiB"]),
    (
      "1M; 08:00-18:00 2M; 12:00-13:00 0",
      ["0:00 1.0 MiB", "8:00 2.0 MiB", "12:00 none", "13:00 2.0 MiB", "18:00 1.0 MiB"]
    ),
    ("1M; 08:00-12:00 2M; 12:00-18:00 2M", ["0:00 1.0 MiB", "8:00 2.0 MiB", "18:00 1.0 MiB"]),
  ])
  func aDayGoesByTheSchedule(_ text: String, _ lines: [String]) throws { #expect(try day(text) == lines) }

  @Test(arguments: [
    "", ";", "fast", "-1", "1M;", "1M; 08:00-18:00", "1M; 8-18 1K", "1M; 08:00-25:00 1K", "1M; 08:60-09:00 1K",
    "1M; 24:01-02:00 1K", "1M; 08:00-08:00 1K", "1M; 00:00-24:00 1K", "1M; 08:00-18:00 1K 2K",
    "1M; 08:00-18:00-20:00 1K",
    "1M; +8:00-18:00 1K", "1M; 08:00–18:00 1K", "1M 08:00-18:00 1K", "1M; 08:00-18:00 fast",
  ]) func whatIsNoScheduleIsRefused(_ text: String) { #expect(RateSchedule(parsing: text) == nil) }

  @Test func theNextChangeIsAlwaysAheadAndWithinADay() throws {
    let schedule = try #require(RateSchedule(parsing: "1M; 08:00-18:00 2M; 22:30-06:15 0"))
    for second in 0..<24 * 3600 {
      let wait = try #require(schedule.secondsToChange(after: second))
      #expect((1...24 * 3600).contains(wait))
      let before = (second + wait - 1) % (24 * 3600)
      #expect(schedule.rate(at: second) == schedule.rate(at: before), "nothing changes before: \(second)")
    }
    #expect(RateSchedule(parsing: "1M")?.secondsToChange(after: 5) == nil)
  }

  @Test func whatAPersonSetsStaysUntilTheScheduleAsksForSomethingElse() throws {
    var clock = RateClock()
    let asked: [Int64?] = [1, 1, nil, nil, 1]
    #expect(asked.map { clock.isNews($0) } == [true, false, true, false, true])
  }
}
