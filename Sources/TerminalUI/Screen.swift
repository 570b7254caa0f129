import DownloadCore

/// What a key press asks for, when the screen alone cannot do it.
package enum Action: Sendable, Equatable {
  case command(Command)
  /// Texts that the user gave as addresses, one for each download.
  case addresses([String])
  /// A line typed after `:`.
  case commandLine(String)
  case redraw, suspend, quit
}

/// What the interface remembers between two keys. Keys go in, actions come out; `render` turns it and a snapshot into cells.
package struct Screen: Hashable, Sendable {
  package var appearance: Appearance
  var cursor = ListCursor()
  var showsDetails = false
  var mode = Mode.table
  var message: Message?

  /// What depends on the terminal and the place, not on the downloads.
  package struct Appearance: Hashable, Sendable {
    package var glyphs: Glyphs
    /// Seconds that local time is ahead of UTC.
    package var utcOffset: Int

    package init(ascii: Bool = false, utcOffset: Int = 0) {
      glyphs = Glyphs(ascii: ascii)
      self.utcOffset = utcOffset
    }
  }

  /// What the keys act on.
  enum Mode: Hashable, Sendable {
    case table
    /// The help, and its first visible line.
    case help(from: Int)
    case adding(TextField)
    /// A command line is typed after `:`.
    case commanding(TextField)
    /// What to do with the bytes of a download that is to be removed.
    case removing(DownloadID)
    /// What to do about a file that has changed on the server.
    case restarting(DownloadID)
    /// Everything is being saved; the program ends soon.
    case saving

    /// The download that a question is about.
    var subject: DownloadID? {
      switch self {
      case .removing(let id), .restarting(let id): id
      case .table, .help, .adding, .commanding, .saving: nil
      }
    }

    /// Whether a paste opens the address field.
    var takesPaste: Bool {
      switch self {
      case .table, .help, .removing, .restarting: true
      case .adding, .commanding, .saving: false
      }
    }
  }

  /// One line for the user until the next key.
  struct Message: Hashable, Sendable {
    var text: String
    var ink: Ink
  }

  package init(_ appearance: Appearance = Appearance()) { self.appearance = appearance }

  /// Says something in the bottom line until the next key.
  package mutating func say(_ text: String) { message = Message(text: text, ink: .plain) }

  /// Says in the bottom line what went wrong, until the next key.
  package mutating func complain(_ text: String) { message = Message(text: text, ink: .bad) }

  /// Gives addresses that cannot be used back to the field, so that they can be mended, and says why.
  package mutating func refuse(_ addresses: [String], because text: String) {
    mode = .adding(TextField(addresses.joined(separator: " ")))
    complain(text)
  }

  /// Shows that everything is being saved; from here on keys only hurry.
  package mutating func showSaving() {
    mode = .saving
    message = nil
  }

  /// Takes note of a new snapshot or size, so that the cursor stays on its download.
  package mutating func observe(_ snapshot: Snapshot, size: Size) {
    cursor.settle(in: snapshot.downloads, rows: layout(size).list.rows)
    if let id = mode.subject, !snapshot.downloads.contains(where: { $0.id == id }) { mode = .table }
  }

  /// The download that the cursor stands on.
  package func selected(in snapshot: Snapshot) -> DownloadID? {
    cursor.index(in: snapshot.downloads).map { snapshot.downloads[$0].id }
  }

  func layout(_ size: Size) -> Layout { Layout(size, details: showsDetails) }
}
