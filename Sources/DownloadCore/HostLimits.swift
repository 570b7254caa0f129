/// What hosts have taught about how many connections they bear. A host that answers 429 or 503 gets as many as survived it, no new ones
/// while it has asked for patience, and one more after every few segments that went well.
struct HostLimits: Sendable {
  private static let successesForOneMore = 4

  private struct Lesson: Sendable {
    var limit: Int
    var successes = 0
    var quietUntil: Duration?
  }

  private var lessons: [String: Lesson] = [:]

  /// Connections that the host may have now, at most `most`.
  func limit(_ host: String, most: Int) -> Int {
    guard let lesson = lessons[host] else { return most }
    return lesson.quietUntil == nil ? min(most, lesson.limit) : 0
  }

  mutating func overloaded(_ host: String, survivors: Int, retryAfter: Duration?, now: Duration) {
    let ends = [retryAfter.map { now + $0 }, lessons[host]?.quietUntil].compactMap(\.self)
    lessons[host] = Lesson(limit: max(1, survivors), quietUntil: ends.max())
  }

  mutating func succeeded(_ host: String, most: Int) {
    guard var lesson = lessons[host] else { return }
    lesson.successes += 1
    if lesson.successes >= Self.successesForOneMore {
      lesson.successes = 0
      lesson.limit += 1
    }
    lessons[host] = lesson.limit >= most ? nil : lesson
  }

  /// When hosts that are left alone now may be asked again.
  var ends: [Duration] { lessons.values.compactMap(\.quietUntil) }

  mutating func passTime(_ now: Duration) {
    for (host, lesson) in lessons where lesson.quietUntil.map({ $0 <= now }) == true { lessons[host]?.quietUntil = nil }
  }
}
