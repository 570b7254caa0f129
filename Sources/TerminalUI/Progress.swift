import DownloadCore

/// How much of a file is there, and its bar.
struct Progress: Hashable, Sendable {
  /// 0 to 1; nil when the size is not known.
  let fraction: Double?
  /// Whole percents, rounded down: 100 only when nothing is missing.
  let percent: Int?
  private let completed: Int64
  private let ink: Ink

  init(_ item: borrowing Snapshot.Item) {
    completed = max(0, item.completed)
    ink = Self.ink(item)
    guard let fraction = Self.fraction(item) else {
      (self.fraction, percent) = (nil, nil)
      return
    }
    self.fraction = fraction
    percent = fraction >= 1 ? 100 : min(99, Int(fraction * 100))
  }

  private static func fraction(_ item: borrowing Snapshot.Item) -> Double? {
    if case .completed = item.state { return 1 }
    guard let total = item.total else { return hasBytes(item) ? nil : 0 }
    guard item.completed < total else { return 1 }
    return max(0, Double(item.completed) / Double(total))
  }

  /// Whether there is something to show in a bar without an end.
  private static func hasBytes(_ item: borrowing Snapshot.Item) -> Bool {
    item.completed > 0 || (item.state == .active && item.resumability != .unknown)
  }

  private static func ink(_ item: borrowing Snapshot.Item) -> Ink {
    switch item.state {
    case .active, .verifying: .barFull
    case .retrying: .waiting
    case .queued, .paused: .dim
    case .completed: .good
    case .failed: .bad
    }
  }

  /// Whether there is a size to speak of percents.
  func percentText(_ total: Int64?) -> String {
    guard let percent, total != nil || percent == 100 else { return "-" }
    return "\(percent)%"
  }

  func draw(in field: Field, of grid: inout CellGrid, _ glyphs: Glyphs) {
    guard field.width > 0 else { return }
    guard let fraction else { return drawUnknown(in: field, of: &grid, glyphs) }
    let steps = glyphs.eighths.count + 1
    let filled =
      fraction >= 1 ? field.width * steps : min(field.width * steps - 1, Int(fraction * Double(field.width * steps)))
    let (whole, part) = filled.quotientAndRemainder(dividingBy: steps)
    grid.fill(glyphs.barFull, ink, in: field.first(whole))
    grid.fill(glyphs.barEmpty, .barEmpty, in: field.dropping(whole))
    if part > 0 { grid.fill(glyphs.eighths[part - 1], ink, in: field.dropping(whole).first(1)) }
  }

  /// What is there so far, in the middle of a bar that promises nothing.
  private func drawUnknown(in field: Field, of grid: inout CellGrid, _ glyphs: Glyphs) {
    grid.fill(glyphs.barUnknown, .barEmpty, in: field)
    let amount = SizeText.bytes(completed)
    guard let text = [" \(amount) so far ", " \(amount) ", amount].first(where: { $0.utf8.count <= field.width }) else {
      return
    }
    grid.put(text, .plain, in: field.dropping((field.width - text.utf8.count) / 2))
  }
}

extension Field {
  func first(_ count: Int) -> Field { Field(row: row, column: column, width: min(max(0, count), width)) }
  func dropping(_ count: Int) -> Field { Field(row: row, column: column + count, width: max(0, width - count)) }
}

/// Sizes and rates of foreign numbers, however large.
enum SizeText {
  static func bytes(_ count: Int64) -> String { ByteCount.text(min(count, 1 << 59)) }
  static func rate(_ bytesPerSecond: Int64) -> String { bytes(bytesPerSecond) + "/s" }
}
