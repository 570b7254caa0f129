import DownloadCore

/// The top line: what is going on altogether. Its pieces leave one by one as the window narrows, the least important first.
struct HeaderLine {
  let snapshot: Snapshot
  let totals: Totals
  let appearance: Screen.Appearance

  /// A piece of the line; those with the smallest rank stay longest.
  private struct Piece {
    var rank: Int
    var isRight: Bool
    var text: InkedText
    var isCounts = false
  }

  func draw(in field: Field, of grid: inout CellGrid) {
    let pieces = fitting(width: field.width - 2)
    var left = field.dropping(1)
    for piece in pieces where !piece.isRight {
      grid.put(piece.text, in: left, ellipsis: appearance.glyphs.ellipsis)
      left = left.dropping(piece.text.width + 2)
    }
    let right = pieces.filter(\.isRight)
    var column = field.end - 1 - right.reduce(-2) { $0 + $1.text.width + 2 }
    for piece in right {
      grid.put(piece.text, in: Field(row: field.row, column: column, width: piece.text.width), ellipsis: " ")
      column += piece.text.width + 2
    }
  }

  /// The view that a click on a count in this cell asks for.
  func view(at column: Int, width: Int) -> Arrangement.View? {
    let pieces = fitting(width: width - 2)
    guard let counts = pieces.firstIndex(where: \.isCounts) else { return nil }
    var start = pieces[..<counts].reduce(1) { $0 + $1.text.width + 2 }
    for part in pieces[counts].text.parts {
      let end = start + TextWidth.of(part.text)
      if (start..<end).contains(column) { return states.first { part.text == $0.long || part.text == $0.short }?.view }
      start = end
    }
    return nil
  }

  /// The pieces that have room, in the order of the line.
  private func fitting(width: Int) -> [Piece] {
    var kept = pieces(counts: counts)
    if Self.width(kept) > width { kept = pieces(counts: shortCounts) }
    while kept.count > 1, Self.width(kept) > width,
      let worst = kept.indices.max(by: { kept[$0].rank < kept[$1].rank })
    { kept.remove(at: worst) }
    return kept
  }

  private static func width(_ pieces: [Piece]) -> Int { pieces.reduce(-2) { $0 + $1.text.width + 2 } }

  private func pieces(counts: InkedText) -> [Piece] {
    [
      Piece(rank: 1, isRight: false, text: InkedText("dltui", .title)),
      Piece(rank: 0, isRight: false, text: speed),
      Piece(rank: 3, isRight: false, text: counts, isCounts: true),
      eta.map { Piece(rank: 4, isRight: true, text: $0) },
      limit.map { Piece(rank: 5, isRight: true, text: $0) },
      space.map { Piece(rank: isShort ? 2 : 6, isRight: true, text: $0) },
    ].compactMap { $0 }.filter { !$0.text.parts.isEmpty }
  }

  private var speed: InkedText {
    let isMoving = snapshot.speed > 0
    return InkedText("\(appearance.glyphs.down) \(SizeText.rate(max(0, snapshot.speed)))", isMoving ? .busy : .dim)
  }

  /// How many downloads are in a state, if any.
  private struct Count {
    var number: Int
    var word: String
    var glyph: String
    var ink: Ink
    var view: Arrangement.View

    var long: String { "\(number) \(word)" }
    var short: String { "\(glyph) \(number)" }
  }

  private var states: [Count] {
    let glyphs = appearance.glyphs
    return [
      Count(number: totals.active, word: "active", glyph: glyphs.active, ink: .plain, view: .active),
      Count(number: totals.retrying, word: "retrying", glyph: glyphs.retrying, ink: .waiting, view: .active),
      Count(number: totals.queued, word: "queued", glyph: glyphs.queued, ink: .plain, view: .queued),
      Count(number: totals.paused, word: "paused", glyph: glyphs.paused, ink: .plain, view: .queued),
      Count(number: totals.failed, word: "failed", glyph: glyphs.failed, ink: .bad, view: .failed),
      Count(number: totals.done, word: "done", glyph: glyphs.done, ink: .plain, view: .done),
    ].filter { $0.number > 0 }
  }

  private var counts: InkedText {
    states.reduce(into: InkedText()) { line, count in
      if !line.parts.isEmpty { line += InkedText(" \(appearance.glyphs.dot) ", .dim) }
      line += InkedText(count.long, count.ink)
    }
  }

  /// The same with the signs of the states instead of words.
  private var shortCounts: InkedText {
    states.reduce(into: InkedText()) { line, count in
      line += InkedText(line.parts.isEmpty ? "" : "  ") + InkedText(count.short, count.ink)
    }
  }

  /// With a `+` where the size of something that is still to come is not known: at least so long.
  private var eta: InkedText? {
    guard totals.isUnderWay else { return nil }
    guard let seconds = totals.eta(speed: snapshot.speed) else { return InkedText("all done in --", .dim) }
    let more = totals.hasUnknownSize ? "+" : ""
    return InkedText("all done in \(TimeText.duration(seconds))\(more)") + InkedText(finish(in: seconds, more), .dim)
  }

  private func finish(in seconds: Int, _ more: String) -> String {
    let now = snapshot.wallClock.saturatingPlus(Int64(appearance.utcOffset))
    return TimeText.finish(at: now.saturatingPlus(Int64(seconds)), now: now).map { " (\($0)\(more))" } ?? ""
  }

  private var limit: InkedText? {
    snapshot.rateLimit.map { InkedText("limit \(SizeText.rate($0))", .waiting) }
  }

  /// Whether what is to come will not fit on the disk.
  private var isShort: Bool { snapshot.freeSpace.map { totals.remaining > $0 } ?? false }

  private var space: InkedText? {
    guard let free = snapshot.freeSpace else { return nil }
    let text = "\(SizeText.bytes(free)) free"
    return isShort ? InkedText("\(text), \(SizeText.bytes(totals.remaining)) to come", .bad) : InkedText(text, .dim)
  }
}
