/// The columns of the table and where they stand for one width.
struct Columns: Hashable, Sendable {
  /// From left to right.
  enum Kind: Int, CaseIterable, Hashable, Sendable {
    case number, name, progress, percent, size, speed, eta, connections, state
  }

  struct Placed: Hashable, Sendable {
    let kind: Kind
    let column: Int
    let width: Int
  }

  let placed: [Placed]
  /// Whether the state has room for words beside its sign.
  let hasWords: Bool

  /// One step towards a narrower table; NAME, the percentage and the state's sign always stay.
  private enum Step: CaseIterable {
    case connections, number, words, size, eta, speed, progress
  }

  /// Up to how many cells a column grows; the surplus is dealt out in this order.
  private static let growth: [(kind: Kind, width: Int)] = [
    (.name, 20), (.state, 20), (.name, 22), (.progress, 12), (.state, 24), (.name, 26), (.progress, 20), (.name, 34),
    (.progress, 24), (.state, 32), (.name, 48), (.progress, 32), (.state, 64), (.name, 72), (.progress, 40),
    (.state, 90),
  ]

  init(width: Int, numberWidth: Int) {
    let isWide = width >= 100
    var widths = Self.smallest(numberWidth)
    var steps = Step.allCases[...]
    while Self.total(widths, isWide) > width, let step = steps.popFirst() { Self.take(step, from: &widths) }
    hasWords = widths[.state, default: 1] > 1
    Self.grow(&widths, by: width - Self.total(widths, isWide))
    placed = Self.place(widths, isWide)
  }

  private static func smallest(_ numberWidth: Int) -> [Kind: Int] {
    [
      .number: numberWidth, .name: 17, .progress: 8, .percent: 4, .size: 8, .speed: 10, .eta: 7, .connections: 2,
      .state: 15,
    ]
  }

  /// Blank cells before a column. Figures that seldom fill their column stand apart without a second one.
  private static func gap(before kind: Kind, _ isWide: Bool) -> Int {
    switch kind {
    case .number, .name, .progress, .speed, .eta, .state: isWide ? 2 : 1
    case .percent, .size, .connections: 1
    }
  }

  private static func take(_ step: Step, from widths: inout [Kind: Int]) {
    switch step {
    case .connections: widths[.connections] = nil
    case .number: widths[.number] = nil
    case .words: widths[.state] = 1
    case .size: widths[.size] = nil
    case .eta: widths[.eta] = nil
    case .speed: widths[.speed] = nil
    case .progress: widths[.progress] = nil
    }
  }

  /// What stands in this cell, or before the gap that this cell is in.
  func kind(at column: Int) -> Kind? { placed.last { $0.column <= column }?.kind }

  /// With a cell of margin at either side.
  private static func total(_ widths: [Kind: Int], _ isWide: Bool) -> Int {
    let first = widths.keys.min { $0.rawValue < $1.rawValue }
    return widths.reduce(2) { $0 + $1.value + ($1.key == first ? 0 : gap(before: $1.key, isWide)) }
  }

  private static func grow(_ widths: inout [Kind: Int], by surplus: Int) {
    guard surplus > 0 else {
      widths[.name, default: 0] = max(1, widths[.name, default: 0] + surplus)
      return
    }
    var rest = surplus
    for step in growth {
      guard let width = widths[step.kind], step.kind != .state || width > 1 else { continue }
      let more = min(rest, max(0, step.width - width))
      widths[step.kind] = width + more
      rest -= more
    }
    widths[.name, default: 0] += rest  // without words NAME takes it all
  }

  private static func place(_ widths: [Kind: Int], _ isWide: Bool) -> [Placed] {
    var end: Int?
    return Kind.allCases.compactMap { kind in
      guard let width = widths[kind] else { return nil }
      let column = end.map { $0 + gap(before: kind, isWide) } ?? 1
      end = column + width
      return Placed(kind: kind, column: column, width: width)
    }
  }
}
