import DownloadCore
import TerminalUI
import Testing

/// Screens as pictures: keys in, golden text out.
@Suite struct ScreenPictures {
  private struct Scene {
    var name: String
    var columns: Int
    var rows: Int
    var keys: [Key] = []
    var snapshot = Samples.busy
    var ascii = false
  }

  private static let scenes: [Scene] = [
    Scene(name: "empty-80x24", columns: 80, rows: 24, snapshot: Snapshot(freeSpace: 5 << 30)),
    Scene(name: "empty-20x3", columns: 20, rows: 3, snapshot: Snapshot()),
    Scene(name: "busy-160x45", columns: 160, rows: 45),
    Scene(name: "busy-120x40", columns: 120, rows: 40),
    Scene(name: "busy-100x20", columns: 100, rows: 20),
    Scene(name: "busy-80x24", columns: 80, rows: 24),
    Scene(name: "busy-60x20", columns: 60, rows: 20),
    Scene(name: "busy-40x10", columns: 40, rows: 10),
    Scene(name: "busy-20x5", columns: 20, rows: 5),
    Scene(name: "too-small-12x2", columns: 12, rows: 2),
    Scene(name: "ascii-120x20", columns: 120, rows: 20, ascii: true),
    Scene(name: "foreign-100x12", columns: 100, rows: 12, snapshot: Samples.foreign),
    Scene(name: "foreign-50x12", columns: 50, rows: 12, snapshot: Samples.foreign),
    Scene(name: "details-beside-200x50", columns: 200, rows: 50, keys: [.enter], snapshot: Samples.detailed),
    Scene(name: "details-below-120x40", columns: 120, rows: 40, keys: [.enter], snapshot: Samples.detailed),
    Scene(name: "details-below-80x24", columns: 80, rows: 24, keys: [.character("i")], snapshot: Samples.detailed),
    Scene(name: "details-alone-60x16", columns: 60, rows: 16, keys: [.enter], snapshot: Samples.detailed),
    Scene(name: "details-failed-100x30", columns: 100, rows: 30, keys: [.enter, .end]),
    Scene(
      name: "details-ascii-100x30", columns: 100, rows: 30, keys: [.enter], snapshot: Samples.detailed, ascii: true),
    Scene(name: "help-80x30", columns: 80, rows: 30, keys: [.character("?")]),
    Scene(name: "help-ascii-40x10", columns: 40, rows: 10, keys: [.function(1), .down, .down], ascii: true),
    Scene(
      name: "add-80x10", columns: 80, rows: 10,
      keys: [.character("a"), .paste("https://a.example/x\nhttps://b.example/y")]),
    Scene(
      name: "add-long-40x6", columns: 40, rows: 6,
      keys: [.character("a"), .paste("https://example.org/" + String(repeating: "長い", count: 20)), .left]),
    Scene(
      name: "add-fields-100x20", columns: 100, rows: 20,
      keys: [
        .character("a"), .paste("https://mirror.example.org/pub/debian-13.1.0-amd64-netinst.iso"), .tab, .tab,
        .paste("netinst.iso"), .tab,
      ]),
    Scene(
      name: "add-two-names-80x12", columns: 80, rows: 12,
      keys: [
        .paste("https://a.example/x"), .end, .character(" "), .character("b"), .tab, .tab, .character("n"), .enter,
      ]),
    Scene(name: "add-20x5", columns: 20, rows: 5, keys: [.character("a"), .tab, .tab]),
    Scene(name: "review-100x20", columns: 100, rows: 20, keys: [.paste(Samples.pasted)]),
    Scene(name: "review-command-80x12", columns: 80, rows: 12, keys: [.paste(Samples.pastedCommand)]),
    Scene(
      name: "add-200x50", columns: 200, rows: 50, keys: [.enter, .character("a"), .character("x")],
      snapshot: Samples.detailed),
    Scene(name: "review-200x50", columns: 200, rows: 50, keys: [.paste(Samples.pastedCommand + "\n" + Samples.pasted)]),
    Scene(name: "limit-20x4", columns: 20, rows: 4, keys: [.character("l"), .character("2")]),
    Scene(name: "quitting-40x6", columns: 40, rows: 6, keys: [.character("q")]),
    Scene(
      name: "details-scrolled-80x24", columns: 80, rows: 24, keys: [.enter, .character("]"), .character("]")],
      snapshot: Samples.detailed),
    Scene(name: "review-40x5", columns: 40, rows: 5, keys: [.paste(Samples.pasted), .down, .character(" ")]),
    Scene(name: "review-ascii-80x12", columns: 80, rows: 12, keys: [.paste(Samples.pasted)], ascii: true),
    Scene(name: "remove-80x10", columns: 80, rows: 10, keys: [.character("d")]),
    Scene(name: "remove-finished-60x10", columns: 60, rows: 10, keys: Array(repeating: .down, count: 4) + [.delete]),
    Scene(name: "stopped-100x8", columns: 100, rows: 8, snapshot: Samples.stopped),
    Scene(name: "changed-80x8", columns: 80, rows: 8, keys: [.character("r")], snapshot: Samples.stopped),
    Scene(name: "limit-80x10", columns: 80, rows: 10, keys: [.character("l"), .character("2"), .character("M")]),
    Scene(name: "limit-of-all-60x8", columns: 60, rows: 8, keys: [.character("L")]),
    Scene(
      name: "connections-wrong-80x8", columns: 80, rows: 8,
      keys: [.character("x"), .character("9"), .character("9"), .enter]),
    Scene(
      name: "new-address-120x10", columns: 120, rows: 10, keys: [.character("u"), .paste("https://b.example/new")]),
    Scene(name: "new-address-40x6", columns: 40, rows: 6, keys: [.character("u"), .paste("https://b.example/new")]),
    Scene(name: "delete-80x8", columns: 80, rows: 8, keys: Array(repeating: .down, count: 4) + [.character("D")]),
    Scene(name: "removed-80x10", columns: 80, rows: 10, keys: [.character("d"), .character("d")]),
    Scene(name: "quitting-80x8", columns: 80, rows: 8, keys: [.character("q")]),
    Scene(name: "command-60x8", columns: 60, rows: 8, keys: [.character(":"), .paste("scan /data")]),
    Scene(name: "states-80x36", columns: 80, rows: 36, snapshot: Samples.states),
    Scene(name: "states-100x36", columns: 100, rows: 36, snapshot: Samples.states),
    Scene(name: "states-120x36", columns: 120, rows: 36, snapshot: Samples.states),
    Scene(name: "states-200x36", columns: 200, rows: 36, snapshot: Samples.states),
    Scene(name: "marked-80x16", columns: 80, rows: 16, keys: [.down, .character(" "), .down, .down, .character("v")]),
    Scene(name: "filtering-100x12", columns: 100, rows: 12, keys: [.character("/"), .paste("ISO act"), .left]),
    Scene(
      name: "filtered-marked-80x12", columns: 80, rows: 12,
      keys: [.character("*"), .character("/"), .paste("example 404"), .enter, .tab, .backTab]),
    Scene(name: "nothing-shown-80x8", columns: 80, rows: 8, keys: [.character("/"), .paste("no such"), .enter]),
    Scene(name: "view-failed-80x8", columns: 80, rows: 8, keys: [.character("5")]),
    Scene(name: "done-hidden-40x8", columns: 40, rows: 8, keys: [.character("H"), .end]),
    Scene(name: "sorted-by-size-120x20", columns: 120, rows: 20, keys: Array(repeating: .character(">"), count: 3)),
    Scene(
      name: "sorted-by-name-down-80x20", columns: 80, rows: 20, keys: [.character(">"), .character("I")]),
    Scene(
      name: "sorted-by-progress-100x20", columns: 100, rows: 20, keys: [.character(">"), .character(">")], ascii: true),
    Scene(name: "remove-marked-80x8", columns: 80, rows: 8, keys: [.character(" "), .character(" "), .character("d")]),
    Scene(name: "queue-reversed-60x8", columns: 80, rows: 8, keys: [.character("I"), .home]),
    Scene(name: "scrolled-80x10", columns: 80, rows: 10, keys: [.pageDown, .down], snapshot: Samples.many(1000)),
    Scene(name: "last-80x10", columns: 80, rows: 10, keys: [.character("G")], snapshot: Samples.many(10_000)),
  ]

  @Test(arguments: scenes.map(\.name)) func aScreenLooksAsRecorded(_ name: String) throws {
    let scene = try #require(Self.scenes.first { $0.name == name })
    let size = Size(columns: scene.columns, rows: scene.rows)
    var screen = Screen(.init(ascii: scene.ascii, utcOffset: 3600))
    screen.folder = "/home/ada/Downloads"
    screen.vocabulary = [
      CommandWord("scan", "FOLDER", "adds what is unfinished in a folder"), CommandWord("jobs", "N", "active at once"),
    ]
    for key in scene.keys { _ = screen.handle(key, in: scene.snapshot, size: size) }
    try Picture.expect(screen.render(scene.snapshot, size: size), name)
  }

  @Test func whatIsToComeButWillNotFitOnTheDiskIsSaidInRed() throws {
    var snapshot = Samples.busy
    snapshot.freeSpace = 3 << 30
    try Picture.expect(Screen().render(snapshot, size: Size(columns: 120, rows: 5)), "short-of-space-120x5")
  }

  @Test func anAddressThatCannotBeUsedComesBackToTheFieldWithTheReason() throws {
    var screen = Screen()
    screen.refuse([NewDownload("fax://old.example/x")], because: "not an http or https address: fax://old.example/x")
    try Picture.expect(screen.render(Samples.busy, size: Size(columns: 80, rows: 8)), "refused-80x8")
  }

  @Test func savingIsShownWhileItLasts() throws {
    var screen = Screen()
    screen.showSaving()
    try Picture.expect(screen.render(Samples.busy, size: Size(columns: 80, rows: 6)), "saving-80x6")
  }

  @Test(arguments: [(24, 22), (6, 4), (4, 2), (3, 2)]) func aMessageStaysUntilTheNextKeyAndLeavesTheFooter(
    _ rows: Int, _ row: Int
  ) {
    let size = Size(columns: 80, rows: rows)
    var screen = Screen()
    let before = screen.render(Samples.busy, size: size)
    screen.complain("\u{1B}no\u{202E}")
    let grid = screen.render(Samples.busy, size: size)
    #expect(String(grid.row(row).map(\.character)).hasPrefix(" \u{241B}no<U+202E> "))
    if row < rows - 1 { #expect(grid.row(rows - 1) == before.row(rows - 1)) }
    _ = screen.handle(.escape, in: Samples.busy, size: size)
    #expect(screen.render(Samples.busy, size: size) == before)
  }
}
