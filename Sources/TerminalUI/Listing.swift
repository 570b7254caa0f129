import DownloadCore

/// The rows of the table: the downloads of one snapshot that are shown, in the order in which they are shown. It is made anew when the
/// arrangement or the queue changes, else put in order at most once a second, so that rows sorted by figures that change do not dance.
struct Listing: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    /// In the snapshot's queue.
    let place: Int
    let id: DownloadID
  }

  private(set) var rows: [Row] = []
  /// The queue that the rows are of.
  private var queue: [DownloadID] = []
  /// All places, sorted; empty stands for the queue's own order.
  private var sorted: [Int] = []
  private var sortedAt: Duration?
  private var arrangement = Arrangement()

  private static let calm = Duration.seconds(1)

  /// How many downloads there are, shown or not.
  var total: Int { queue.count }

  func isOf(_ snapshot: Snapshot) -> Bool {
    queue.count == snapshot.downloads.count && queue.indices.allSatisfy { queue[$0] == snapshot.downloads[$0].id }
  }

  func index(of id: DownloadID) -> Int? { rows.firstIndex { $0.id == id } }

  mutating func update(_ snapshot: Snapshot, _ arrangement: Arrangement) {
    let isSame = isOf(snapshot)
    let wasPlain = sorted.isEmpty && rows.count == queue.count
    let needsSort =
      !isSame || arrangement.sort != self.arrangement.sort
      || arrangement.isReversed != self.arrangement.isReversed || isDue(snapshot.moment, arrangement.sort)
    self.arrangement = arrangement
    if !isSame { queue = snapshot.downloads.indices.map { snapshot.downloads[$0].id } }
    if needsSort { sort(snapshot) }
    guard !isSame || !wasPlain || !sorted.isEmpty || arrangement.isNarrowed else { return }
    select(snapshot)
  }

  private func isDue(_ moment: Duration, _ sort: Arrangement.Sort) -> Bool {
    guard sort != .queue, let sortedAt else { return false }
    return moment < sortedAt || moment - sortedAt >= Self.calm
  }

  private mutating func sort(_ snapshot: Snapshot) {
    sortedAt = snapshot.moment
    sorted = Ordering(snapshot, arrangement).places
  }

  private mutating func select(_ snapshot: Snapshot) {
    let selection = RowFilter(arrangement)
    rows.removeAll(keepingCapacity: true)
    for index in queue.indices {
      let place = sorted.isEmpty ? index : sorted[index]
      if selection.contains(snapshot.downloads[place]) { rows.append(Row(place: place, id: queue[place])) }
    }
  }
}
