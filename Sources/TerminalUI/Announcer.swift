import DownloadCore

/// Watches how a batch of downloads goes on: everything from the moment when something is under way until nothing is. What had ended
/// before that is no part of it.
package struct Announcer: Sendable {
  private var isUnderWay = false
  /// What has ended before the batch.
  private var before: Set<DownloadID> = []
  /// When something was announced last.
  private var last: Duration?

  private static let calm = Duration.seconds(1)

  package init() {}

  /// What is to be told now; nil when that has not changed, or has changed less than a second ago.
  package mutating func observe(_ snapshot: Snapshot) -> Announcement? {
    let wasUnderWay = isUnderWay
    isUnderWay = snapshot.downloads.indices.contains { snapshot.downloads[$0].isPending }
    if isUnderWay {
      if !wasUnderWay { begin(snapshot) }
      if let last, wasUnderWay, snapshot.moment - last < Self.calm, snapshot.moment >= last { return nil }
      last = snapshot.moment
      return announcement(snapshot)
    }
    defer { begin(snapshot) }
    return wasUnderWay ? Announcement(progress: .none, news: news(snapshot)) : nil
  }

  private mutating func begin(_ snapshot: Snapshot) {
    before = []
    for index in snapshot.downloads.indices where snapshot.downloads[index].hasEnded {
      before.insert(snapshot.downloads[index].id)
    }
  }

  /// `61% 01:54 dltui`.
  private func announcement(_ snapshot: Snapshot) -> Announcement {
    guard let percent = percent(snapshot) else { return Announcement(title: "dltui", progress: .unknown) }
    let totals = Totals(snapshot.downloads)
    let time = totals.hasUnknownSize ? nil : totals.eta(speed: snapshot.speed).map { " " + TimeText.duration($0) }
    return Announcement(title: "\(percent)%\(time ?? "") dltui", progress: .percent(percent))
  }

  /// Of all bytes of the batch, as far as they are known.
  private func percent(_ snapshot: Snapshot) -> Int? {
    var (there, all) = (0.0, 0.0)
    for index in snapshot.downloads.indices {
      guard let total = snapshot.downloads[index].total, total > 0 else { continue }
      let item = snapshot.downloads[index]
      guard item.isPending || (item.isCompleted && !before.contains(item.id)) else { continue }
      all += Double(total)
      there += Double(min(total, max(0, item.completed)))
    }
    return all > 0 ? min(99, Int(there / all * 100)) : nil
  }

  /// Nil when a person has stopped it, or nothing has ended.
  private func news(_ snapshot: Snapshot) -> String? {
    let batch = snapshot.downloads.filter { !before.contains($0.id) }
    guard !batch.contains(where: { $0.state == .paused(because: nil) }) else { return nil }
    let stopped = batch.filter { $0.stopReason != nil }
    let done = batch.count { $0.isCompleted }
    if done + stopped.count == 1, let only = batch.first(where: { $0.isCompleted || $0.stopReason != nil }) {
      return "\(VisibleText.of(only.name)): " + (only.stopReason.map { VisibleText.of($0.message) } ?? "done")
    }
    let counts = [done > 0 ? "\(done) done" : nil, stopped.isEmpty ? nil : "\(stopped.count) failed"].compactMap(\.self)
    return counts.isEmpty ? nil : "downloads: " + counts.joined(separator: ", ")
  }
}

extension Snapshot.Item {
  /// Whether it will go on by itself, or is at its last step.
  fileprivate var isPending: Bool {
    switch state {
    case .queued, .active, .retrying, .verifying: true
    case .paused, .completed, .failed: false
    }
  }

  fileprivate var hasEnded: Bool {
    switch state {
    case .completed, .failed, .paused: true
    case .queued, .active, .retrying, .verifying: false
    }
  }

  /// Why it goes no further, when nobody wanted that.
  fileprivate var stopReason: DownloadError? {
    switch state {
    case .failed(let error), .paused(because: let error?): error
    case .queued, .active, .retrying, .verifying, .paused(because: nil), .completed: nil
    }
  }
}
