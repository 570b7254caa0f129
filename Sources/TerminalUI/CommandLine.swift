import DownloadCore

/// A word that may begin a line typed after `:`.
package struct CommandWord: Hashable, Sendable {
  package let name: String
  /// What has to follow it; nil when nothing may.
  package let placeholder: String?
  package let help: String
  /// The words that may follow; empty when others may too.
  package let choices: [String]
  /// Whether what follows must not be shown again.
  package let isSecret: Bool

  package init(
    _ name: String, _ placeholder: String?, _ help: String, choices: [String] = [], isSecret: Bool = false
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.choices = choices
    self.isSecret = isSecret
  }
}

/// The line typed after `:`: it completes its words and remembers the lines before it.
struct CommandLine: Hashable, Sendable {
  var field = TextField()
  /// Which of the earlier lines is shown, from the newest; nil while it is a new one.
  private var recalled: Int?
  private var draft = TextField()

  mutating func complete(_ words: [CommandWord]) {
    let (kept, fitting) = endings(words)
    guard let first = fitting.first else { return }
    field = TextField(kept + fitting.dropFirst().reduce(first) { $0.commonPrefix(with: $1) })
  }

  mutating func recall(_ distance: Int, from history: [String]) {
    let wanted = (recalled ?? -1) + distance
    guard history.indices.contains(wanted) || wanted == -1, wanted != (recalled ?? -1) else { return }
    if recalled == nil { draft = field }
    recalled = wanted < 0 ? nil : wanted
    field = wanted < 0 ? draft : TextField(history[history.count - 1 - wanted])
  }

  mutating func edit(_ key: Key) { _ = field.handle(key) }

  /// What stands before the word that is being typed, and what that may become.
  private func endings(_ words: [CommandWord]) -> (kept: String, fitting: [String]) {
    guard let gap = field.text.lastIndex(where: Self.isGap) else {
      let fitting = words.filter { $0.name.hasPrefix(Self.name(field.text)) }
      return ("", fitting.map { fitting.count == 1 && $0.placeholder != nil ? $0.name + " " : $0.name })
    }
    let end = field.text.index(after: gap)
    let isFirst = field.text[..<end].split(whereSeparator: Self.isGap).count == 1
    let choices = isFirst ? word(of: words)?.choices ?? [] : []
    return (String(field.text[..<end]), choices.filter { $0.hasPrefix(field.text[end...]) })
  }

  /// The word that the line begins with, if it is one.
  private func word(of words: [CommandWord]) -> CommandWord? {
    let name = Self.name(of: field.text)
    return words.first { $0.name == name }
  }

  /// What may be typed here.
  func hint(_ words: [CommandWord], _ glyphs: Glyphs) -> InkedText {
    let (kept, fitting) = endings(words)
    if let word = word(of: words), kept.isEmpty || fitting.isEmpty {
      return InkedText(word.placeholder.map { $0 + "  " } ?? "", .key) + InkedText(word.help, .dim)
    }
    if fitting.isEmpty { return InkedText("no such command", .waiting) }
    return InkedText("Tab", .key) + InkedText(" \(fitting.joined(separator: "  "))", .dim)
  }

  private static func isGap(_ character: Character) -> Bool { character.isWhitespace || character == "=" }

  /// The word that a line begins with.
  static func name(of line: String) -> String {
    name(String(line.drop(while: \.isWhitespace).prefix { !isGap($0) }))
  }

  /// Two dashes before it do no harm.
  private static func name(_ text: String) -> String { text.hasPrefix("--") ? String(text.dropFirst(2)) : text }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

extension Screen {
  private static let longestHistory = 50

  mutating func commanding(_ key: Key, _ line: CommandLine) -> [Action] {
    var line = line
    switch key {
    case .escape: mode = .table
    case .enter: return obey(line.field.text)
    case .tab: line.complete(vocabulary)
    case .up: line.recall(1, from: history)
    case .down: line.recall(-1, from: history)
    default: line.edit(key)  // other keys mean nothing in a field
    }
    if key != .escape { mode = .commanding(line) }
    return []
  }

  private mutating func remember(_ text: String) {
    guard !vocabulary.contains(where: { $0.isSecret && CommandLine.name(of: text) == $0.name }) else { return }
    history.removeAll { $0 == text }
    history = (history + [text]).suffix(Self.longestHistory).map(\.self)
  }

  private mutating func obey(_ text: String) -> [Action] {
    mode = .table
    guard !text.allSatisfy(\.isWhitespace) else { return [] }
    remember(text)
    return [.commandLine(text)]
  }
}
