import DownloadCore
import Testing

@testable import TerminalUI

/// Which rows the table has, in which order, and what the cursor and the marks mean when that changes.
@Suite struct ListingTests {
  private static let size = Size(columns: 120, rows: 30)

  private static func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy, on screen: inout Screen) -> [Action] {
    keys.flatMap { screen.handle($0, in: snapshot, size: size) }
  }

  private static func rows(_ keys: [Key], in snapshot: Snapshot = Samples.busy) -> [Int] {
    var screen = Screen()
    screen.observe(snapshot, size: size)
    _ = press(keys, in: snapshot, on: &screen)
    return screen.listing.rows.map(\.id.number)
  }

  private static func typed(_ text: String) -> [Key] { text.map { .character($0) } }

  @Test(
    arguments: [
      ("", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
      ("I", [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
      (">", [7, 14, 10, 1, 9, 13, 5, 8, 4, 12, 11, 6, 2, 3]),
      (">I", [3, 2, 6, 11, 12, 4, 8, 5, 13, 9, 1, 10, 14, 7]),
      (">>", [5, 10, 11, 14, 1, 4, 9, 12, 6, 2, 7, 8, 13, 3]),
      (">>>", [6, 2, 4, 10, 9, 1, 5, 12, 14, 11, 3, 7, 8, 13]),
      (">>>I", [11, 14, 12, 5, 1, 9, 10, 4, 2, 6, 3, 7, 8, 13]),
      (">>>>", [1, 2, 3, 9, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14]),
      (">>>>>", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
      ("<", [1, 2, 3, 9, 13, 10, 4, 7, 6, 12, 8, 14, 5, 11]),
      (">>>>>>>", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    ]) func theTableIsSortedByOneColumn(_ keys: String, _ expected: [Int])
  {
    #expect(Self.rows(Self.typed(keys)) == expected)
  }

  @Test func namesAreSortedAsPeopleCount() {
    let names = ["part-10", "Part-9", "part-1", "part-010b", "part", "Ähre", "ähre 2"]
    let snapshot = Snapshot(downloads: names.enumerated().map { Samples.item($0 + 1, $1, .queued) })
    #expect(Self.rows([.character(">")], in: snapshot) == [5, 3, 2, 1, 4, 6, 7])
  }

  @Test(
    arguments: [
      ("1", Array(1...14)), ("2", [1, 2, 3, 4, 9, 10, 13]), ("3", [6, 7, 12]), ("4", [5, 11]), ("5", [8, 14]),
      ("H", [1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14]), ("HH", Array(1...14)), ("4H", [5, 11]), ("H4", [5, 11]),
      ("/iso", [1, 2, 9]), ("/ISO dora", [9]), ("/404", [8]), ("/stalled", [9]), ("/mirror.example pdf", [7]),
      ("/日本", [3]), ("/sha-256", [5]), ("/  ", Array(1...14)), ("/no such", []),
    ] as [(String, [Int])]) func aViewAndAFilterLeaveRowsOut(_ keys: String, _ expected: [Int])
  {
    #expect(Self.rows(Self.typed(keys)) == expected)
  }

  @Test func tabGoesThroughTheViews() {
    #expect(Self.rows([.tab]) == Self.rows([.character("2")]))
    #expect(Self.rows([.backTab]) == Self.rows([.character("5")]))
    #expect(Self.rows(Array(repeating: .tab, count: 5)) == Array(1...14))
  }

  @Test func escapeClearsTheFilterWhileTypingAndAfterwards() {
    #expect(Self.rows(Self.typed("/iso") + [.escape]) == Array(1...14))
    #expect(Self.rows(Self.typed("/iso") + [.enter]) == [1, 2, 9])
    #expect(Self.rows(Self.typed("/iso") + [.enter, .escape]) == Array(1...14))
    #expect(Self.rows(Self.typed("/isox") + [.enter, .character("/"), .backspace]) == [1, 2, 9])
  }

  @Test func theSelectionSurvivesSortingAndWhateverLeavesItOnTheScreen() {
    var screen = Screen()
    _ = Self.press([.down, .down, .down], on: &screen)
    for keys in [">", ">", "I", "<", "2", "1", "H", "/mod", "\u{1B}", "H"] {
      _ = Self.press(keys.map { $0 == "\u{1B}" ? .escape : .character($0) } + [.enter, .enter], on: &screen)
      #expect(screen.selected(in: Samples.busy) == DownloadID(4), "\(keys)")
    }
  }

  @Test func rowsThatAreSortedByAFigureMoveOnceASecondOnly() {
    var snapshot = Samples.many(3)
    for index in 0..<3 { snapshot.downloads[index].speed = Int64(index) }
    var screen = Screen()
    _ = Self.press(Self.typed(">>>>"), in: snapshot, on: &screen)
    #expect(screen.listing.rows.map(\.id.number) == [3, 2, 1])
    snapshot.downloads[0].speed = 9
    snapshot.moment += .milliseconds(900)
    screen.observe(snapshot, size: Self.size)
    #expect(screen.listing.rows.map(\.id.number) == [3, 2, 1])
    snapshot.moment += .milliseconds(100)
    screen.observe(snapshot, size: Self.size)
    #expect(screen.listing.rows.map(\.id.number) == [1, 3, 2])
  }

  @Test func aNewDownloadTakesItsPlaceAtOnce() {
    var snapshot = Samples.many(3)
    var screen = Screen()
    _ = Self.press([.character(">"), .character("I")], in: snapshot, on: &screen)
    snapshot.downloads.append(Samples.item(4, "zebra", .queued))
    screen.observe(snapshot, size: Self.size)
    #expect(screen.listing.rows.map(\.id.number) == [4, 3, 2, 1])
    #expect(screen.selected(in: snapshot) == DownloadID(1))
  }

  private static func these(_ numbers: Int...) -> Command.Selection { .these(numbers.map(DownloadID.init)) }
  private static func move(_ number: Int, _ distance: Int) -> Action {
    .command(.move(DownloadID(number), by: distance))
  }

  @Test(
    arguments: [
      (typed(" p"), [.command(.pause(these(1)))]),
      (typed("  p"), [.command(.pause(these(1, 2)))]),
      (typed(" k p"), [.command(.pause(these(2)))]),
      (typed(" jjvp"), [.command(.pause(these(1, 2, 3, 4)))]),
      (typed("jvkkvs"), [.command(.start(these(1, 2)))]),
      (typed("*") + typed("dk"), [.command(.remove(.these((1...14).map(DownloadID.init)), .keep))]),
      (typed(" *5p"), [.command(.pause(these(8, 14)))]),
      (typed("  5p"), [.command(.pause(these(14)))]),
      (typed("  5j1p"), [.command(.pause(these(1, 2)))]),
      (typed("  ") + [.escape] + typed("p"), [.command(.pause(these(3)))]),
      (typed("4*1jdd"), []), (typed("4*1dk"), [.command(.remove(these(5, 11), .keep))]),
      (typed("J"), [move(1, 1)]), (typed("jK"), [move(2, -1)]), (typed("K"), []), (typed("GJ"), []),
      (typed("  J"), [move(2, 1), move(1, 1)]), (typed("j  K"), [move(2, -1), move(3, -1)]),
      (typed("  K"), []), (typed(" j K"), [move(3, -1)]), (typed("IJ"), [move(1, 1)]), (typed("IK"), []),
      (typed("H3J"), [move(6, 1)]), (typed("3 J"), [move(6, 1)]), (typed("3jJ"), [move(7, 5)]),
      (typed("3*J"), []), (typed("3  J"), [move(7, 5), move(6, 5)]), (typed(">J"), []),
    ] as [([Key], [Action])]) func commandsActOnWhatIsMarkedAndShown(_ keys: [Key], _ actions: [Action])
  {
    var screen = Screen()
    #expect(Self.press(keys, on: &screen) == actions)
  }

  @Test func movingInTheQueueMakesThatOrder() {
    var order = Array(1...14)
    var screen = Screen()
    for action in Self.press(Self.typed("3  J"), on: &screen) {
      guard case .command(.move(let id, let distance)) = action, let place = order.firstIndex(of: id.number) else {
        continue
      }
      order.remove(at: place)
      order.insert(id.number, at: place + distance)
    }
    #expect(order == [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 6, 7, 13, 14])
  }

  @Test func marksOfDownloadsThatAreGoneAreForgotten() {
    var screen = Screen()
    _ = Self.press(Self.typed("  "), on: &screen)
    var less = Samples.busy
    less.downloads.removeFirst(2)
    screen.observe(less, size: Self.size)
    #expect(screen.marks.isEmpty)
    #expect(Self.press([.character("p")], in: less, on: &screen) == [.command(.pause(Self.these(3)))])
  }

  @Test func ofSeveralTheChangedFilesAreAskedAboutAndTheOthersGoOn() {
    var screen = Screen()
    #expect(
      Self.press(Self.typed("*r"), in: Samples.stopped, on: &screen) == [.command(.resume(Self.these(2, 3, 4)))])
    #expect(
      Self.press(Self.typed("r"), in: Samples.stopped, on: &screen) == [
        .command(.restart(Self.these(1), keepOld: false))
      ])
  }

  @Test(arguments: UInt64(1)...60) func whateverHappensTheSelectionStaysOnWhatIsStillShown(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var screen = Screen()
    var snapshot = Samples.many(40)
    for step in 0..<60 {
      let before = screen.selected(in: snapshot)
      snapshot.moment += .milliseconds(300)
      for _ in 0..<3 where !snapshot.downloads.isEmpty {
        let place = Int.random(in: 0..<snapshot.downloads.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: snapshot.downloads.remove(at: place)
        case 1: snapshot.downloads.append(Samples.item(1000 * (step + 1) + place, "new \(place)", .queued))
        case 2: snapshot.downloads.swapAt(place, snapshot.downloads.count - 1)
        case 3: snapshot.downloads[place].state = random.pick([.active, .completed(.size), .queued], or: .queued)
        default: snapshot.downloads[place].speed = Int64.random(in: 0...1 << 30, using: &random)
        }
      }
      screen.observe(snapshot, size: Self.size)
      if step > 0, let before, screen.listing.index(of: before) != nil {
        #expect(screen.selected(in: snapshot) == before, "seed \(seed), step \(step)")
      }
      let settled = screen.selected(in: snapshot)
      _ = screen.handle(.character(random.pick(Array("<>I12345Hv*JK"), or: "1")), in: snapshot, size: Self.size)
      if let settled, screen.listing.index(of: settled) != nil {
        #expect(screen.selected(in: snapshot) == settled, "seed \(seed), step \(step)")
      }
    }
  }
}
