import DownloadCore
import Glibc
import TerminalUI

/// `dltui list`: what the session knows or what lies unfinished in folders.
enum ListCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let stateFolder = invocation.operands.isEmpty ? try Place.stateFolder(invocation.stateFolder) : ""
    do throws(DownloadError) {
      let items = try items(invocation.operands, stateFolder)
      return Program.show(items.map { invocation.output.json ? json($0) : row($0) }.joined())
    } catch {
      return Program.fail(error)
    }
  }

  private static func items(_ folders: [String], _ stateFolder: String) throws(DownloadError) -> [Snapshot.Item] {
    if folders.isEmpty { return try ListSource.session(in: stateFolder) }
    var items: [Snapshot.Item] = []
    for folder in folders { items += try ListSource.unfinished(in: Place.absolute(folder)) }
    return items
  }

  /// `   6  paused      25%    16 GiB  old-backup.img`.
  static func row(_ item: Snapshot.Item) -> String {
    let number = right(item.id.number > 0 ? "\(item.id.number)" : "-", 4)
    let percent = item.percent.map { "\($0)%" } ?? "-"
    let size = item.total.map(ByteCount.text) ?? "?"
    let head = "\(number)  \(left(item.state.word, 9))  \(right(percent, 4))  \(right(size, 8))  "
    return head + VisibleText.of(item.name) + (item.state.error.map { "  (\(VisibleText.of($0.message)))" } ?? "")
      + "\n"
  }

  private static func json(_ item: Snapshot.Item) -> String { JSONLine.text(ListedDownload(item)) }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension DownloadState {
  /// The state's name, as `list` prints it.
  var word: String {
    switch self {
    case .queued: "queued"
    case .active: "active"
    case .retrying: "retrying"
    case .verifying: "verifying"
    case .paused: "paused"
    case .completed: "completed"
    case .failed: "failed"
    }
  }

  /// What went wrong, if it did.
  var error: DownloadError? {
    switch self {
    case .failed(let error), .paused(because: let error?): error
    case .retrying(let retry): retry.error
    case .queued, .active, .verifying, .paused(because: nil), .completed: nil
    }
  }
}

extension Snapshot.Item {
  /// Whole, rounded down; nil while the size is unknown.
  var percent: Int? {
    switch (state, total) {
    case (.completed, _): 100
    case (_, .some(let total)) where total > 0: Int(min(1, max(0, Double(completed) / Double(total))) * 100)
    case (_, _): nil
    }
  }
}
