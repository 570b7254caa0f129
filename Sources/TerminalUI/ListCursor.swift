import DownloadCore

/// The row that the cursor stands on, kept by download so that sorting, adding and removing never change what it means.
struct ListCursor: Hashable, Sendable {
  private var id: DownloadID?
  /// Where that download was last; when it is gone, the cursor stands on what took its place.
  private var last = 0
  private var top = 0

  /// Nil only when there is no row.
  func index(in listing: Listing) -> Int? {
    let rows = listing.rows
    guard !rows.isEmpty else { return nil }
    let near = min(max(0, last), rows.count - 1)
    guard let id, rows[near].id != id else { return near }
    return listing.index(of: id) ?? near
  }

  /// The first row on a screen of `rows` rows that shows the cursor.
  func firstRow(in listing: Listing, rows: Int) -> Int {
    guard rows > 0, let index = index(in: listing) else { return 0 }
    let wanted = min(max(top, index - rows + 1), index)
    return max(0, min(wanted, listing.rows.count - rows))
  }

  /// Takes note of where things are now. While nothing is shown, it remembers its download.
  mutating func settle(in listing: Listing, rows: Int) {
    guard let index = index(in: listing) else { return }
    top = firstRow(in: listing, rows: rows)
    last = index
    id = listing.rows[index].id
  }

  mutating func move(_ move: Intent.Move, in listing: Listing, rows: Int) {
    guard let index = index(in: listing) else { return }
    let page = max(1, rows - 1)
    let wanted =
      switch move {
      case .up: index - 1
      case .down: index + 1
      case .pageUp: index - page
      case .pageDown: index + page
      case .first: 0
      case .last: listing.rows.count - 1
      }
    go(to: wanted, in: listing, rows: rows)
  }

  /// To the row of that number, or the last one.
  mutating func go(to wanted: Int, in listing: Listing, rows: Int) {
    guard !listing.rows.isEmpty else { return }
    last = min(max(0, wanted), listing.rows.count - 1)
    id = listing.rows[last].id
    settle(in: listing, rows: rows)
  }

  /// Moves the rows under the window; the cursor comes along where it would leave it.
  mutating func scroll(by distance: Int, in listing: Listing, rows: Int) {
    guard rows > 0, let index = index(in: listing) else { return }
    let first = firstRow(in: listing, rows: rows)
    let wanted = max(0, min(first.saturatingPlus(distance), listing.rows.count - rows))
    top = wanted
    go(to: min(max(index, wanted), wanted + rows - 1), in: listing, rows: rows)
  }
}
