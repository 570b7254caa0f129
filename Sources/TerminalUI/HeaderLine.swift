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

  /// The pieces that have room, in the order of the line.
  private func fitting(width: Int) -> [Piece] {
    var kept = pieces
    while kept.count > 1, kept.reduce(-2, { $0 + $1.text.width + 2 }) > width,
      let worst = kept.indices.max(by: { kept[$0].rank < kept[$1].rank })
    { kept.remove(at: worst) }
    return kept
  }

  private var pieces: [Piece] {
    [
      Piece(rank: 0, isRight: false, text: InkedText("dltui", .title)),
      Piece(rank: 1, isRight: false, text: speed),
      Piece(rank: 3, isRight: false, text: counts),
      eta.map { Piece(rank: 4, isRight: true, text: $0) },
      limit.map { Piece(rank: 6, isRight: true, text: $0) },
      space.map { Piece(rank: isShort ? 2 : 5, isRight: true, text: $0) },
    ].compactMap { $0 }.filter { !$0.text.parts.isEmpty }
  }

  private var speed: InkedText {
    let isMoving = snapshot.speed > 0
    return InkedText("\(appearance.glyphs.down) \(SizeText.rate(max(0, snapshot.speed)))", isMoving ? .busy : .dim)
  }

  private var counts: InkedText {
    let all: [(Int, String, Ink)] = [
      (totals.active, "active", .plain), (totals.retrying, "retrying", .waiting), (totals.queued, "queued", .plain),
      (totals.paused, "paused", .plain), (totals.failed, "failed", .bad), (totals.done, "done", .plain),
    ]
    return all.filter { $0.0 > 0 }.reduce(into: InkedText()) { line, count in
      if !line.parts.isEmpty { line += InkedText(" \(appearance.glyphs.dot) ", .dim) }
      line += InkedText("\(count.0) \(count.1)", count.2)
    }
  }

  private var eta: InkedText? {
    guard totals.isUnderWay else { return nil }
    guard let seconds = totals.eta(speed: snapshot.speed) else { return InkedText("all done in --", .dim) }
    return InkedText("all done in \(TimeText.duration(seconds))") + InkedText(finish(in: seconds), .dim)
  }

  private func finish(in seconds: Int) -> String {
    let now = snapshot.wallClock.saturatingPlus(Int64(appearance.utcOffset))
    return TimeText.finish(at: now.saturatingPlus(Int64(seconds)), now: now).map { " (\($0))" } ?? ""
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
