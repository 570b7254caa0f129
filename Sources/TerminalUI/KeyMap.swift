/// What a key of the table means.
package enum Intent: Hashable, Sendable {
  case move(Move)
  case add, pause, resume, start, pauseAll, resumeAll, remove
  case commandLine, details, closeDetails, help, redraw, suspend, quit

  package enum Move: Hashable, Sendable {
    case up, down, pageUp, pageDown, first, last
  }
}

extension Intent {
  /// Whether there is a point to it while the list is empty.
  var needsNoDownload: Bool {
    switch self {
    case .add, .commandLine, .help, .redraw, .suspend, .quit: true
    case .move, .pause, .resume, .start, .pauseAll, .resumeAll, .remove, .details, .closeDetails: false
    }
  }
}

/// The one table of keys: the footer, the help and the manual are made of it.
package enum KeyMap {
  /// Keys that do the same, how they are written, and what they do.
  package struct Binding: Hashable, Sendable {
    package let keys: [Key]
    /// As people write the keys: `PgUp`, `Ctrl-L`.
    package let shown: String
    /// The footer's word; nil keeps it out of the footer.
    package let word: String?
    package let help: String
    package let intent: Intent

    init(_ keys: [Key], _ shown: String, _ help: String, _ intent: Intent, footer word: String? = nil) {
      self.keys = keys
      self.shown = shown
      self.word = word
      self.help = help
      self.intent = intent
    }
  }

  /// In the order of the help.
  package static let bindings: [Binding] = [
    Binding([.character("a")], "a", "add addresses, separated by blanks (or just paste them)", .add, footer: "Add"),
    Binding([.character("p")], "p", "pause", .pause, footer: "Pause"),
    Binding(
      [.character("r")], "r", "resume, or try again; asks if the file has changed", .resume,
      footer: "Resume"),
    Binding([.character("s")], "s", "start now, above the limit of jobs too", .start, footer: "Start"),
    Binding([.character("P")], "P", "pause all", .pauseAll),
    Binding([.character("R")], "R", "resume all", .resumeAll),
    Binding(
      [.character("d"), .delete], "d Delete", "remove from the list; asks about the partial file", .remove,
      footer: "Remove"),
    Binding(
      [.character(":")], ":", "a command: scan FOLDER adds what is unfinished there", .commandLine),
    Binding([.enter, .character("i")], "Enter i", "show or hide the details", .details, footer: "Details"),
    Binding([.escape], "Esc", "close the details", .closeDetails),
    Binding([.up, .character("k")], "↑ k", "one up", .move(.up)),
    Binding([.down, .character("j")], "↓ j", "one down", .move(.down)),
    Binding([.pageUp, .control("b")], "PgUp", "a page up", .move(.pageUp)),
    Binding([.pageDown, .control("f")], "PgDn", "a page down", .move(.pageDown)),
    Binding([.home, .character("g")], "Home g", "first", .move(.first)),
    Binding([.end, .character("G")], "End G", "last", .move(.last)),
    Binding([.character("?"), .character("h"), .function(1)], "? h F1", "this help", .help, footer: "Help"),
    Binding([.control("l")], "Ctrl-L", "redraw", .redraw),
    Binding([.control("z")], "Ctrl-Z", "suspend", .suspend),
    Binding([.character("q"), .control("c")], "q Ctrl-C", "quit; everything is saved", .quit, footer: "Quit"),
  ]

  /// Keys of the address field, for the help.
  package static let fieldKeys: [(shown: String, help: String)] = [
    ("Enter Esc", "accept, cancel"),
    ("← → Home End", "move; also Ctrl-B F A E"),
    ("Backspace Delete", "delete a character; also Ctrl-H D"),
    ("Ctrl-W U K", "delete the word, to the start, to the end"),
  ]

  package static func intent(of key: Key) -> Intent? { intents[key] }

  private static let intents: [Key: Intent] = Dictionary(
    bindings.flatMap { binding in binding.keys.map { ($0, binding.intent) } }, uniquingKeysWith: { first, _ in first })
}
