import DownloadCore

/// The rate limits in force: one over everything, one for each download that has one, and who waits for which moment.
struct Throttle {
  private var global: RateLimiter?
  private var each: [DownloadID: RateLimiter] = [:]
  private var waiting: [TransferID: Duration] = [:]

  var isOn: Bool { global != nil || !each.isEmpty }

  mutating func limit(_ rate: Int64?, now: Duration) {
    guard rate != global?.rate else { return }
    global = rate.map { RateLimiter(rate: $0, now: now) }
    for id in waiting.keys { waiting[id] = now }
  }

  mutating func join(_ download: DownloadID, limit: Int64?) {
    guard each[download]?.rate != limit else { return }
    each[download] = limit.map { RateLimiter(rate: $0, now: SystemClock.now) }
  }

  /// Takes the bytes, or notes when the transfer may ask again.
  mutating func take(_ count: Int, _ download: DownloadID, _ transfer: TransferID) -> Bool {
    let now = SystemClock.now
    let waits = [global?.wait(now: now), each[download]?.wait(now: now)].compactMap(\.self)
    if let longest = waits.max() {
      waiting[transfer] = now + longest
      return false
    }
    global?.take(count, now: now)
    each[download]?.take(count, now: now)
    return true
  }

  /// Those whose moment has come, in the order in which they began to wait.
  mutating func due(_ now: Duration) -> [TransferID] {
    guard !waiting.isEmpty else { return [] }
    let ready = waiting.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
    for id in ready { waiting[id] = nil }
    return ready
  }

  func nextWake(_ now: Duration) -> Duration? { waiting.values.min().map { max(.zero, $0 - now) } }
}
