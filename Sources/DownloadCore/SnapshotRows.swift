/// The rows of the last snapshot. The next one describes only those again that have changed or are at work: a long queue costs nothing while it
/// waits.
struct SnapshotRows: Sendable {
  private(set) var items: [Snapshot.Item] = []
  private var order: [DownloadID] = []
  private var places: [DownloadID: Int] = [:]

  mutating func update(_ order: [DownloadID], _ downloads: inout DownloadMap, working: [Working], now: Duration) {
    let changed = downloads.takeChanged()
    guard order == self.order else { return describeAll(order, downloads, now) }
    for id in changed.union(working.map(\.id)) {
      if let place = places[id], let item = downloads.read(id, { $0.item(now: now) }) { items[place] = item }
    }
  }

  private mutating func describeAll(_ order: [DownloadID], _ downloads: DownloadMap, _ now: Duration) {
    self.order = order
    items = order.compactMap { id in downloads.read(id) { $0.item(now: now) } }
    places = Dictionary(items.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
