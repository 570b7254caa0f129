/// Keys with what they do, side by side in the bottom line: to be read, pressed and clicked.
struct Choices: Hashable, Sendable {
  struct Choice: Hashable, Sendable {
    let key: Key
    /// As people write the key.
    let shown: String
    let word: String

    init(_ key: Key, _ shown: String, _ word: String) {
      self.key = key
      self.shown = shown
      self.word = word
    }

    var text: InkedText { InkedText(shown, .key) + InkedText(" " + word, .dim) }
  }

  var list: [Choice]

  init(_ list: [Choice] = []) { self.list = list }

  private static let gap = 2

  var line: InkedText {
    list.reduce(into: InkedText()) { line, choice in
      line += InkedText(line.parts.isEmpty ? "" : String(repeating: " ", count: Self.gap)) + choice.text
    }
  }

  var width: Int { list.reduce(list.isEmpty ? 0 : -Self.gap) { $0 + $1.text.width + Self.gap } }

  /// The key of the choice that stands in this cell of the line.
  func key(at column: Int) -> Key? {
    var start = 0
    for choice in list {
      let end = start + choice.text.width
      if (start..<end).contains(column) { return choice.key }
      start = end + Self.gap
    }
    return nil
  }
}
