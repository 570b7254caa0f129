/// The text of a file such as `SHA256SUMS` or `big.iso.sha256`: what sha256sum(1) and its like print, in both of their styles.
package enum ChecksumList {
  /// Names that such files have beside a file called `name`, the strongest sums first.
  package static func names(for name: String) -> [String] {
    [
      "\(name).sha256", "SHA256SUMS", "\(name).sha256sum", "sha256sum.txt", "\(name).sha512", "SHA512SUMS",
      "\(name).sha1", "SHA1SUMS", "\(name).md5", "MD5SUMS",
    ]
  }

  /// The sum that the text gives for the file called `name`; nil when it gives none. A sum without a name counts where `isForOneFile` says
  /// that the text is about that file only.
  package static func checksum(for name: String, in text: String, isForOneFile: Bool) -> Checksum? {
    let lines = text.split(whereSeparator: \.isNewline)
    if let found = lines.lazy.compactMap({ sum(in: $0, for: name) }).first { return found }
    guard isForOneFile, lines.count == 1, let word = lines.first else { return nil }
    return sum(hex: trimmed(word))
  }

  /// `HEX  name`, `HEX *name`, or `SHA256 (name) = HEX`.
  private static func sum(in line: Substring, for name: String) -> Checksum? {
    let line = trimmed(line)
    if let opening = line.firstIndex(of: "("), let closing = line.lastIndex(of: ")"), opening < closing {
      let tag = trimmed(line[..<opening])
      let rest = trimmed(line[line.index(after: closing)...])
      guard rest.hasPrefix("="), isSame(line[line.index(after: opening)..<closing], name) else { return nil }
      return Checksum(parsing: "\(tag)=\(trimmed(rest.dropFirst()))")
    }
    let hex = line.prefix { !$0.isWhitespace }
    var named = line.dropFirst(hex.count).drop { $0.isWhitespace }
    if named.hasPrefix("*") { named = named.dropFirst() }
    return isSame(named, name) ? sum(hex: hex) : nil
  }

  /// Byte by byte; lists often lead through folders.
  private static func isSame(_ listed: Substring, _ name: String) -> Bool {
    let last = listed.utf8.lastIndex(of: UInt8(ascii: "/")).map { listed[listed.utf8.index(after: $0)...] } ?? listed
    return last.utf8.elementsEqual(name.utf8)
  }

  /// The length tells the algorithm.
  private static func sum(hex: Substring) -> Checksum? {
    let usual: [Checksum.Algorithm] = [.sha256, .sha512, .sha384, .sha224, .sha1, .md5]
    return usual.first { 2 * $0.byteCount == hex.utf8.count }.flatMap { Checksum($0, hex: String(hex)) }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
