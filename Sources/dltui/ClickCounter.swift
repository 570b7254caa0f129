import TerminalUI

/// Reads what a terminal reports of its mouse (XTerm Control Sequences, SGR extended mode 1006), and tells a double click from two.
struct ClickCounter {
  private static let patience = Duration.milliseconds(400)
  private let clock = ContinuousClock()
  private var last: (at: ContinuousClock.Instant, row: Int, column: Int)?

  /// `report` is `button;column;row`, counted from 1. Nil for what means nothing here: other buttons, movements, nonsense.
  mutating func key(_ report: String) -> Key? {
    let numbers = report.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard numbers.count == 3, numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
    let (column, row) = (numbers[1] - 1, numbers[2] - 1)
    guard let action = action(numbers[0], row: row, column: column) else { return nil }
    return .mouse(Mouse(action, row: row, column: column))
  }

  /// Shift, meta and control (4, 8, 16) make no difference.
  private mutating func action(_ button: Int, row: Int, column: Int) -> Mouse.Action? {
    switch button & ~0b11100 {
    case 0: click(row: row, column: column)
    case 64: .wheelUp
    case 65: .wheelDown
    default: nil
    }
  }

  private mutating func click(row: Int, column: Int) -> Mouse.Action {
    let now = clock.now
    if let last, last.row == row, abs(last.column - column) <= 1, now - last.at <= Self.patience {
      self.last = nil
      return .doubleClick
    }
    last = (now, row, column)
    return .click
  }
}
