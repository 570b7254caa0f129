import DownloadCore
import Testing

@testable import TerminalUI

@Suite struct EverySize {
  private static let sizes: [Size] = {
    let columns =
      Array(0...24) + [
        30, 38, 39, 40, 45, 50, 59, 60, 79, 80, 81, 99, 100, 119, 120, 149, 150, 151, 199, 200, 299, 500,
      ]
    let rows = Array(0...8) + [12, 16, 23, 24, 25, 50, 200]
    return columns.flatMap { column in rows.map { Size(columns: column, rows: $0) } }
  }()

  private static let prologues: [[Key]] = [
    [.paste("curl -u a:b -H 'X: 1' https://a/ --data x\nhttps://b/ 日本 https://c/\u{301}")],
    [.character("u"), .paste("日本")],
    [.character(":"), .character("j"), .tab], [.character("l"), .character("x"), .enter], [.character("D")],
    [.character("q")],
    [], [.enter], [.character("a"), .character("x")], [.character("?")], [.character("d")], [.end, .enter],
    [.character("*"), .character("H"), .character(">"), .character("I")], [.character("/"), .character("a")],
  ]

  @Test(arguments: prologues.indices) func everySizeRendersWhateverIsShown(_ prologue: Int) {
    for snapshot in [Snapshot(), Samples.detailed, Samples.foreign] {
      for size in Self.sizes {
        var screen = Screen(.init(ascii: size.columns % 2 == 1))
        for key in Self.prologues[prologue] { _ = screen.handle(key, in: snapshot, size: size) }
        let grid = screen.render(snapshot, size: size)
        #expect(Self.isWhole(grid), "\(size)")
      }
    }
  }

  @Test(arguments: UInt64(1)...40) func randomKeysOnRandomSnapshotsAtRandomSizesNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var screen = Screen(.init(ascii: random.flip(2), utcOffset: random.pick([0, 50_400, -43_200], or: 0)))
    for _ in 0..<25 {
      let (snapshot, size) = (random.snapshot(), random.size())
      for _ in 0..<6 {
        let actions = screen.handle(random.key(), in: snapshot, size: size)
        if case .add(let downloads)? = actions.first { screen.refuse(downloads, because: "seed \(seed)") }
      }
      #expect(Self.isWhole(screen.render(snapshot, size: size)), "seed \(seed), \(size)")
      let hasRows = !screen.listing(of: snapshot).rows.isEmpty
      #expect((screen.selected(in: snapshot) != nil) == hasRows, "seed \(seed)")
    }
  }

  /// Every cell is accounted for: a wide character owns exactly the empty cells that follow it, and nothing harmful is left.
  private static func isWhole(_ grid: CellGrid) -> Bool {
    (0..<grid.size.rows).allSatisfy { row in
      let cells = grid.row(row)
      guard cells.count == grid.size.columns, cells.first?.width != 0 else { return cells.isEmpty }
      return cells.reduce(0) { $0 + Int($1.width) } == cells.count && cells.allSatisfy { isHarmless($0.character) }
    }
  }

  private static func isHarmless(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.value != 0x202E }
  }
}
