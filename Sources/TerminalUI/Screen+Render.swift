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
    BottomLine(screen: self, snapshot: snapshot).draw(in: layout.bottom, of: &grid)
    return grid
  }

  private func drawTooSmall(in grid: inout CellGrid) {
    let text = "needs \(Layout.smallest.columns)\(appearance.glyphs.times)\(Layout.smallest.rows)"
    grid.put(text, in: Field(row: 0, column: 0, width: grid.size.columns))
  }

  private func drawBody(_ snapshot: Snapshot, _ layout: Layout, _ totals: Totals, in grid: inout CellGrid) {
    let body = Area(row: 1, column: 0, columns: grid.size.columns, rows: grid.size.rows - 2)
    if case .help(let first) = mode { return drawHelp(from: first, body, in: &grid) }
    if snapshot.downloads.isEmpty {
      drawHint(body, in: &grid)
    } else {
      drawTable(snapshot, layout, totals, in: &grid)
      drawDetails(snapshot, layout, in: &grid)
    }
    drawProblem(body, in: &grid)
  }

  private func drawTable(_ snapshot: Snapshot, _ layout: Layout, _ totals: Totals, in grid: inout CellGrid) {
    guard !layout.table.isEmpty else { return }
    let table = DownloadTable(snapshot, layout.table, largestNumber: totals.largestNumber, appearance.glyphs)
    if layout.hasHeads { table.drawHeads(in: &grid) }
    let list = layout.list
    let first = cursor.firstRow(in: snapshot.downloads, rows: list.rows)
    table.drawRows(list, from: first, selected: cursor.index(in: snapshot.downloads), in: &grid)
  }

  private func drawDetails(_ snapshot: Snapshot, _ layout: Layout, in grid: inout CellGrid) {
    guard !layout.details.isEmpty, let index = cursor.index(in: snapshot.downloads) else { return }
    DetailPane(item: snapshot.downloads[index], snapshot: snapshot, appearance: appearance)
      .draw(in: layout.details, layout.placement, of: &grid)
  }

  private func drawHint(_ area: Area, in grid: inout CellGrid) {
    let lines = [
      InkedText("Nothing to download yet.", .plain),
      InkedText("Press ", .dim) + InkedText("a", .key) + InkedText(" to add an address,", .dim),
      InkedText("or paste one right here.", .dim),
    ]
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

  /// Above the field that is to be mended.
  private func drawProblem(_ area: Area, in grid: inout CellGrid) {
    guard case .adding = mode, let message, area.rows > 1 else { return }
    let line = area.line(area.rows - 1)
    grid.fill(" ", .plain, in: line)
    grid.put(
      InkedText(VisibleText.of(message.text), message.ink), in: line.dropping(1), ellipsis: appearance.glyphs.ellipsis)
  }
}
