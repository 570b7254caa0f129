import DownloadCore
import TerminalUI
import Testing

@Suite struct KeyTests {
  private static let size = Size(columns: 80, rows: 24)

  /// Presses the keys one after the other and collects what is to be done.
  private static func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy, on screen: inout Screen) -> [Action] {
    keys.flatMap { screen.handle($0, in: snapshot, size: size) }
  }

  private static func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy) -> [Action] {
    var screen = Screen()
    return press(keys, in: snapshot, on: &screen)
  }

  private static func these(_ numbers: Int...) -> Command.Selection { .these(numbers.map(DownloadID.init)) }

  @Test(
    arguments: [
      ([.character("r")], []),
      ([.character("r"), .character("r")], [.command(.restart(.these([DownloadID(1)]), keepOld: false))]),
      ([.character("r"), .character("k")], [.command(.restart(.these([DownloadID(1)]), keepOld: true))]),
      ([.character("r"), .escape], []), ([.character("r"), .character("x")], []),
    ] as [([Key], [Action])])
  func aFileThatChangedOnTheServerIsAskedAbout(_ keys: [Key], _ actions: [Action]) {
    #expect(Self.press(keys, in: Samples.stopped) == actions)
  }

  @Test(
    arguments: [
      ([.character("p")], [.command(.pause(these(1)))]),
      ([.down, .character("r")], [.command(.resume(these(2)))]),
      ([.character("j"), .character("j"), .character("s")], [.command(.start(these(3)))]),
      ([.character("G"), .character("p")], [.command(.pause(these(14)))]),
      ([.end, .home, .character("p")], [.command(.pause(these(1)))]),
      ([.character("P")], [.command(.pause(.all))]),
      ([.character("R")], [.command(.resume(.all))]),
      ([.character("d"), .character("k")], [.command(.remove(these(1), .keep))]),
      ([.character(":"), .character("x"), .enter], [.commandLine("x")]),
      ([.character(":"), .enter], []),
      ([.character(":"), .character("x"), .escape, .enter], []),
      ([.delete, .character("d")], [.command(.remove(these(1), .deletePart))]),
      ([.character("d"), .escape, .character("k")], []),
      ([.character("d"), .enter, .character("x")], []),
      ([.character("q")], []),
      ([.control("c")], [.quit]),
      ([.control("l")], [.redraw]),
      ([.control("z")], [.suspend]),
      ([.character("?"), .character("q")], []),
      ([.character("?"), .control("c")], [.quit]),
      ([.character("a"), .paste("http://a/b"), .escape, .enter], []),
      ([.character("a"), .character(" "), .enter], []),
    ] as [([Key], [Action])]) func keysAskFor(_ keys: [Key], _ actions: [Action])
  {
    #expect(Self.press(keys) == actions)
  }

  @Test func aFinishedFileIsNeverDeletedFromTheQuestion() {
    let toFinished: [Key] = Array(repeating: .down, count: 4) + [.character("d")]
    #expect(Self.press(toFinished + [.character("d")]) == [])
    #expect(Self.press(toFinished + [.character("k")]) == [.command(.remove(Self.these(5), .keep))])
  }

  @Test func nothingIsAskedOfAnEmptyList() {
    let keys: [Key] =
      "prsdijkgG".map { .character($0) } + [.delete, .enter, .up, .down, .pageUp, .pageDown, .home, .end]
    #expect(Self.press(keys, in: Snapshot()) == [])
  }

  @Test func theSelectionStaysOnItsDownloadWhenRowsMove() {
    var screen = Screen()
    _ = Self.press([.down, .down], on: &screen)
    var moved = Samples.busy
    moved.downloads.reverse()
    screen.observe(moved, size: Self.size)
    #expect(screen.selected(in: moved) == DownloadID(3))
    moved.downloads.removeAll { $0.id == DownloadID(14) }
    screen.observe(moved, size: Self.size)
    #expect(screen.selected(in: moved) == DownloadID(3))
  }

  @Test func whenTheSelectedDownloadGoesItsSuccessorIsSelected() {
    var screen = Screen()
    _ = Self.press([.down], on: &screen)
    var less = Samples.busy
    less.downloads.remove(at: 1)
    screen.observe(less, size: Self.size)
    #expect(screen.selected(in: less) == DownloadID(3))
    screen.observe(Snapshot(), size: Self.size)
    #expect(screen.selected(in: Snapshot()) == nil)
  }

  @Test func aQuestionAboutADownloadThatIsGoneGoesToo() {
    var screen = Screen()
    _ = Self.press([.character("d")], on: &screen)
    var less = Samples.busy
    less.downloads.removeFirst()
    #expect(
      Self.press([.character("d"), .escape, .character("p")], in: less, on: &screen) == [
        .command(.pause(Self.these(2)))
      ])
  }

  @Test func whileSavingOnlyHaste() {
    var screen = Screen()
    screen.showSaving()
    #expect(Self.press([.character("p"), .character("q"), .paste("x"), .enter, .control("c")], on: &screen) == [.quit])
  }

  @Test func theSelectionIsAlwaysOnTheScreen() {
    var random = SeededGenerator(seed: 11)
    let snapshot = Samples.many(300)
    let moves: [Key] = [.up, .down, .pageUp, .pageDown, .home, .end]
    var screen = Screen()
    for step in 0..<300 {
      let size = Size(columns: 80, rows: Int.random(in: 3...40, using: &random))
      _ = screen.handle(random.pick(moves, or: .down), in: snapshot, size: size)
      let other = Size(columns: 80, rows: Int.random(in: 3...40, using: &random))
      let shown = (0..<other.rows).contains {
        screen.render(snapshot, size: other).row($0).contains(where: \.isSelected)
      }
      #expect(shown, "seed 11, step \(step)")
    }
  }

  @Test func noKeyMeansTwoThings() {
    let keys = KeyMap.bindings.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
  }

  @Test func everyKeyOfTheTableIsInTheHelp() {
    var screen = Screen()
    let size = Size(columns: 100, rows: 60)
    _ = screen.handle(.character("?"), in: Snapshot(), size: size)
    let grid = screen.render(Snapshot(), size: size)
    let text = (0..<60).map { String(grid.row($0).map(\.character)) }.joined()
    for binding in KeyMap.bindings { #expect(text.contains(binding.shown) && text.contains(binding.help)) }
  }
}
