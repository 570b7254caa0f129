import Foundation
import TerminalUI
import Testing

/// A grid as text: its characters, then a layer of ink letters (capital where selected). Compared with a file in `Snapshots`.
enum Picture {
  static func text(_ grid: CellGrid) -> String {
    let rows = 0..<grid.size.rows
    let frame = "+" + String(repeating: "-", count: grid.size.columns) + "+"
    let characters = rows.map { "|" + String(grid.row($0).filter { $0.width > 0 }.map(\.character)) + "|" }
    let inks = rows.map { "|" + String(grid.row($0).map(letter)) + "|" }
    let cursor = grid.cursor.map { ["cursor at row \($0.row), column \($0.column)"] } ?? []
    return ([frame] + characters + [frame] + inks + [frame] + cursor).joined(separator: "\n") + "\n"
  }

  private static func letter(_ cell: Cell) -> Character {
    guard cell.isSelected else { return cell.ink.letter }
    return cell.ink == .plain ? ":" : Character(cell.ink.letter.uppercased())
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

  /// `RECORD=1` writes the file anew.
  static func expect(_ grid: CellGrid, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appending(path: name + ".screen")
    let text = text(grid)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" { try Data(text.utf8).write(to: file) }
    let expected = try? String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(
      text == expected ?? "", "\(name): differs from or lacks its picture; got\n\(text)", sourceLocation: sourceLocation
    )
  }
}
