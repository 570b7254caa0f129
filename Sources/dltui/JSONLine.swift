import DownloadCore
import FoundationEssentials

/// JSON as the program prints it: one object a line, keys sorted, nothing in it that a terminal would obey.
enum JSONLine {
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(value) else { return "" }
    return escaped(String(decoding: bytes, as: UTF8.self)) + "\n"
  }

  /// What is left of control and direction characters stands inside strings, where an escape means the same.
  private static func escaped(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: isHidden) else { return json }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      if isHidden(scalar) { text += escape(scalar) } else { text.unicodeScalars.append(scalar) }
    }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x7F else { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false  // foreign enum of 30 cases: everything else is meant to be seen
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

/// An error as JSON shows it: the catalogue's number and words.
struct ErrorFacts: Encodable {
  let code: Int
  let message: String
  let hint: String?

  init(_ error: DownloadError) {
    code = error.code
    message = error.message
    hint = error.hint
  }
}

/// A line of `list --json`. Null is said, not left out.
struct ListedDownload: Encodable {
  let item: Snapshot.Item

  init(_ item: Snapshot.Item) { self.item = item }

  private enum Key: String, CodingKey {
    case id, state, name, folder, url, total, completed, resumable, error
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(item.id.number > 0 ? item.id : nil, forKey: .id)
    try fields.encode(item.state.word, forKey: .state)
    try fields.encode(item.name, forKey: .name)
    try fields.encode(item.folder, forKey: .folder)
    try fields.encode(item.url, forKey: .url)
    try fields.encode(item.total, forKey: .total)
    try fields.encode(item.completed, forKey: .completed)
    try fields.encode(item.resumability.isResumable, forKey: .resumable)
    try fields.encode(item.state.error.map(ErrorFacts.init), forKey: .error)
  }
}

extension Resumability {
  /// Nil before the server has answered.
  var isResumable: Bool? {
    switch self {
    case .unknown: nil
    case .resumable, .comparing: true
    case .startsOver: false
    }
  }
}
