/// A command line taken apart as a POSIX shell would (XCU 2.2, 2.3, and `$'…'`). Nothing is ever expanded or run: `$NAME`, backquotes and
/// `*` stay what they are.
struct ShellCommand: Hashable, Sendable {
  var words: [String] = []
  /// Where its output was to go: `> FILE`.
  var redirect: String?
}

/// A command line as plain words.
package enum ShellWords {
  /// Nil when a shell would find more in it than one plain command.
  package static func split(_ text: String) -> [String]? {
    let (command, rest) = ShellReader.read(text[...])
    return rest.isEmpty && command.redirect == nil ? command.words : nil
  }
}

/// Reads one command from the beginning of a text, up to an unquoted end of line, `;`, `|` or `&`.
struct ShellReader {
  private(set) var rest: Substring
  private var command = ShellCommand()
  private var word: String?
  private var isRedirect = false

  static func read(_ text: Substring) -> (command: ShellCommand, rest: Substring) {
    var reader = ShellReader(rest: text)
    reader.readAll()
    return (reader.command, reader.rest)
  }

  private init(rest: Substring) { self.rest = rest }

  private mutating func readAll() {
    while let next = rest.popFirst() {
      switch next {
      case "\\": readEscaped()
      case "'": word = (word ?? "") + takeUntil("'")
      case "\"": readDoubleQuoted()
      case "$" where rest.first == "'":
        rest.removeFirst()
        readANSIQuoted()
      case "#" where word == nil: rest = rest.drop { !$0.isNewline }
      case ">":
        endWord()
        isRedirect = true
      case ";", "|", "&": return endWord()
      default:
        if next.isNewline { return endWord() }
        if next.isWhitespace { endWord() } else { word = (word ?? "") + String(next) }
      }
    }
    endWord()
  }

  private mutating func endWord() {
    guard let word else { return }
    if isRedirect { command.redirect = word } else { command.words.append(word) }
    (self.word, isRedirect) = (nil, false)
  }

  /// Before the end of a line it joins the next one.
  private mutating func readEscaped() {
    guard let next = rest.popFirst(), !next.isNewline else { return }
    word = (word ?? "") + String(next)
  }

  private mutating func takeUntil(_ end: Character) -> String {
    let text = rest.prefix { $0 != end }
    rest = rest[text.endIndex...].dropFirst()
    return String(text)
  }

  private mutating func readDoubleQuoted() {
    var text = word ?? ""
    while let next = rest.popFirst(), next != "\"" {
      guard next == "\\", let escaped = rest.first else {
        text.append(next)
        continue
      }
      rest.removeFirst()
      if "$`\"\\".contains(escaped) {
        text.append(escaped)
      } else if !escaped.isNewline {
        text += "\\" + String(escaped)
      }
    }
    word = text
  }

  private mutating func readANSIQuoted() {
    var text = word ?? ""
    while let next = rest.popFirst(), next != "'" {
      guard next == "\\", let code = rest.popFirst() else {
        text.append(next)
        continue
      }
      switch code {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "x": text += takeCode(digits: 2)
      case "u": text += takeCode(digits: 4)
      case "U": text += takeCode(digits: 8)
      default: text.append(code)  // quotes, the backslash, and what has no meaning
      }
    }
    word = text
  }

  private mutating func takeCode(digits: Int) -> String {
    let text = rest.prefix(digits).prefix { $0.isHexDigit }
    rest = rest[text.endIndex...]
    return UInt32(text, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
  }
}
