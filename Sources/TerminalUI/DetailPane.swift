import DownloadCore

/// Everything about one download: where from, where to, whether it can go on, its map, its speed, its connections and what happened.
struct DetailPane {
  let item: Snapshot.Item
  let snapshot: Snapshot
  let appearance: Screen.Appearance

  private var glyphs: Glyphs { appearance.glyphs }

  /// A line of the pane, or two half ones.
  private struct Row {
    var left: InkedText
    var right: InkedText?
  }

  /// From so many columns on, what happens now stands beside what is known.
  private static let widthOfTwo = 110
  private static let gap = 3

  /// Without the border.
  private func inner(_ area: Area, _ placement: Layout.Placement) -> Area {
    switch placement {
    case .hidden, .alone: area
    case .below: area.dropping(1)
    case .beside: Area(row: area.row, column: area.column + 1, columns: area.columns - 1, rows: area.rows)
    }
  }

  private func rows(_ inner: Area) -> [Row] {
    let hasTwo = inner.columns >= Self.widthOfTwo
    let width = hasTwo ? rightWidth(inner) : inner.columns - 2
    let present = map(inner.rows, width) + speed(inner.rows, width) + connections
    let above = places.map { Row(left: $0) }
    let below = log.map { Row(left: $0) }
    guard hasTwo else { return above + (facts + present).map { Row(left: $0) } + below }
    let beside = (0..<max(facts.count, present.count)).map { index in
      Row(
        left: index < facts.count ? facts[index] : InkedText(),
        right: index < present.count ? present[index] : InkedText())
    }
    return above + beside + below
  }

  /// What happens needs more room than what is known.
  private func rightWidth(_ inner: Area) -> Int { (inner.columns - 2 - Self.gap) * 3 / 5 }

  /// How many lines do not fit.
  func surplus(in area: Area, _ placement: Layout.Placement) -> Int {
    let inner = inner(area, placement)
    return max(0, rows(inner).count - inner.rows)
  }

  // MARK: Drawing

  /// `top` is how many lines are scrolled away.
  func draw(in area: Area, _ placement: Layout.Placement, top: Int, of grid: inout CellGrid) {
    drawBorder(area, placement, &grid)
    let inner = inner(area, placement)
    let rows = rows(inner)
    let hidden = max(0, rows.count - inner.rows)
    let first = min(max(0, top), hidden)
    for (index, row) in rows.dropFirst(first).prefix(inner.rows).enumerated() {
      draw(row, in: inner.line(index, margin: 1), rightWidth(inner), &grid)
    }
    guard hidden > 0 else { return }
    drawWay(first, hidden, in: placement == .below ? area.line(0) : inner.line(inner.rows - 1), &grid)
  }

  private func draw(_ row: Row, in line: Field, _ rightWidth: Int, _ grid: inout CellGrid) {
    guard let right = row.right else { return grid.put(row.left, in: line, ellipsis: glyphs.ellipsis) }
    grid.put(row.left, in: line.first(line.width - rightWidth - Self.gap), ellipsis: glyphs.ellipsis)
    grid.put(right, in: line.dropping(line.width - rightWidth), ellipsis: glyphs.ellipsis)
  }

  private func drawBorder(_ area: Area, _ placement: Layout.Placement, _ grid: inout CellGrid) {
    switch placement {
    case .hidden, .alone: break  // there is nothing to keep apart
    case .below: grid.fill(glyphs.horizontal, .barEmpty, in: area.line(0))
    case .beside: for row in 0..<area.rows { grid.fill(glyphs.vertical, .barEmpty, in: area.line(row).first(1)) }
    }
  }

  /// That there is more, and the keys that lead there.
  private func drawWay(_ first: Int, _ hidden: Int, in line: Field, _ grid: inout CellGrid) {
    let text = InkedText(" [ ]", .key) + InkedText(" \(first < hidden ? "more" : "back") ", .dim)
    guard line.width > text.width + 2 else { return }
    grid.put(text, in: line.dropping(line.width - text.width - 1), ellipsis: glyphs.ellipsis)
  }

  // MARK: What is known

  private static let labelWidth = 11

  private func label(_ text: String) -> InkedText {
    InkedText(text + String(repeating: " ", count: max(1, Self.labelWidth - TextWidth.of(text))), .heading)
  }

  /// A label before the first of several lines.
  private func labelled(_ text: String, _ lines: [InkedText]) -> [InkedText] {
    lines.enumerated().map { label($0 == 0 ? text : "") + $1 }
  }

  /// Where it comes from and goes to, and what can be done with it.
  private var places: [InkedText] {
    let state = StateText(item, at: snapshot.moment, glyphs)
    return [
      label("name") + InkedText(VisibleText.of(item.name), .title),
      label("state") + InkedText("\(state.glyph) \(state.words)", state.ink) + pace,
      hint.map { label("hint") + InkedText(VisibleText.of($0)) },
      label("folder") + InkedText(VisibleText.of(item.folder)),
      label("from") + InkedText(VisibleText.of(item.url)),
      item.finalURL.map { label("  \(glyphs.arrow)") + InkedText(VisibleText.of($0)) },
      label("resume") + resumability,
    ].compactMap { $0 }
  }

  private var facts: [InkedText] {
    [
      label("size") + InkedText(amount),
      item.server.map { label("server") + InkedText(VisibleText.of($0)) },
      validator.map { label("validator") + InkedText($0) },
      limits.map { label("limits") + InkedText($0) },
    ].compactMap { $0 }
  }

  private var pace: InkedText {
    guard case .active = item.state, let speed = item.speed, speed > 0 else { return InkedText() }
    let left = item.safeETA.map { ", \(TimeText.duration($0)) to go" } ?? ""
    return InkedText("  \(SizeText.rate(speed))\(left)")
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
    let all = "\(SizeText.bytes(total)) (\(total) B)"
    return item.isCompleted ? all : "\(SizeText.bytes(item.completed)) of \(all)"
  }

  private var validator: String? {
    item.validator.map { $0 == "none" ? "none: the server names no version" : VisibleText.of($0) }
  }

  private var resumability: InkedText {
    if item.isCompleted { return InkedText("not needed: it is complete", .dim) }
    return switch item.resumability {
    case .unknown: InkedText("not known: the server has not answered yet", .dim)
    case .resumable: InkedText("yes: stopping costs no bytes", .plain)
    case .comparing: InkedText("yes, after comparing some bytes: no strong validator", .plain)
    case .startsOver(let reason): InkedText("no: stopping means starting over, \(reason.rawValue)", .waiting)
    }
  }

  private var limits: String? {
    let parts = [
      item.rateLimit.map(SizeText.rate), item.connections.map { "\($0) \($0 == 1 ? "connection" : "connections")" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  // MARK: What happens

  private func map(_ rows: Int, _ width: Int) -> [InkedText] {
    let count = rows >= 30 ? 4 : rows >= 14 ? 2 : 1
    let cells = SegmentMap(item, width: count * max(0, width - Self.labelWidth))
    var lines = labelled("map", cells.rows(width: width - Self.labelWidth, glyphs))
    if rows >= 30, !lines.isEmpty { lines.append(label("") + SegmentMap.legend(glyphs)) }
    return lines
  }

  private func speed(_ rows: Int, _ width: Int) -> [InkedText] {
    let graph = SpeedGraph(item.history)
    let count = rows >= 30 ? 4 : rows >= 14 ? 3 : 2
    let scale = "  " + SizeText.rate(graph.highest)
    var lines = graph.rows(count, width: width - Self.labelWidth - scale.utf8.count, glyphs)
    guard !lines.isEmpty else { return [] }
    lines[0] += InkedText(scale, .dim)
    lines[lines.count - 1] += InkedText("  last minute", .dim)
    return labelled("speed", lines)
  }

  private var connections: [InkedText] { labelled("in flight", item.transfers.map(line)) }

  private func line(_ connection: Snapshot.Connection) -> InkedText {
    let (low, high) = (connection.claim.lowerBound, connection.claim.upperBound)
    let rate = Self.right(SizeText.rate(connection.speed), 10)
    let end = high == .max ? "end" : SizeText.bytes(high)
    let range = "\(Self.right(SizeText.bytes(low), 8)) \(glyphs.arrow) \(Self.right(end, 8))"
    let peer = connection.peer ?? "no answer yet"
    let place = connection.host.map { $0 == peer ? $0 : "\($0), \(peer)" } ?? peer
    return InkedText("\(rate)  ", .busy) + InkedText(range) + InkedText("  " + VisibleText.of(place), .dim)
  }

  /// Newest first: where room is scarce the last thing that happened matters most.
  private var log: [InkedText] { labelled("log", item.log.reversed().map(line)) }

  private func line(_ line: Snapshot.LogLine) -> InkedText {
    let age = snapshot.moment.components.seconds.saturatingMinus(line.at.components.seconds)
    let time = snapshot.wallClock.saturatingMinus(age).saturatingPlus(Int64(appearance.utcOffset))
    return InkedText(TimeText.clock(time) + "  ", .dim) + InkedText(VisibleText.of(line.text))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}
