/// One line of text with a cursor, edited with the usual keys.
package struct TextField: Hashable, Sendable {
  private var characters: [Character]
  /// How many characters stand before the cursor.
  package private(set) var cursor: Int
  /// Longest text in characters; what is typed or pasted beyond it is ignored.
  private static let limit = 65_536

  package init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  package var text: String { String(characters) }

  /// Edits the text; false when the key means nothing here.
  package mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert([character])
    case .paste(let text): insert(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .backspace: erase(from: max(0, cursor - 1))
    case .delete: remove(upTo: min(characters.count, cursor + 1))
    case .control(let letter): return edit(letter)
    case .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown, .function, .mouse: return false
    }
    return true
  }

  private mutating func edit(_ letter: Character) -> Bool {
    switch letter {
    case "a": cursor = 0
    case "e": cursor = characters.count
    case "b": cursor = max(0, cursor - 1)
    case "f": cursor = min(characters.count, cursor + 1)
    case "d": remove(upTo: min(characters.count, cursor + 1))
    case "h": erase(from: max(0, cursor - 1))
    case "k": remove(upTo: characters.count)
    case "u": erase(from: 0)
    case "w": erase(from: startOfWord())
    default: return false
    }
    return true
  }

  private mutating func insert(_ new: [Character]) {
    let fitting = new.prefix(max(0, Self.limit - characters.count))
    characters.insert(contentsOf: fitting, at: cursor)
    cursor += fitting.count
    joinAtCursor()
  }

  /// A combining mark that was typed after its letter becomes one grapheme with it.
  private mutating func joinAtCursor() {
    let before = characters.count
    characters = Array(String(characters))
    cursor = min(characters.count, max(0, cursor - (before - characters.count)))
  }

  private mutating func erase(from start: Int) {
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  private mutating func remove(upTo end: Int) { characters.removeSubrange(cursor..<end) }

  private func startOfWord() -> Int {
    var start = cursor
    while start > 0, characters[start - 1].isWhitespace { start -= 1 }
    while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
    return start
  }

  /// The stretch of text around the cursor that fits into `width` cells, and the cursor's cell in it.
  func window(width: Int) -> (text: String, cursor: Int) {
    guard width > 0 else { return ("", 0) }
    let shown = characters.map { VisibleText.of(String($0)) }
    var start = cursor
    var used = 0
    while start > 0, used + TextWidth.of(shown[start - 1]) <= width - 1 {
      start -= 1
      used += TextWidth.of(shown[start])
    }
    return (shown[start...].joined(), used)
  }
}
