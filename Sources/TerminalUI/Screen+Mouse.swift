import DownloadCore

/// What the mouse does: words are buttons, heads sort, rows are chosen.
extension Screen {
  private static let wheelStep = 3

  mutating func take(_ mouse: Mouse, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    guard size.columns >= Layout.smallest.columns, size.rows >= Layout.smallest.rows else { return [] }
    let layout = layout(size)  // before the message goes
    let button = button(at: mouse, snapshot, layout)
    message = nil
    switch mouse.action {
    case .wheelUp: scroll(by: -Self.wheelStep, mouse, snapshot, size)
    case .wheelDown: scroll(by: Self.wheelStep, mouse, snapshot, size)
    case .click, .doubleClick:
      if let button { return handle(button, in: snapshot, size: size) }
      click(mouse, snapshot, layout, size)
    }
    return []
  }

  /// The key that a word at the bottom stands for.
  private func button(at mouse: Mouse, _ snapshot: Snapshot, _ layout: Layout) -> Key? {
    if mouse.row == layout.bottom.row {
      return bottomLine(snapshot, layout).key(at: mouse.column, width: layout.bottom.width)
    }
    guard case .table = mode, mouse.row == layout.status?.row else { return nil }
    return StatusLine(screen: self).key(at: mouse.column - 1, listing)
  }

  private mutating func scroll(by distance: Int, _ mouse: Mouse, _ snapshot: Snapshot, _ size: Size) {
    switch mode {
    case .table where layout(size).details.contains(mouse.row, mouse.column):
      scrollDetails(lines: distance, snapshot, size)
    case .table, .filtering: cursor.scroll(by: distance, in: listing, rows: layout(size).list.rows)
    case .help(let first): scrollHelp(to: first + distance, size)
    case .reviewing(var review):
      review.scroll(by: distance, rows: Review.list(in: layout(size).body).rows)
      mode = .reviewing(review)
    // The table is not what one looks at.
    case .adding, .commanding, .prompting, .removing, .deleting, .restarting, .quitting, .saving: break
    }
  }

  private mutating func click(_ mouse: Mouse, _ snapshot: Snapshot, _ layout: Layout, _ size: Size) {
    switch mode {
    case .table, .filtering: break
    case .reviewing(var review):
      review.click(row: mouse.row, in: layout.body)
      return mode = .reviewing(review)
    case .adding(var form):
      form.click(row: mouse.row, in: layout.body)
      return mode = .adding(form)
    case .help, .commanding, .prompting, .removing, .deleting, .restarting, .quitting, .saving:
      return
    }
    if mouse.row == layout.header.row { return look(at: mouse.column, snapshot, layout, size) }
    guard mouse.column < layout.table.columns, !snapshot.downloads.isEmpty else { return }
    let list = layout.list
    if layout.hasHeads, mouse.row == layout.table.row {
      sort(byColumnAt: mouse.column, snapshot, layout, size)
    } else if (list.row..<list.end).contains(mouse.row) {
      let index = cursor.firstRow(in: listing, rows: list.rows) + mouse.row - list.row
      guard index < listing.rows.count else { return }
      cursor.go(to: index, in: listing, rows: list.rows)
      if mouse.action == .doubleClick { showsDetails.toggle() }
    }
  }

  /// A count in the header shows what it counts; a second click shows all again.
  private mutating func look(at column: Int, _ snapshot: Snapshot, _ layout: Layout, _ size: Size) {
    let header = HeaderLine(snapshot: snapshot, totals: Totals(snapshot.downloads), appearance: appearance)
    guard let view = header.view(at: column, width: layout.header.width) else { return }
    arrange(snapshot, size) { $0.view = $0.view == view ? .all : view }
  }

  /// The column that the table is sorted by already is turned round.
  private mutating func sort(byColumnAt column: Int, _ snapshot: Snapshot, _ layout: Layout, _ size: Size) {
    let columns = table(snapshot, layout, Totals(snapshot.downloads)).columns
    guard let sort = columns.kind(at: column)?.sort else { return }
    arrange(snapshot, size) { arrangement in
      arrangement.isReversed = arrangement.sort == sort && !arrangement.isReversed
      arrangement.sort = sort
    }
  }
}
