import DownloadCore

/// What the header says about all downloads, counted in one pass.
struct Totals: Hashable, Sendable {
  var active = 0
  var queued = 0
  var retrying = 0
  var paused = 0
  var done = 0
  var failed = 0
  /// Bytes still to come of what will go on by itself.
  var remaining: Int64 = 0
  /// Whether something that will go on by itself has not told its size.
  var hasUnknownSize = false
  var largestNumber = 0

  init(_ downloads: [Snapshot.Item]) {
    for index in downloads.indices { count(downloads[index]) }
  }

  private mutating func count(_ item: borrowing Snapshot.Item) {
    largestNumber = max(largestNumber, item.id.number)
    switch item.state {
    case .queued: queued += 1
    case .active, .verifying: active += 1
    case .retrying: retrying += 1
    case .paused: paused += 1
    case .completed: done += 1
    case .failed: failed += 1
    }
    if item.goesOn { expect(item.total, item.completed) }
  }

  private mutating func expect(_ total: Int64?, _ completed: Int64) {
    guard let total else {
      hasUnknownSize = true
      return
    }
    remaining = remaining.saturatingPlus(max(0, total.saturatingMinus(completed)))
  }

  var isUnderWay: Bool { active + queued + retrying > 0 }

  /// Seconds until all whose size is known is done at this speed; nil when that cannot be told.
  func eta(speed: Int64) -> Int? {
    guard isUnderWay, remaining > 0 || !hasUnknownSize, speed > 0 else { return nil }
    return Int(exactly: remaining.saturatingPlus(speed - 1) / speed)
  }
}

extension Snapshot.Item {
  /// Whether bytes are still to come without anyone pressing a key.
  fileprivate var goesOn: Bool {
    switch state {
    case .queued, .active, .retrying: true
    case .verifying, .paused, .completed, .failed: false
    }
  }
}
