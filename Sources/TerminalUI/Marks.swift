import DownloadCore

/// The downloads that commands act on instead of the one under the cursor.
struct Marks: Hashable, Sendable {
  private(set) var ids: Set<DownloadID> = []
  /// Where a range begins.
  private var anchor: DownloadID?

  var isEmpty: Bool { ids.isEmpty }

  func contains(_ id: DownloadID) -> Bool { ids.contains(id) }

  mutating func toggle(_ id: DownloadID) {
    if ids.remove(id) == nil { ids.insert(id) }
    anchor = id
  }

  /// Marks from the row that was marked last to this one.
  mutating func extend(to id: DownloadID, in listing: Listing) {
    guard let end = listing.index(of: id) else { return }
    let start = anchor.flatMap(listing.index) ?? end
    for row in listing.rows[min(start, end)...max(start, end)] { ids.insert(row.id) }
    anchor = id
  }

  /// Marks what is shown and was not, and the other way round.
  mutating func invert(in listing: Listing) {
    for row in listing.rows where ids.remove(row.id) == nil { ids.insert(row.id) }
    anchor = nil
  }

  mutating func clear() { self = Marks() }

  /// Forgets those that have left the list.
  mutating func prune(_ snapshot: Snapshot) {
    guard !ids.isEmpty else { return }
    ids.formIntersection(snapshot.downloads.indices.map { snapshot.downloads[$0].id })
    if let mark = anchor, !ids.contains(mark) { anchor = nil }
  }
}
