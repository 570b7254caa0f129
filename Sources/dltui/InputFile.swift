import Glibc

/// A list of addresses: one a line, `#` begins a comment, TAB separates mirrors of one file.
struct InputFile {
  private(set) var addresses: [String] = []
  /// What had to be left out, in words.
  private(set) var remarks: [String] = []
  private let name: String

  /// More than any list of addresses needs.
  private static let longest = 64 << 20

  /// Reads the file at `path`; `-` is standard input.
  init(path: String) throws(UsageError) {
    name = path == "-" ? "standard input" : path
    let text = try Self.contents(path, name)
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (place, line) in lines.enumerated() {
      try take(line, number: place + 1)
    }
  }

  private mutating func take(_ line: Substring, number: Int) throws(UsageError) {
    var words = line.split(separator: "\t").map(trimmed).filter { !$0.isEmpty }
    guard let first = words.first, !first.hasPrefix("#") else { return }
    if line.first?.isWhitespace == true, !first.contains("://"), first.contains("=") {
      throw UsageError("\(name), line \(number): options for one address are not understood: \(first)")
    }
    words.removeAll { $0.hasPrefix("#") }
    addresses.append(String(first))
    if words.count > 1 { remarks.append("\(name), line \(number): only the first of \(words.count) mirrors is used") }
  }

  private static func contents(_ path: String, _ name: String) throws(UsageError) -> String {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(name, errno) }
    defer { close(descriptor) }
    let bytes = try bytes(descriptor, name)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the list of addresses is not UTF-8 text: \(name)")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func bytes(_ descriptor: Int32, _ name: String) throws(UsageError) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return all }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(name, errno) }
      all += piece.prefix(count)
      guard all.count <= longest else { throw UsageError("the list of addresses is longer than 64 MiB: \(name)") }
    }
  }

  private static func unreadable(_ name: String, _ number: Int32) -> UsageError {
    UsageError("the list of addresses cannot be read (\(systemWords(number))): \(name)")
  }
}

private func trimmed(_ text: Substring) -> Substring {
  var rest = text.drop { $0.isWhitespace }
  while rest.last?.isWhitespace == true { rest.removeLast() }
  return rest
}
