/// What hosts have taught about how many connections they bear. A host that answers 429 or 503 gets as many as survived it, no new ones
/// while it has asked for patience, and one more after every few segments that went well; after more of them each time that one more was too much.
struct HostLimits: Sendable {
  private static let successesForOneMore = 4...64

  private struct Lesson: Sendable {
    var limit: Int
    var successes = 0
    /// How many of them one more connection costs.
    var price = successesForOneMore.lowerBound
    /// Whether the limit is one that the host has not refused yet.
    var isTrial = false
    var quietUntil: Duration?
  }

  private var lessons: [String: Lesson] = [:]

  /// Connections that the host may have now, at most `most`.
  func limit(_ host: String, most: Int) -> Int {
    guard let lesson = lessons[host] else { return most }
    return lesson.quietUntil == nil ? min(most, lesson.limit) : 0
  }

  mutating func overloaded(_ host: String, survivors: Int, retryAfter: Duration?, now: Duration) {
    let old = lessons[host]
    var lesson = Lesson(limit: max(1, survivors))
    if let old { lesson.price = old.isTrial ? min(old.price * 2, Self.successesForOneMore.upperBound) : old.price }
    lesson.quietUntil = [retryAfter.map { now + $0 }, old?.quietUntil].compactMap(\.self).max()
    lessons[host] = lesson
  }

  mutating func succeeded(_ host: String, most: Int) {
    guard var lesson = lessons[host] else { return }
    lesson.successes += 1
    if lesson.successes >= lesson.price {
      lesson.successes = 0
      lesson.limit += 1
      lesson.isTrial = true
    }
    lessons[host] = lesson.limit >= most ? nil : lesson
  }

  /// When hosts that are left alone now may be asked again.
  var ends: [Duration] { lessons.values.compactMap(\.quietUntil) }

  mutating func passTime(_ now: Duration) {
    for (host, lesson) in lessons where lesson.quietUntil.map({ $0 <= now }) == true { lessons[host]?.quietUntil = nil }
  }
}
