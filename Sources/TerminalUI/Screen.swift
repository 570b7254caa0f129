import DownloadCore

/// What a key press asks for, when the screen alone cannot do it.
package enum Action: Sendable, Equatable {
  case command(Command)
  /// What was typed or pasted and agreed to.
  case add([NewDownload])
  /// A line typed after `:`.
  case commandLine(String)
  /// A text that the user gave as a download's new address.
  case readdress(DownloadID, String)
  /// Into the clipboard.
  case copy(String)
  /// A file or folder, with the desktop's program for it.
  case open(String)
  case redraw, suspend, quit
}

/// What the interface remembers between two keys. Keys go in, actions come out; `render` turns it and a snapshot into cells.
package struct Screen: Hashable, Sendable {
  package var appearance: Appearance
  var arrangement = Arrangement()
  /// What the table shows of the snapshot observed last.
  var listing = Listing()
  var cursor = ListCursor()
  var marks = Marks()
  var showsDetails = false
  var details = DetailScroll()
  var mode = Mode.table
  var message: Message?
  /// The lines typed after `:`, oldest first.
  var history: [String] = []
  /// What those lines may begin with.
  package var vocabulary: [CommandWord] = []
  package var quitQuestion = QuitQuestion.active
  /// Where files go unless something else is said.
  package var folder = ""

  /// What depends on the terminal and the place, not on the downloads.
  package struct Appearance: Hashable, Sendable {
    package var theme: Theme
    /// Those that the key for it goes through.
    var themes: [Theme]
    /// Whether only ASCII can be shown, whatever the theme.
    var isASCII: Bool
    /// Seconds that local time is ahead of UTC.
    package var utcOffset: Int

    package init(
      ascii: Bool = false, theme: Theme = .auto, themes: [Theme] = Theme.allCases, utcOffset: Int = 0
    ) {
      isASCII = ascii
      self.theme = theme
      self.themes = ascii ? themes.filter { $0 != .ascii } : themes
      self.utcOffset = utcOffset
    }

    var glyphs: Glyphs { Glyphs(ascii: isASCII || theme == .ascii) }

    mutating func nextTheme() {
      let next = (themes.firstIndex(of: theme) ?? -1) + 1
      theme = next < themes.count ? themes[next] : themes.first ?? theme
    }
  }

  /// What the keys act on.
  enum Mode: Hashable, Sendable {
    case table
    /// The help, and its first visible line.
    case help(from: Int)
    case adding(AddForm)
    /// What was pasted is looked through.
    case reviewing(Review)
    /// The words of the filter are typed after `/`.
    case filtering(TextField)
    /// A command line is typed after `:`.
    case commanding(CommandLine)
    /// A value is typed.
    case prompting(Prompt)
    /// What to do with the bytes of downloads that are to be removed.
    case removing([DownloadID])
    /// Whether finished files are really to be deleted.
    case deleting([DownloadID])
    /// What to do about files that have changed on the server.
    case restarting([DownloadID])
    /// Whether to leave although something is active.
    case quitting
    /// Everything is being saved; the program ends soon.
    case saving

    /// The downloads that a question is about.
    var subjects: [DownloadID] {
      switch self {
      case .removing(let ids), .deleting(let ids), .restarting(let ids): ids
      case .prompting(let prompt): prompt.purpose.subjects
      case .table, .help, .adding, .reviewing, .filtering, .commanding, .quitting, .saving: []
      }
    }

    /// Whether a paste opens the address field.
    var takesPaste: Bool {
      switch self {
      case .table, .help, .removing, .deleting, .restarting, .quitting: true
      case .adding, .reviewing, .filtering, .commanding, .prompting, .saving: false
      }
    }
  }

  /// One line for the user until the next key, above the footer.
  struct Message: Hashable, Sendable {
    var text: String
    var ink: Ink
  }

  package init(_ appearance: Appearance = Appearance()) { self.appearance = appearance }

  /// Says something above the footer until the next key.
  package mutating func say(_ text: String) { message = Message(text: text, ink: .plain) }

  /// Says above the footer what went wrong, until the next key.
  package mutating func complain(_ text: String) { message = Message(text: text, ink: .bad) }

  /// Shows that everything is being saved; from here on keys only hurry.
  package mutating func showSaving() {
    mode = .saving
    message = nil
  }

  /// Takes note of a new snapshot or size, so that the cursor stays on its download.
  package mutating func observe(_ snapshot: Snapshot, size: Size) {
    marks.prune(snapshot)
    rearrange(snapshot, size)
    let gone = mode.subjects.filter { id in !snapshot.downloads.contains { $0.id == id } }
    if !gone.isEmpty { mode = mode.without(Set(gone)) }
  }

  /// Brings the rows in line with the arrangement.
  mutating func rearrange(_ snapshot: Snapshot, _ size: Size) {
    listing.update(snapshot, arrangement)
    cursor.settle(in: listing, rows: layout(size).list.rows)
  }

  /// The rows for a snapshot, which may be one that has not been observed.
  func listing(of snapshot: Snapshot) -> Listing {
    if listing.isOf(snapshot) { return listing }
    var other = listing
    other.update(snapshot, arrangement)
    return other
  }

  /// The download that the cursor stands on.
  package func selected(in snapshot: Snapshot) -> DownloadID? {
    let listing = listing(of: snapshot)
    return cursor.index(in: listing).map { listing.rows[$0].id }
  }

  /// The downloads that a command is about: those marked and shown, else the one under the cursor.
  package func targets(in snapshot: Snapshot) -> [DownloadID] {
    let marked = markedIDs(in: listing(of: snapshot))
    return marked.isEmpty ? selected(in: snapshot).map { [$0] } ?? [] : marked
  }

  func markedIDs(in listing: Listing) -> [DownloadID] {
    marks.isEmpty ? [] : listing.rows.lazy.map(\.id).filter(marks.contains)
  }

  func layout(_ size: Size) -> Layout {
    Layout(size, details: showsDetails, status: StatusLine(screen: self).text(listing) != nil)
  }
}

extension Screen.Mode {
  /// The same question without those that are gone; no question when none is left.
  fileprivate func without(_ gone: Set<DownloadID>) -> Self {
    let left = subjects.filter { !gone.contains($0) }
    if left.isEmpty { return .table }
    switch self {
    case .removing: return .removing(left)
    case .deleting: return .deleting(left)
    case .prompting(var prompt):
      prompt.purpose = prompt.purpose.without(gone)
      return .prompting(prompt)
    case .restarting: return .restarting(left)
    case .table, .help, .adding, .reviewing, .filtering, .commanding, .quitting, .saving: return self
    }
  }
}

extension Snapshot {
  /// Whether any of these is not finished.
  func hasUnfinished(_ ids: [DownloadID]) -> Bool {
    let ids = Set(ids)
    return downloads.indices.contains { ids.contains(downloads[$0].id) && !downloads[$0].isCompleted }
  }
}
