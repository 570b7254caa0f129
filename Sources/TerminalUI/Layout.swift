/// Which part of the screen belongs to what, for one size.
struct Layout: Hashable, Sendable {
  /// Below this the screen only says what it needs.
  static let smallest = Size(columns: 20, rows: 3)

  let header: Field
  /// Everything between the header and what is at the bottom.
  let body: Area
  /// Column heads and rows; empty while the details have the whole window.
  let table: Area
  let details: Area
  let placement: Placement
  /// What is to be said above the footer; nil while there is nothing or no room for it.
  let status: Field?
  /// Footer, field, question or message.
  let bottom: Field

  /// Where the details stand.
  enum Placement: Hashable, Sendable {
    case hidden, below, beside, alone
  }

  init(_ size: Size, details isShown: Bool, status hasStatus: Bool) {
    let hasStatus = hasStatus && size.rows > Self.smallest.rows
    status = hasStatus ? Field(row: size.rows - 2, column: 0, width: size.columns) : nil
    header = Field(row: 0, column: 0, width: size.columns)
    bottom = Field(row: size.rows - 1, column: 0, width: size.columns)
    body = Area(row: 1, column: 0, columns: size.columns, rows: max(0, size.rows - (hasStatus ? 3 : 2)))
    placement = Self.placement(size, isShown)
    (table, details) = Self.split(body, placement)
  }

  /// Heads leave first when there is hardly a row.
  var hasHeads: Bool { table.rows >= 3 }
  var list: Area { table.dropping(hasHeads ? 1 : 0) }

  private static func placement(_ size: Size, _ isShown: Bool) -> Placement {
    guard isShown else { return .hidden }
    if size.columns >= 150 { return .beside }
    return size.rows >= 24 ? .below : .alone
  }

  private static func split(_ body: Area, _ placement: Placement) -> (table: Area, details: Area) {
    let nothing = Area(row: body.row, column: 0, columns: 0, rows: 0)
    switch placement {
    case .hidden: return (body, nothing)
    case .alone: return (nothing, body)
    case .below:
      let table = body.top(body.rows - min(18, body.rows * 11 / 20))
      return (table, body.dropping(table.rows))
    case .beside:
      let columns = max(50, min(90, body.columns * 2 / 5))
      let table = Area(row: body.row, column: 0, columns: body.columns - columns, rows: body.rows)
      return (table, Area(row: body.row, column: table.columns, columns: columns, rows: body.rows))
    }
  }
}
