import DownloadCore

/// Draws the list: column heads and a line a download, only those that are visible.
struct DownloadTable {
  let snapshot: Snapshot
  let glyphs: Glyphs
  let area: Area
  let columns: Columns

  init(_ snapshot: Snapshot, _ area: Area, largestNumber: Int, _ glyphs: Glyphs) {
    self.snapshot = snapshot
    self.glyphs = glyphs
    self.area = area
    columns = Columns(width: area.columns, numberWidth: max(2, String(largestNumber).utf8.count))
  }

  /// The column that the table is sorted by carries an arrow; the queue's own order goes without saying.
  func drawHeads(_ arrangement: Arrangement, in grid: inout CellGrid) {
    let isPlain = arrangement.sort == .queue && !arrangement.isReversed
    for column in columns.placed {
      let isSorted = !isPlain && column.kind.sort == arrangement.sort && column.kind != .percent
      let arrow = isSorted ? (arrangement.isDescending ? glyphs.down : glyphs.up) : ""
      let text = column.isNumeric ? arrow + head(column.kind) : head(column.kind) + arrow
      put(text, isSorted ? .title : .heading, column, row: 0, in: &grid)
    }
  }

  /// Draws the listing from row number `first` on into the rows of `list`.
  func drawRows(
    _ listing: Listing, _ list: Area, from first: Int, selected: Int?, _ marks: Marks, in grid: inout CellGrid
  ) {
    for row in 0..<max(0, min(list.rows, listing.rows.count - first)) {
      let shown = listing.rows[first + row]
      let isMarked = marks.contains(shown.id)
      draw(snapshot.downloads[shown.place], isMarked, row: list.row - area.row + row, in: &grid)
      if isMarked { grid.put(glyphs.mark, .key, in: list.line(row).first(1)) }
      if first + row == selected { grid.select(list.line(row)) }
    }
  }

  private func head(_ kind: Columns.Kind) -> String {
    switch kind {
    case .number: "#"
    case .name: "NAME"
    case .progress: "PROGRESS"
    case .percent: "%"
    case .size: "SIZE"
    case .speed: "SPEED"
    case .eta: "ETA"
    case .connections: "CN"
    case .state: columns.hasWords ? "STATE" : ""
    }
  }

  private func draw(_ item: Snapshot.Item, _ isMarked: Bool, row: Int, in grid: inout CellGrid) {
    let progress = Progress(item)
    let state = StateText(item, at: snapshot.moment, glyphs)
    let isQuiet = state.ink == .dim
    for column in columns.placed {
      switch column.kind {
      case .number: put(String(item.id.number), .dim, column, row: row, in: &grid)
      case .name:
        put(VisibleText.of(item.name), isMarked ? .title : isQuiet ? .dim : .plain, column, row: row, in: &grid)
      case .progress: progress.draw(in: field(column, row), of: &grid, glyphs)
      case .percent: putFigure(progress.percentText(item.total), isQuiet, column, row, &grid)
      case .size: putFigure(item.total.map(SizeText.bytes) ?? "?", isQuiet, column, row, &grid)
      case .speed: putFigure(item.speed.map(SizeText.rate) ?? "-", isQuiet, column, row, &grid)
      case .eta: putFigure(TimeText.duration(item.safeETA), isQuiet, column, row, &grid)
      case .connections:
        putFigure(item.transfers.isEmpty ? "-" : String(item.transfers.count), isQuiet, column, row, &grid)
      case .state:
        let words = columns.hasWords ? " " + state.words(width: column.width - 2) : ""
        put(state.glyph + words, state.ink, column, row: row, in: &grid)
      }
    }
  }

  /// A figure that says nothing stays in the background.
  private func putFigure(_ text: String, _ isQuiet: Bool, _ column: Columns.Placed, _ row: Int, _ grid: inout CellGrid)
  {
    let saysNothing = ["-", "--", "?", "0 B/s"].contains(text)
    put(text, isQuiet || saysNothing ? .dim : .plain, column, row: row, in: &grid)
  }

  private func put(_ text: String, _ ink: Ink, _ column: Columns.Placed, row: Int, in grid: inout CellGrid) {
    let shown = TextWidth.cut(text, to: column.width, ellipsis: glyphs.ellipsis)
    let indent = column.isNumeric ? max(0, column.width - TextWidth.of(shown)) : 0
    grid.put(shown, ink, in: field(column, row).dropping(indent))
  }

  private func field(_ column: Columns.Placed, _ row: Int) -> Field {
    Field(row: area.row + row, column: area.column + column.column, width: column.width)
  }
}

extension Columns.Kind {
  /// What a click on the head sorts by.
  var sort: Arrangement.Sort? {
    switch self {
    case .number: .queue
    case .name: .name
    case .progress, .percent: .progress
    case .size: .size
    case .speed: .speed
    case .eta: .eta
    case .connections: nil
    case .state: .state
    }
  }
}

extension Columns.Placed {
  /// Figures stand on the right of their column.
  var isNumeric: Bool {
    switch kind {
    case .number, .percent, .size, .speed, .eta, .connections: true
    case .name, .progress, .state: false
    }
  }
}

extension Snapshot.Item {
  /// `eta` for numbers of any size; nothing is promised of what stands still.
  var safeETA: Int? {
    guard state == .active, stalledFor == nil, !waitsForConnection, let total, let speed, speed > 0 else { return nil }
    let missing = max(0, total.saturatingMinus(completed))
    return Int(exactly: missing / speed + (missing % speed > 0 ? 1 : 0))
  }
}
