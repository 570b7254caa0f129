/// What a key of the table means.
package enum Intent: Hashable, Sendable {
  case move(Move)
  case add, pause, resume, start, pauseAll, resumeAll, remove, deleteFile, undo
  case limit, limitOfAll, connections, newAddress
  case copyAddress, copyPath, openFile, openFolder
  case mark, markRange, invertMarks
  /// To the next column, or the other way round.
  case sort(by: Int), reverseSort
  case filter, hideDone
  case view(Arrangement.View), nextView(by: Int)
  /// So many places later in the queue.
  case shift(by: Int)
  case commandLine, details, scrollDetails(by: Int), back, theme, help, redraw, suspend, quit

  package enum Move: Hashable, Sendable {
    case up, down, pageUp, pageDown, first, last
  }
}

extension Intent {
  /// Whether there is a point to it while the list is empty.
  var needsNoDownload: Bool {
    switch self {
    case .add, .undo, .limitOfAll, .commandLine, .theme, .help, .redraw, .suspend, .quit: true
    case .move, .pause, .resume, .start, .pauseAll, .resumeAll, .remove, .deleteFile, .limit, .connections, .newAddress,
      .copyAddress, .copyPath, .openFile, .openFolder, .mark, .markRange, .invertMarks, .sort, .reverseSort, .filter,
      .hideDone, .view, .nextView, .shift, .details, .scrollDetails, .back:
      false
    }
  }
}

/// The one table of keys: the footer, the help and the manual are made of it.
package enum KeyMap {
  /// Keys that belong together, how they are written, and what they do.
  package struct Binding: Hashable, Sendable {
    package let keys: [Key]
    /// As people write the keys: `PgUp`, `Ctrl-L`.
    package let shown: String
    package let help: String
    /// Nil keeps it out of the footer.
    let footer: Footer?
    /// What each of the keys means; the last one holds for all that follow.
    let intents: [Intent]

    init(_ keys: [Key], _ shown: String, _ help: String, _ intents: Intent..., footer: Footer? = nil) {
      self.keys = keys
      self.shown = shown
      self.help = help
      self.intents = intents
      self.footer = footer
    }

    var needsNoDownload: Bool { intents.allSatisfy(\.needsNoDownload) }

    func intent(of index: Int) -> Intent? { index < intents.count ? intents[index] : intents.last }
  }

  /// What the footer says of a binding.
  struct Footer: Hashable, Sendable {
    /// As the footer writes the key, and the key that a click on it presses.
    let shown: String
    let pressed: Key
    let word: String
    /// Where room is scarce the highest leaves first.
    let rank: Int

    init(_ shown: String, _ pressed: Key, _ word: String, _ rank: Int) {
      self.shown = shown
      self.pressed = pressed
      self.word = word
      self.rank = rank
    }
  }

  /// In the order of the help.
  package static let bindings: [Binding] = [
    Binding(
      [.character("a")], "a", "add: address, folder, name, checksum; or just paste", .add,
      footer: Footer("a", .character("a"), "Add", 2)),
    Binding(
      [.character("p")], "p", "pause", .pause, footer: Footer("p", .character("p"), "Pause", 3)),
    Binding(
      [.character("r")], "r", "resume, or try again; asks if the file has changed", .resume,
      footer: Footer("r", .character("r"), "Resume", 4)),
    Binding(
      [.character("s")], "s", "start now, above the limit of jobs too", .start,
      footer: Footer("s", .character("s"), "Start", 9)),
    Binding([.character("P")], "P", "pause all", .pauseAll),
    Binding([.character("R")], "R", "resume all", .resumeAll),
    Binding(
      [.character(" ")], "Space", "mark; commands act on the marked rows that are shown", .mark,
      footer: Footer("Space", .character(" "), "Mark", 8)),
    Binding([.character("v")], "v", "mark from the row marked last to this one", .markRange),
    Binding([.character("*")], "*", "mark what is not, and the other way round", .invertMarks),
    Binding(
      [.character("d"), .delete], "d Delete", "remove from the list; asks about the partial file", .remove,
      footer: Footer("d", .character("d"), "Remove", 5)),
    Binding([.character("D")], "D", "delete the finished file; asks", .deleteFile),
    Binding(
      [.character("z")], "z", "bring back what was removed last, within a minute", .undo),
    Binding(
      [.character("l"), .character("L")], "l L", "speed limit of this download, of all together", .limit, .limitOfAll,
      footer: Footer("l", .character("l"), "Limit", 11)),
    Binding([.character("x")], "x", "connections of this download", .connections),
    Binding([.character("u")], "u", "give it a new address; what is on the disk is kept", .newAddress),
    Binding(
      [.character("c"), .character("C")], "c C", "copy the address, the path", .copyAddress, .copyPath),
    Binding(
      [.character("o"), .character("O")], "o O", "open the file, the folder", .openFile, .openFolder),
    Binding(
      [.character("J"), .character("K")], "J K", "later, earlier in the queue", .shift(by: 1), .shift(by: -1)),
    Binding(
      [.character(":")], ":", "change an option, scan FOLDER, add URL…; Tab completes", .commandLine),
    Binding(
      [.enter, .character("i")], "Enter i", "show or hide the details", .details,
      footer: Footer("Enter", .enter, "Details", 6)),
    Binding(
      [.character("["), .character("]")], "[ ]", "scroll the details", .scrollDetails(by: -1), .scrollDetails(by: 1)),
    Binding(
      [.character("/")], "/", "filter: words of the name, host or state; Esc clears", .filter,
      footer: Footer("/", .character("/"), "Filter", 7)),
    Binding(
      [.character("<"), .character(">"), .character("I")], "< > I",
      "sort by the column on the left, right; reverse", .sort(by: -1), .sort(by: 1), .reverseSort,
      footer: Footer("< >", .character(">"), "Sort", 10)),
    Binding(
      [.character("1"), .character("2"), .character("3"), .character("4"), .character("5")], "1 2 3 4 5",
      "all, active, queued or paused, done, failed ones", .view(.all), .view(.active), .view(.queued),
      .view(.done), .view(.failed)),
    Binding([.tab, .backTab], "Tab", "the next of these views", .nextView(by: 1), .nextView(by: -1)),
    Binding([.character("H")], "H", "hide what is done, or show it again", .hideDone),
    Binding([.escape], "Esc", "close the details, clear the filter, the marks", .back),
    Binding([.up, .character("k")], "↑ k", "one up", .move(.up)),
    Binding([.down, .character("j")], "↓ j", "one down", .move(.down)),
    Binding([.pageUp, .control("b")], "PgUp", "a page up", .move(.pageUp)),
    Binding([.pageDown, .control("f")], "PgDn", "a page down", .move(.pageDown)),
    Binding([.home, .character("g")], "Home g", "first", .move(.first)),
    Binding([.end, .character("G")], "End G", "last", .move(.last)),
    Binding([.character("t")], "t", "the next theme", .theme),
    Binding(
      [.character("?"), .character("h"), .function(1)], "? h F1", "this help", .help,
      footer: Footer("?", .character("?"), "Help", 1)),
    Binding([.control("l")], "Ctrl-L", "redraw", .redraw),
    Binding([.control("z")], "Ctrl-Z", "suspend", .suspend),
    Binding(
      [.character("q"), .control("c")], "q Ctrl-C", "quit and save all; q asks if something is active", .quit,
      footer: Footer("q", .character("q"), "Quit", 0)),
  ]

  /// Keys of the address field, for the help.
  package static let fieldKeys: [(shown: String, help: String)] = [
    ("Enter Esc", "accept, cancel"),
    ("Tab ↑ ↓", "other fields; on a : line completion, earlier lines"),
    ("← → Home End", "move; also Ctrl-B F A E"),
    ("Backspace Delete", "delete a character; also Ctrl-H D"),
    ("Ctrl-W U K", "delete the word, to the start, to the end"),
  ]

  /// What the mouse does, for the help.
  package static let mouse: [(shown: String, help: String)] = [
    ("Click", "choose a row, sort by a head, view a count, press a word"),
    ("Double click", "show or hide the details"),
    ("Wheel", "scroll"),
    ("Shift", "held down it leaves the mouse to the terminal"),
  ]

  package static func intent(of key: Key) -> Intent? { intents[key] }

  private static let intents: [Key: Intent] = Dictionary(
    bindings.flatMap { binding in
      binding.keys.enumerated().compactMap { index, key in binding.intent(of: index).map { (key, $0) } }
    }, uniquingKeysWith: { first, _ in first })
}
