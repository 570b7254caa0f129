/// A rectangle of the screen.
struct Area: Hashable, Sendable {
  var row: Int
  var column: Int
  var columns: Int
  var rows: Int

  var isEmpty: Bool { rows <= 0 || columns <= 0 }
  var end: Int { row + rows }

  func contains(_ row: Int, _ column: Int) -> Bool {
    (self.row..<self.row + max(0, rows)).contains(row) && (self.column..<self.column + max(0, columns)).contains(column)
  }

  /// Row number `index` of the area, without `margin` cells at either side.
  func line(_ index: Int, margin: Int = 0) -> Field {
    Field(row: row + index, column: column + margin, width: max(0, columns - 2 * margin))
  }

  /// The lower part, from row number `index` on.
  func dropping(_ index: Int) -> Area {
    Area(row: row + index, column: column, columns: columns, rows: max(0, rows - index))
  }

  func top(_ count: Int) -> Area { Area(row: row, column: column, columns: columns, rows: min(max(0, count), rows)) }
}
