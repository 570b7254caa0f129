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

  /// Fills one field after the other.
  func draw(in fields: [Field], of grid: inout CellGrid, _ glyphs: Glyphs) {
    var rest = cells[...]
    for field in fields {
      for (index, part) in rest.prefix(field.width).enumerated() {
        draw(part, in: field.dropping(index).first(1), of: &grid, glyphs)
      }
      rest = rest.dropFirst(field.width)
    }
  }

  private func draw(_ part: Part, in cell: Field, of grid: inout CellGrid, _ glyphs: Glyphs) {
    switch part {
    case .done: grid.fill(glyphs.barFull, .barFull, in: cell)
    case .inFlight: grid.fill(glyphs.inFlight, .busy, in: cell)
    case .missing: grid.fill(glyphs.missing, .barEmpty, in: cell)
    }
  }
}
