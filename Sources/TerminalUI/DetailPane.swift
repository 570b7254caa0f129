import DownloadCore

/// Everything about one download: where from, where to, whether it can go on, its map, its connections and what happened.
struct DetailPane {
  let item: Snapshot.Item
  let snapshot: Snapshot
  let appearance: Screen.Appearance

  private var glyphs: Glyphs { appearance.glyphs }

  func draw(in area: Area, _ placement: Layout.Placement, of grid: inout CellGrid) {
    switch placement {
    case .hidden: return
    case .alone: drawLines(in: area, of: &grid)
    case .below:
      grid.fill(glyphs.horizontal, .barEmpty, in: area.line(0))
      drawLines(in: area.dropping(1), of: &grid)
    case .beside:
      for row in 0..<area.rows { grid.fill(glyphs.vertical, .barEmpty, in: area.line(row).first(1)) }
      let inner = Area(row: area.row, column: area.column + 1, columns: area.columns - 1, rows: area.rows)
      drawLines(in: inner, of: &grid)
    }
  }

  private func drawLines(in area: Area, of grid: inout CellGrid) {
    var row = 0
    for line in facts.prefix(area.rows) {
      grid.put(line, in: area.line(row, margin: 1), ellipsis: glyphs.ellipsis)
      row += 1
    }
    row += drawMap(in: area.dropping(row), rows: area.rows >= 30 ? 4 : area.rows >= 16 ? 2 : 1, of: &grid)
    for line in story(rows: area.rows - row) {
      grid.put(line, in: area.line(row, margin: 1), ellipsis: glyphs.ellipsis)
      row += 1
    }
  }

  /// Returns how many rows the map took.
  private func drawMap(in area: Area, rows: Int, of grid: inout CellGrid) -> Int {
    guard !area.isEmpty, item.total ?? 0 > 0 else { return 0 }
    grid.put(label("map"), in: area.line(0, margin: 1), ellipsis: glyphs.ellipsis)
    let fields = (0..<min(rows, area.rows)).map { area.line($0, margin: 1).dropping(Self.labelWidth) }
    SegmentMap(item, width: fields.reduce(0) { $0 + $1.width }).draw(in: fields, of: &grid, glyphs)
    return fields.count
  }

  private static let labelWidth = 11

  private func label(_ text: String) -> InkedText {
    InkedText(text + String(repeating: " ", count: max(1, Self.labelWidth - TextWidth.of(text))), .heading)
  }

  private var facts: [InkedText] {
    let state = StateText(item, at: snapshot.moment, glyphs)
    return [
      label("name") + InkedText(VisibleText.of(item.name), .title),
      label("state") + InkedText("\(state.glyph) \(state.words)", state.ink),
      hint.map { label("hint") + InkedText($0) },
      label("size") + InkedText(amount),
      label("folder") + InkedText(VisibleText.of(item.folder)),
      label("from") + InkedText(VisibleText.of(item.url)),
      item.finalURL.map { label("  \(glyphs.arrow)") + InkedText(VisibleText.of($0)) },
      label("resume") + resumability + validator,
    ].compactMap { $0 }
  }

  private var hint: String? {
    switch item.state {
    case .failed(let error), .paused(because: let error?): error.hint
    case .retrying(let retry): retry.error.hint
    case .queued, .active, .verifying, .paused(because: nil), .completed: nil
    }
  }

  private var amount: String {
    guard let total = item.total else { return "\(SizeText.bytes(item.completed)) so far, size not known" }
    let all = "\(SizeText.bytes(total)) (\(total) bytes)"
    return item.isCompleted ? all : "\(SizeText.bytes(item.completed)) of \(all)"
  }

  private var resumability: InkedText {
    switch item.resumability {
    case .unknown: InkedText("not known: the server has not answered yet", .dim)
    case .resumable: InkedText("yes: stopping costs no bytes", .plain)
    case .comparing: InkedText("yes, after comparing some bytes: the server gives no strong validator", .plain)
    case .startsOver(let reason): InkedText("no: stopping means starting over, \(reason.rawValue)", .waiting)
    }
  }

  private var validator: InkedText {
    guard let text = item.validator else { return InkedText() }
    return InkedText(text == "none" ? "  (no validator)" : "  (\(VisibleText.of(text)))", .dim)
  }

  /// A line a connection and the last lines of the log, in as many rows as there are; the log keeps at least a third of them.
  private func story(rows: Int) -> [InkedText] {
    guard rows > 0 else { return [] }
    let log = min(item.log.count, max(1, rows / 3))
    let connections = connectionLines(atMost: max(rows - item.log.count, rows - log))
    return connections
      + item.log.suffix(max(0, rows - connections.count)).enumerated().map { index, line in
        label(index == 0 ? "log" : "") + logLine(line)
      }
  }

  private func connectionLines(atMost limit: Int) -> [InkedText] {
    let all = item.transfers
    let shown = all.count > limit ? all.prefix(max(0, limit - 1)) : all[...]
    let lines = shown.enumerated().map { index, connection in
      label(index == 0 ? "in flight" : "") + self.line(connection)
    }
    guard shown.count < all.count, limit > 0 else { return lines }
    if shown.isEmpty { return [label("in flight") + InkedText("\(all.count) connections")] }
    return lines + [
      label("") + InkedText("\(all.count - shown.count) more connections", .dim)
    ]
  }

  private func line(_ connection: Snapshot.Connection) -> InkedText {
    let (low, high) = (connection.claim.lowerBound, connection.claim.upperBound)
    let rate = Self.right(SizeText.rate(connection.speed), 10)
    let end = high == .max ? "end" : SizeText.bytes(high)
    let range = "\(Self.right(SizeText.bytes(low), 8)) \(glyphs.arrow) \(Self.right(end, 8))"
    return InkedText("\(rate)  ", .busy) + InkedText(range)
  }

  private func logLine(_ line: Snapshot.LogLine) -> InkedText {
    let age = snapshot.moment.components.seconds.saturatingMinus(line.at.components.seconds)
    let time = snapshot.wallClock.saturatingMinus(age).saturatingPlus(Int64(appearance.utcOffset))
    return InkedText(TimeText.clock(time) + "  ", .dim) + InkedText(VisibleText.of(line.text))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}
