import DownloadCore
import Testing

@testable import TerminalUI

/// The pane of one download: its graph, its map, and how it is scrolled.
@Suite struct DetailTests {
  private static let plain = Glyphs(ascii: false)
  private static let ascii = Glyphs(ascii: true)

  private func texts(_ lines: [InkedText]) -> [String] { lines.map { $0.parts.map(\.text).joined() } }

  // MARK: The graph

  @Test(
    arguments: [
      ([], []), ([0, 0, 0], []), ([-5], []), ([1], ["   ⢸"]), ([8, 4, 2, 1, 0, 8, 8, 8], ["⣧⣀⢸⣿"]),
    ] as [([Int64], [String])]) func aCellHoldsTwoSeconds(_ history: [Int64], _ rows: [String])
  {
    #expect(texts(SpeedGraph(history).rows(1, width: 4, Self.plain)) == rows)
  }

  @Test func rowsStandOnEachOther() {
    let rows = texts(SpeedGraph([1, 2, 3, 4, 5, 6, 7, 8]).rows(2, width: 4, Self.plain))
    #expect(rows == ["  ⣠⣾", "⣠⣾⣿⣿"])
  }

  @Test func withoutUnicodeACellIsASecond() {
    let rows = texts(SpeedGraph([0, 1, 2, 3, 4, 5, 6]).rows(2, width: 7, Self.ascii))
    #expect(rows == ["    .:#", " .:####"])
  }

  @Test func onlyTheLastMinuteCountsAndAWideGraphHasACellForEachSecond() {
    let history = [Int64](repeating: 100, count: 40) + [Int64](repeating: 1, count: 60)
    let graph = SpeedGraph(history)
    #expect(graph.highest == 1)
    #expect(texts(graph.rows(1, width: 200, Self.plain)) == [String(repeating: "⣿", count: 60)])
    #expect(texts(graph.rows(1, width: 59, Self.plain)) == [String(repeating: "⣿", count: 30)])
  }

  @Test func hugeNumbersDoNoHarm() {
    #expect(texts(SpeedGraph([.max, .min, 1]).rows(1, width: 2, Self.plain)) == ["⢸⢀"])
    #expect(
      SpeedGraph([.max]).rows(0, width: 9, Self.plain).isEmpty && SpeedGraph([1]).rows(3, width: -4, Self.plain).isEmpty
    )
  }

  // MARK: The map

  @Test func equalCellsAreOnePart() {
    var item = Samples.item(1, "a", .active, done: 50, of: 100)
    item.missing = [50..<100]
    item.transfers = [.init(claim: 50..<60, speed: 1)]
    let rows = SegmentMap(item, width: 20).rows(width: 10, Self.plain)
    #expect(texts(rows) == ["██████████", "▒▒░░░░░░░░"])
    #expect(rows.map { $0.parts.map(\.ink) } == [[.barFull], [.busy, .barEmpty]])
  }

  // MARK: Scrolling

  private static let small = Size(columns: 80, rows: 24)

  private func bottom(_ screen: Screen, _ snapshot: Snapshot = Samples.detailed) -> String {
    let grid = screen.render(snapshot, size: Self.small)
    return (11..<23).map { String(grid.row($0).filter { $0.width > 0 }.map(\.character)) }.joined(separator: "\n")
  }

  @Test func everythingCanBeSeenBySmallSteps() {
    var screen = Screen()
    _ = screen.handle(.enter, in: Samples.detailed, size: Self.small)
    #expect(
      bottom(screen).contains("name ") && bottom(screen).contains("[ ] more")
        && !bottom(screen).contains("reset by peer"))
    for _ in 0..<9 { _ = screen.handle(.character("]"), in: Samples.detailed, size: Self.small) }
    #expect(
      bottom(screen).contains("reset by peer") && bottom(screen).contains("[ ] back")
        && !bottom(screen).contains("name "))
    for _ in 0..<9 { _ = screen.handle(.character("["), in: Samples.detailed, size: Self.small) }
    #expect(bottom(screen).contains("name "))
  }

  @Test func anotherDownloadBeginsAtItsTop() {
    var screen = Screen()
    for key in [Key.enter, .character("]"), .character("]"), .down] {
      _ = screen.handle(key, in: Samples.detailed, size: Self.small)
    }
    #expect(bottom(screen).contains("name       ubuntu"))
  }

  @Test func theWheelOverThePaneScrollsIt() {
    var screen = Screen()
    _ = screen.handle(.enter, in: Samples.detailed, size: Self.small)
    let before = bottom(screen)
    _ = screen.handle(.mouse(Mouse(.wheelDown, row: 15, column: 9)), in: Samples.detailed, size: Self.small)
    #expect(bottom(screen) != before && screen.selected(in: Samples.detailed) == DownloadID(1))
  }

  @Test func whereThereAreMirrorsEachConnectionSaysWhichItAsks() {
    var snapshot = Samples.detailed
    snapshot.downloads[0].transfers = [
      .init(claim: 0..<9, speed: 1, peer: "192.0.2.7:80", host: "m.org\u{1b}[2J"),
      .init(claim: 9..<20, speed: 1, host: "10.0.0.1:8080"),
      .init(claim: 20..<30, speed: 1, peer: "10.0.0.2:8080", host: "10.0.0.2:8080"),
    ]
    var screen = Screen()
    let size = Size(columns: 200, rows: 60)
    _ = screen.handle(.enter, in: snapshot, size: size)
    let grid = screen.render(snapshot, size: size)
    let text = (0..<60).map { String(grid.row($0).filter { $0.width > 0 }.map(\.character)) }.joined(separator: "\n")
    #expect(text.contains("10.0.0.1:8080, no answer yet") && text.contains(", 192.0.2.7:80"))
    #expect(!text.contains("10.0.0.2:8080, ") && !text.contains("\u{1b}"))
  }

  @Test func noPasswordAndNoSecretIsShown() {
    // The session hands out addresses without credentials; the pane adds nothing of the request.
    let grid = { (screen: Screen) in screen.render(Samples.detailed, size: Size(columns: 200, rows: 60)) }
    var screen = Screen()
    _ = screen.handle(.enter, in: Samples.detailed, size: Size(columns: 200, rows: 60))
    let text = (0..<60).map { String(grid(screen).row($0).map(\.character)) }.joined()
    #expect(text.contains("151.101.2.132:443") && text.contains("50.0 MiB/s, 3 connections"))
  }
}
