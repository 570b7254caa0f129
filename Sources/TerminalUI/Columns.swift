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

  /// Cells that a column takes at least, and up to which it grows; the surplus is dealt out in the order of `growth`.
  private static let growth: [(kind: Kind, width: Int)] = [
    (.progress, 12), (.state, 22), (.name, 32), (.progress, 24), (.state, 30), (.name, 48), (.state, 44),
    (.progress, 40), (.name, 72), (.state, .max),
  ]

  init(width: Int, numberWidth: Int) {
    let gap = width >= 100 ? 2 : 1
    var widths = Self.smallest(numberWidth)
    var steps = Step.allCases[...]
    while Self.total(widths, gap) > width, let step = steps.popFirst() { Self.take(step, from: &widths) }
    hasWords = widths[.state, default: 1] > 1
    Self.grow(&widths, by: width - Self.total(widths, gap))
    placed = Self.place(widths, gap)
  }

  private static func smallest(_ numberWidth: Int) -> [Kind: Int] {
    [
      .number: numberWidth, .name: 20, .progress: 8, .percent: 4, .size: 8, .speed: 10, .eta: 8, .connections: 2,
      .state: 14,
    ]
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

  /// With a cell of margin at either side.
  private static func total(_ widths: [Kind: Int], _ gap: Int) -> Int {
    widths.values.reduce(2 + gap * (widths.count - 1), +)
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

  private static func place(_ widths: [Kind: Int], _ gap: Int) -> [Placed] {
    var column = 1
    return Kind.allCases.compactMap { kind in
      guard let width = widths[kind] else { return nil }
      defer { column += width + gap }
      return Placed(kind: kind, column: column, width: width)
    }
  }
}
