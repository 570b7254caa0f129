import DownloadCore

/// The row that the cursor stands on, kept by download so that sorting, adding and removing never change what it means.
struct ListCursor: Hashable, Sendable {
  private var id: DownloadID?
  /// Where that download was last; when it is gone, the cursor stands on what took its place.
  private var last = 0
  private var top = 0

  /// Nil only when there is no row.
  func index(in downloads: [Snapshot.Item]) -> Int? {
    guard !downloads.isEmpty else { return nil }
    let near = min(max(0, last), downloads.count - 1)
    guard let id, downloads[near].id != id else { return near }
    return downloads.firstIndex { $0.id == id } ?? near
  }

  /// The first row on a screen of `rows` rows that shows the cursor.
  func firstRow(in downloads: [Snapshot.Item], rows: Int) -> Int {
    guard rows > 0, let index = index(in: downloads) else { return 0 }
    let wanted = min(max(top, index - rows + 1), index)
    return max(0, min(wanted, downloads.count - rows))
  }

  /// Takes note of where things are now.
  mutating func settle(in downloads: [Snapshot.Item], rows: Int) {
    guard let index = index(in: downloads) else {
      self = ListCursor()
      return
    }
    top = firstRow(in: downloads, rows: rows)
    last = index
    id = downloads[index].id
  }

  mutating func move(_ move: Intent.Move, in downloads: [Snapshot.Item], rows: Int) {
    guard let index = index(in: downloads) else { return }
    let page = max(1, rows - 1)
    let wanted =
      switch move {
      case .up: index - 1
      case .down: index + 1
      case .pageUp: index - page
      case .pageDown: index + page
      case .first: 0
      case .last: downloads.count - 1
      }
    last = min(max(0, wanted), downloads.count - 1)
    id = downloads[last].id
    settle(in: downloads, rows: rows)
  }
}
