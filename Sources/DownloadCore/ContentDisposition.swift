/// The file name in a `Content-Disposition` field (RFC 6266, RFC 8187), read as leniently as real servers write it: the extended form wins
/// in either order, unquoted blanks and stray semicolons are taken, a broken form falls back to the other.
enum ContentDisposition {
  /// The names it gives, the best one first.
  static func fileNames(_ value: [UInt8]) -> [String] {
    let parameters = split(value).dropFirst(startsWithParameter(value) ? 0 : 1).compactMap(parameter)
    let extended = parameters.first { $0.name == "filename*" }.flatMap { extendedValue($0.value) }
    let plain = parameters.first { $0.name == "filename" }.map { TextBytes.decoded(unquoted($0.value)) }
    return [extended, plain].compactMap(\.self)
  }

  private static func startsWithParameter(_ value: [UInt8]) -> Bool {
    split(value).first?.contains(UInt8(ascii: "=")) ?? false
  }

  /// Splits at semicolons that are not inside quotes.
  private static func split(_ value: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    var (quoted, escaped) = (false, false)
    for (index, byte) in value.enumerated() {
      switch byte {
      case _ where escaped: escaped = false
      case UInt8(ascii: "\\") where quoted: escaped = true
      case UInt8(ascii: "\""): quoted.toggle()
      case UInt8(ascii: ";") where !quoted:
        parts.append(value[start..<index])
        start = index + 1
      default: break
      }
    }
    return parts + [value[start...]]
  }

  private static func parameter(_ part: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = TextBytes.decoded(Array(trimmed(part[..<equals]))).lowercased()
    return (name, trimmed(part[(equals + 1)...]))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let front = bytes.drop { $0 == 32 || $0 == 9 }
    return front.lastIndex { $0 != 32 && $0 != 9 }.map { front[...$0] } ?? []
  }

  /// Undoes the escapes that a sender needs, those of `"` and `\` (RFC 9110 §5.6.4). Before anything else a `\` is what curl, wget and
  /// Windows servers take it for: the path separator of `"C:\dir\name.txt"`.
  private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.first == UInt8(ascii: "\"") else { return Array(bytes) }
    var result: [UInt8] = []
    var rest = bytes.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      let isEscape = byte == UInt8(ascii: "\\") && (rest.first == byte || rest.first == UInt8(ascii: "\""))
      result.append(isEscape ? rest.popFirst() ?? byte : byte)
    }
    return result
  }

  /// `UTF-8'en'caf%C3%A9.txt`. Nil for another character set, for a broken escape, or for bytes that are not valid.
  private static func extendedValue(_ bytes: ArraySlice<UInt8>) -> String? {
    let parts = unquoted(bytes).split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, TextBytes.isPercentEncoded(parts[2]) else { return nil }
    let raw = TextBytes.percentDecoded(parts[2])
    switch TextBytes.decoded(Array(parts[0])).lowercased() {
    case "utf-8", "utf8": return String(validating: raw, as: UTF8.self)
    case "iso-8859-1", "latin1": return String(raw.map { Character(Unicode.Scalar($0)) })
    default: return nil
    }
  }
}
