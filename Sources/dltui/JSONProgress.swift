import DownloadCore
import FoundationEssentials

/// Writes the events of `get --json`. A reader that goes away ends the lines, not the downloads.
struct JSONProgress {
  private let output: Output
  /// What was last said of each download, and when on the session's clock.
  private var said: [DownloadID: (moment: Duration, completed: Int64)] = [:]
  /// Those whose server has answered: before that there is no progress to report.
  private var started: Set<DownloadID> = []

  /// At most four reports a second for each download.
  private static let pause: Duration = .milliseconds(250)

  init(_ output: Output) { self.output = output }

  mutating func report(_ notices: [Notice], _ snapshot: Snapshot) {
    for notice in notices {
      if case .started = notice.kind { started.insert(notice.id) }
      output.write(JSONLine.text(JSONEvent(notice, time: .now)))
    }
    for item in snapshot.downloads where isDue(item, snapshot.moment) {
      said[item.id] = (snapshot.moment, item.completed)
      output.write(JSONLine.text(JSONEvent(item, time: .now)))
    }
  }

  private func isDue(_ item: Snapshot.Item, _ moment: Duration) -> Bool {
    guard item.state == .active, started.contains(item.id) else { return false }
    guard let last = said[item.id] else { return true }
    return moment - last.moment >= Self.pause && item.completed != last.completed
  }
}
