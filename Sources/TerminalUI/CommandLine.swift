import DownloadCore

/// A word that may begin a line typed after `:`.
package struct CommandWord: Hashable, Sendable {
  package let name: String
  /// What has to follow it; nil when nothing may.
  package let placeholder: String?
  package let help: String
  /// Whether what follows must not be shown again.
  package let isSecret: Bool

  package init(_ name: String, _ placeholder: String?, _ help: String, isSecret: Bool = false) {
    self.isSecret = isSecret
    self.name = name
    self.placeholder = placeholder
    self.help = help
  }
}

/// The line typed after `:`: it completes its first word and remembers the lines before it.
struct CommandLine: Hashable, Sendable {
  var field = TextField()
  /// Which of the earlier lines is shown, from the newest; nil while it is a new one.
  private var recalled: Int?
  private var draft = TextField()

  mutating func complete(_ words: [CommandWord]) {
    let fitting = fitting(words)
    guard let first = fitting.first else { return }
    let common = fitting.dropFirst().reduce(first.name) { $0.commonPrefix(with: $1.name) }
    field = TextField(fitting.count == 1 && first.placeholder != nil ? common + " " : common)
  }

  mutating func recall(_ distance: Int, from history: [String]) {
    let wanted = (recalled ?? -1) + distance
    guard history.indices.contains(wanted) || wanted == -1, wanted != (recalled ?? -1) else { return }
    if recalled == nil { draft = field }
    recalled = wanted < 0 ? nil : wanted
    field = wanted < 0 ? draft : TextField(history[history.count - 1 - wanted])
  }

  mutating func edit(_ key: Key) { _ = field.handle(key) }

  /// The words that may be meant by what stands there; none once the first word has ended.
  private func fitting(_ words: [CommandWord]) -> [CommandWord] {
    let typed = Self.name(field.text)
    return field.text.contains(where: \.isWhitespace) ? [] : words.filter { $0.name.hasPrefix(typed) }
  }

  /// What may be typed here.
  func hint(_ words: [CommandWord], _ glyphs: Glyphs) -> InkedText {
    let name = Self.name(of: field.text)
    if let word = words.first(where: { $0.name == name }) {
      return InkedText(word.placeholder.map { $0 + "  " } ?? "", .key) + InkedText(word.help, .dim)
    }
    let fitting = fitting(words).map(\.name)
    if fitting.isEmpty { return InkedText("no such command", .waiting) }
    return InkedText("Tab", .key) + InkedText(" \(fitting.joined(separator: "  "))", .dim)
  }

  /// The word that a line begins with.
  static func name(of line: String) -> String {
    name(String(line.drop(while: \.isWhitespace).prefix { !$0.isWhitespace && $0 != "=" }))
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
