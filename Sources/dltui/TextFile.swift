/// The lines of a file that is text.
struct TextFile {
  /// As that of the file.
  let name: String
  let lines: [Substring]

  /// - Throws: when it is not UTF-8.
  init(_ file: WholeFile, _ noun: String) throws(UsageError) {
    name = file.name
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw UsageError("\(noun) is not UTF-8 text: \(name)")
    }
    let body = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    lines = body.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
  }

  /// The same complaint, with the place in the file where it arose.
  func at(_ line: Int, _ error: UsageError) -> UsageError {
    UsageError("\(name), line \(line): \(error.message)", hint: error.hint)
  }
}

extension Substring {
  /// Without blanks at both ends.
  var trimmed: Substring {
    var rest = drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
