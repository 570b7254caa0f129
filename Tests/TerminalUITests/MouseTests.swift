import DownloadCore
import Testing

@testable import TerminalUI

/// Clicks and the wheel: words are buttons, heads sort, rows are chosen.
@Suite struct MouseTests {
  private static let size = Size(columns: 120, rows: 20)
  private var screen = Screen()

  private mutating func press(_ keys: Key..., in snapshot: Snapshot = Samples.busy) -> [Action] {
    keys.flatMap { screen.handle($0, in: snapshot, size: Self.size) }
  }

  private mutating func click(
    _ row: Int, _ column: Int, _ action: Mouse.Action = .click, in snapshot: Snapshot = Samples.busy
  ) -> [Action] {
    press(.mouse(Mouse(action, row: row, column: column)), in: snapshot)
  }

  /// Clicks on the first cell of these words, wherever they stand.
  private mutating func click(on words: String, in snapshot: Snapshot = Samples.busy) throws -> [Action] {
    let grid = screen.render(snapshot, size: Self.size)
    for row in 0..<Self.size.rows {
      let text = String(grid.row(row).map { $0.width > 0 ? $0.character : "\u{0}" })
      if let range = text.firstRange(of: words) {
        return click(row, text.distance(from: text.startIndex, to: range.lowerBound), in: snapshot)
      }
    }
    Issue.record("\(words) is not on the screen")
    return []
  }

  private func selected(_ snapshot: Snapshot = Samples.busy) -> Int? { screen.selected(in: snapshot)?.number }

  @Test mutating func aClickChoosesTheRowUnderIt() {
    #expect(click(2, 5) == [] && selected() == 1)
    #expect(click(6, 100) == [] && selected() == 5)
    #expect(click(15, 0) == [] && selected() == 14)
    #expect(click(17, 0) == [] && selected() == 14)  // below the last row
    #expect(!screen.showsDetails)
  }

  @Test mutating func aDoubleClickOpensTheDetailsOfItsRow() {
    _ = click(4, 5)
    _ = click(4, 5, .doubleClick)
    #expect(screen.showsDetails && selected() == 3)
  }

  @Test mutating func theWheelScrollsAndTheCursorStaysInSight() {
    let many = Samples.many(100)
    _ = press(.down, in: many)
    _ = click(5, 5, .wheelDown, in: many)
    #expect(screen.cursor.firstRow(in: screen.listing, rows: 17) == 3 && selected(many) == 4)
    _ = click(5, 5, .wheelUp, in: many)
    #expect(screen.cursor.firstRow(in: screen.listing, rows: 17) == 0 && selected(many) == 4)
    for _ in 0..<100 { _ = click(5, 5, .wheelDown, in: many) }
    #expect(screen.cursor.firstRow(in: screen.listing, rows: 17) == 83 && selected(many) == 84)
  }

  @Test mutating func aHeadSortsAndASecondClickTurnsRound() throws {
    for (head, sort) in [
      ("NAME", Arrangement.Sort.name), ("PROGRESS", .progress), ("SIZE", .size), ("SPEED", .speed), ("ETA", .eta),
      ("STATE", .state), ("#", .queue),
    ] {
      _ = try click(on: head)
      #expect(screen.arrangement.sort == sort && !screen.arrangement.isReversed, "\(head)")
      _ = try click(on: head)
      #expect(screen.arrangement.sort == sort && screen.arrangement.isReversed, "\(head)")
    }
  }

  @Test mutating func aCountInTheHeaderShowsWhatItCounts() throws {
    for (count, view) in [
      ("▶ 6", Arrangement.View.active), ("↻ 1", .active), ("‖ 2", .queued), ("✗ 2", .failed), ("✓ 2", .done),
    ] {
      screen = Screen()
      _ = try click(on: count)
      #expect(screen.arrangement.view == view, "\(count)")
      _ = try click(on: count)
      #expect(screen.arrangement.view == .all, "\(count)")
    }
    let wide = Size(columns: 200, rows: 20)
    let text = String(screen.render(Samples.busy, size: wide).row(0).map(\.character))
    let failed = try #require(text.firstRange(of: "2 failed")).lowerBound
    let column = text.distance(from: text.startIndex, to: failed)
    for offset in [0, 7] {
      screen = Screen()
      _ = screen.handle(.mouse(Mouse(.click, row: 0, column: column + offset)), in: Samples.busy, size: wide)
      #expect(screen.arrangement.view == .failed)
    }
    screen = Screen()
    _ = screen.handle(.mouse(Mouse(.click, row: 0, column: column - 2)), in: Samples.busy, size: wide)
    #expect(screen.arrangement.view == .all)
  }

  @Test mutating func aClickOnARowMeansTheRowThatIsShown() {
    _ = press(.character(">"), .character(">"), .character(">"))
    var later = Samples.busy
    later.downloads[12].total = 1 << 50
    later.moment += .seconds(5)
    _ = click(2, 5, in: later)
    #expect(selected(later) == 6)
  }

  @Test mutating func theWordsOfTheFooterAreButtons() throws {
    #expect(try click(on: "Pause") == [.command(.pause(.these([DownloadID(1)])))])
    _ = try click(on: "q Quit")
    _ = try click(on: "Esc stay")
    #expect(screen.mode == .table)
    _ = try click(on: "Space Mark")
    #expect(screen.marks.ids == [DownloadID(1)])
    _ = try click(on: "Esc clear")
    #expect(screen.marks.isEmpty)
    _ = try click(on: "Sort")
    #expect(screen.arrangement.sort == .name)
    _ = try click(on: "Filter")
    _ = press(.character("x"), .character("z"))
    #expect(screen.listing.rows.map(\.id.number) == [5])
    _ = try click(on: "keep")
    #expect(screen.mode == .table && screen.arrangement.filter == "xz")
    _ = try click(on: "Help")
    _ = click(5, 5, .wheelDown)
    #expect(screen.mode == .help(from: 3))
    _ = try click(on: "Esc close")
    #expect(screen.mode == .table)
  }

  @Test mutating func theAnswersToAQuestionAreButtonsAndNothingElseIs() throws {
    _ = press(.character("d"))
    #expect(click(5, 5) == [] && click(19, 1) == [] && click(5, 5, .wheelDown) == [] && selected() == 1)
    #expect(try click(on: "delete it") == [.command(.remove(.these([DownloadID(1)]), .deletePart))])
    _ = press(.character("d"))
    #expect(try click(on: "cancel") == [] && screen.mode == .table)
  }

  @Test(arguments: [(0, 0), (0, 60), (-1, 5), (5, -1), (500, 5), (5, 500), (19, 119)])
  mutating func clicksOnNothingDoNothing(_ row: Int, _ column: Int) {
    let before = screen.render(Samples.busy, size: Self.size)
    #expect(click(row, column, column == 500 ? .wheelUp : .click) == [])
    if row != 5 { #expect(screen.render(Samples.busy, size: Self.size) == before) }
  }
}
