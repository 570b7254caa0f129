import DownloadCore

extension Screen {
  /// The whole screen for one snapshot and one size. Every size is legal.
  package func render(_ snapshot: Snapshot, size: Size) -> CellGrid {
    var grid = CellGrid(size)
    guard size.columns >= Layout.smallest.columns, size.rows >= Layout.smallest.rows else {
      drawTooSmall(in: &grid)
      return grid
    }
    let layout = layout(size)
    let totals = Totals(snapshot.downloads)
    HeaderLine(snapshot: snapshot, totals: totals, appearance: appearance).draw(in: layout.header, of: &grid)
    drawBody(snapshot, layout, totals, in: &grid)
    bottomLine(snapshot, layout).draw(in: layout.bottom, of: &grid)
    return grid
  }

  /// A message has no other place in the smallest windows.
  func bottomLine(_ snapshot: Snapshot, _ layout: Layout) -> BottomLine {
    let message = StatusLine(screen: self).message
    let notice: InkedText? = if case .table = mode, layout.status == nil { message } else { nil }
    return BottomLine(screen: self, snapshot: snapshot, notice: notice)
  }

  private func drawTooSmall(in grid: inout CellGrid) {
    let text = "needs \(Layout.smallest.columns)\(appearance.glyphs.times)\(Layout.smallest.rows)"
    grid.put(text, in: Field(row: 0, column: 0, width: grid.size.columns))
  }

  private func drawBody(_ snapshot: Snapshot, _ layout: Layout, _ totals: Totals, in grid: inout CellGrid) {
    let listing = listing(of: snapshot)
    if let status = layout.status, let text = StatusLine(screen: self).text(listing) {
      grid.put(text, in: status.dropping(1), ellipsis: appearance.glyphs.ellipsis)
    }
    let body = layout.body
    switch mode {
    case .help(let first): return drawHelp(from: first, body, in: &grid)
    case .reviewing(let review): return review.draw(in: body, appearance.glyphs, of: &grid)
    default: drawLists(snapshot, listing, layout, totals, in: &grid)  // all others leave the table in sight
    }
    if case .adding(let form) = mode { draw(form, snapshot, body, in: &grid) }
  }

  /// At the lower edge, kept apart from the table where there is room for that.
  private func draw(_ form: AddForm, _ snapshot: Snapshot, _ body: Area, in grid: inout CellGrid) {
    if body.rows > AddForm.rows + 1 {
      grid.fill(appearance.glyphs.horizontal, .barEmpty, in: body.line(body.rows - AddForm.rows - 1))
      grid.put(" Add ", .title, in: body.line(body.rows - AddForm.rows - 1).dropping(1))
    }
    form.draw(in: body, twins: twins(of: form, snapshot), appearance.glyphs, of: &grid)
  }

  private func drawLists(
    _ snapshot: Snapshot, _ listing: Listing, _ layout: Layout, _ totals: Totals, in grid: inout CellGrid
  ) {
    let body = layout.body
    if snapshot.downloads.isEmpty { return drawHint(Self.emptyHint, body, in: &grid) }
    drawTable(snapshot, listing, layout, totals, in: &grid)
    drawDetails(snapshot, listing, layout, in: &grid)
  }

  private func drawTable(
    _ snapshot: Snapshot, _ listing: Listing, _ layout: Layout, _ totals: Totals, in grid: inout CellGrid
  ) {
    guard !layout.table.isEmpty else { return }
    let table = table(snapshot, layout, totals)
    if layout.hasHeads { table.drawHeads(arrangement, in: &grid) }
    guard !listing.rows.isEmpty else { return drawHint(Self.nothingMatches, layout.list, in: &grid) }
    let list = layout.list
    let first = cursor.firstRow(in: listing, rows: list.rows)
    table.drawRows(listing, list, from: first, selected: cursor.index(in: listing), marks, in: &grid)
  }

  func table(_ snapshot: Snapshot, _ layout: Layout, _ totals: Totals) -> DownloadTable {
    DownloadTable(snapshot, layout.table, largestNumber: totals.largestNumber, appearance.glyphs)
  }

  private func drawDetails(
    _ snapshot: Snapshot, _ listing: Listing, _ layout: Layout, in grid: inout CellGrid
  ) {
    guard !layout.details.isEmpty, let index = cursor.index(in: listing) else { return }
    let item = snapshot.downloads[listing.rows[index].place]
    DetailPane(item: item, snapshot: snapshot, appearance: appearance)
      .draw(in: layout.details, layout.placement, top: details.top(of: item.id), of: &grid)
  }

  private static let emptyHint = [
    InkedText("Nothing to download yet.", .plain),
    InkedText("Press ", .dim) + InkedText("a", .key) + InkedText(" to add an address,", .dim),
    InkedText("or paste one right here.", .dim),
  ]
  private static let nothingMatches = [InkedText("Nothing of that kind.", .dim)]

  private func drawHint(_ lines: [InkedText], _ area: Area, in grid: inout CellGrid) {
    let top = max(0, (area.rows - lines.count) / 2)
    for (row, line) in lines.enumerated() where top + row < area.rows {
      let indent = max(1, (area.columns - line.width) / 2)
      grid.put(line, in: area.line(top + row).dropping(indent), ellipsis: appearance.glyphs.ellipsis)
    }
  }

  private func drawHelp(from first: Int, _ area: Area, in grid: inout CellGrid) {
    let lines = HelpText.lines(appearance.glyphs).dropFirst(first).prefix(area.rows)
    let indent = max(1, (area.columns - HelpText.width) / 2)
    for (row, line) in lines.enumerated() {
      grid.put(line, in: area.line(row).dropping(indent), ellipsis: appearance.glyphs.ellipsis)
    }
  }
}
