import DownloadCore

/// How far the details are scrolled. Those of another download begin at their top.
struct DetailScroll: Hashable, Sendable {
  private var id: DownloadID?
  private var lines = 0

  func top(of id: DownloadID) -> Int { id == self.id ? lines : 0 }

  mutating func scroll(_ id: DownloadID, by distance: Int, most: Int) {
    lines = min(max(0, min(top(of: id), most) + distance), most)
    self.id = id
  }
}

extension Screen {
  /// A screenful less one line at a time would lose the place in a pane of few rows: half of it.
  mutating func scrollDetails(by pages: Int, _ snapshot: Snapshot, _ size: Size) {
    scrollDetails(lines: pages * max(1, layout(size).details.rows / 2), snapshot, size)
  }

  mutating func scrollDetails(lines: Int, _ snapshot: Snapshot, _ size: Size) {
    let layout = layout(size)
    guard !layout.details.isEmpty, let id = selected(in: snapshot),
      let item = snapshot.downloads.first(where: { $0.id == id })
    else { return }
    let pane = DetailPane(item: item, snapshot: snapshot, appearance: appearance)
    details.scroll(id, by: lines, most: pane.surplus(in: layout.details, layout.placement))
  }
}
