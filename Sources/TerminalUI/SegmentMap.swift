import DownloadCore

/// A file as a row of cells: each is a part of the file that is there, on its way or missing.
struct SegmentMap: Hashable, Sendable {
  let cells: [Part]

  enum Part: Hashable, Sendable {
    case done, inFlight, missing
  }

  /// Empty when the size is not known. Numbers may be anything; what is not a part of the file is left out.
  init(_ item: Snapshot.Item, width: Int) {
    guard let total = item.total, total > 0, width > 0 else {
      cells = []
      return
    }
    var parts = [Part](repeating: .done, count: width)
    let missing = item.missing.isEmpty && item.completed < total ? [max(0, item.completed)..<total] : item.missing
    for range in missing { Self.mark(range, .missing, total, &parts) }
    for transfer in item.transfers { Self.mark(transfer.claim, .inFlight, total, &parts) }
    cells = item.isCompleted ? [Part](repeating: .done, count: width) : parts
  }

  private static func mark(_ range: ByteRange, _ part: Part, _ total: Int64, _ parts: inout [Part]) {
    let (low, high) = (max(0, range.lowerBound), min(total, range.upperBound))
    guard low < high else { return }
    let first = cell(of: low, total, parts.count)
    for index in first...max(first, cell(of: high - 1, total, parts.count))
    where part == .missing || parts[index] == .missing {
      parts[index] = part
    }
  }

  private static func cell(of byte: Int64, _ total: Int64, _ count: Int) -> Int {
    min(count - 1, max(0, Int(Double(byte) / Double(total) * Double(count))))
  }

  /// The cells in rows of `width`.
  func rows(width: Int, _ glyphs: Glyphs) -> [InkedText] {
    guard width > 0 else { return [] }
    var rows: [InkedText] = []
    var rest = cells[...]
    while !rest.isEmpty {
      rows.append(Self.text(rest.prefix(width), glyphs))
      rest = rest.dropFirst(width)
    }
    return rows
  }

  /// Equal neighbours become one part of the text.
  private static func text(_ cells: ArraySlice<Part>, _ glyphs: Glyphs) -> InkedText {
    var line = InkedText()
    var rest = cells
    while let part = rest.first {
      let run = rest.prefix { $0 == part }
      line += InkedText(String(repeating: sign(part, glyphs), count: run.count), ink(part))
      rest = rest.dropFirst(run.count)
    }
    return line
  }

  /// What the signs mean.
  static func legend(_ glyphs: Glyphs) -> InkedText {
    [(Part.done, "done  "), (.inFlight, "in flight  "), (.missing, "missing")].reduce(into: InkedText()) {
      line, entry in
      line += InkedText(String(sign(entry.0, glyphs)), ink(entry.0)) + InkedText(" " + entry.1, .dim)
    }
  }

  private static func sign(_ part: Part, _ glyphs: Glyphs) -> Character {
    switch part {
    case .done: glyphs.barFull
    case .inFlight: glyphs.inFlight
    case .missing: glyphs.missing
    }
  }

  private static func ink(_ part: Part) -> Ink {
    switch part {
    case .done: .barFull
    case .inFlight: .busy
    case .missing: .barEmpty
    }
  }
}
