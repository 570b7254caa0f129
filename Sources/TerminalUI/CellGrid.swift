/// Rows and columns of a screen or of a part of it.
package struct Size: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }
}

/// A character with its meaning. A wide one is followed by cells of width 0 that only keep its place.
package struct Cell: Hashable, Sendable {
  package var character: Character
  package var ink: Ink
  /// In the row that the cursor stands on: reverse video.
  package var isSelected: Bool
  package var width: UInt8

  package static let blank = Cell(character: " ", ink: .plain, isSelected: false, width: 1)
}

/// A stretch of a row that is written into; what does not fit into it is cut.
package struct Field: Hashable, Sendable {
  package var row: Int
  package var column: Int
  package var width: Int
  package var end: Int { column + width }
}

/// A screenful of cells. Writing outside of it does nothing, so every size is legal.
package struct CellGrid: Hashable, Sendable {
  package let size: Size
  package private(set) var cells: [Cell]
  /// Where the terminal's cursor stands, as (column, row) inside the grid; nil hides it.
  package var cursor: Cursor?

  package struct Cursor: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  package init(_ size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  package func row(_ row: Int) -> ArraySlice<Cell> {
    guard row >= 0, row < size.rows else { return [] }
    return cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Writes as much of `text` as fits into the field and returns how many cells that took.
  @discardableResult
  package mutating func put(_ text: String, _ ink: Ink = .plain, in field: Field) -> Int {
    let end = min(field.end, size.columns)
    guard field.row >= 0, field.row < size.rows, field.column >= 0 else { return 0 }
    var column = field.column
    for character in text {
      let width = TextWidth.of(character)
      guard column + width <= end else { break }
      set(character, ink, width, row: field.row, column: column)
      column += width
    }
    return column - field.column
  }

  /// Writes `count` times the same narrow character.
  package mutating func fill(_ character: Character, _ ink: Ink, in field: Field) {
    guard field.row >= 0, field.row < size.rows, field.column >= 0, field.width > 0 else { return }
    for column in field.column..<max(field.column, min(field.end, size.columns)) {
      set(character, ink, 1, row: field.row, column: column)
    }
  }

  /// Marks a stretch as the one that the cursor stands on.
  package mutating func select(_ field: Field) {
    guard field.row >= 0, field.row < size.rows, field.column >= 0 else { return }
    for column in field.column..<max(field.column, min(field.end, size.columns)) {
      cells[field.row * size.columns + column].isSelected = true
    }
  }

  /// The caller has checked that the cells are inside the grid.
  private mutating func set(_ character: Character, _ ink: Ink, _ width: Int, row: Int, column: Int) {
    breakUp(row: row, column: column)
    breakUp(row: row, column: column + width)
    let start = row * size.columns + column
    cells[start] = Cell(character: character, ink: ink, isSelected: false, width: UInt8(width))
    for next in start + 1..<max(start + 1, start + width) {
      cells[next] = Cell(character: " ", ink: ink, isSelected: false, width: 0)
    }
  }

  /// Blanks a wide character that begins before this column and reaches into it, as one of its cells is about to go.
  private mutating func breakUp(row: Int, column: Int) {
    let (start, end) = (row * size.columns, (row + 1) * size.columns)
    let place = start + column
    guard place < end, cells[place].width == 0 else { return }
    let first = cells[start..<place].lastIndex { $0.width > 0 } ?? start
    for next in first..<(cells[place..<end].firstIndex { $0.width > 0 } ?? end) {
      cells[next].character = " "
      cells[next].width = 1
    }
  }
}
