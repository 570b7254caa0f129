/// How many terminal cells text takes. A grapheme takes what its scalars take one by one, as wcwidth(3) counts them, for that is what
/// terminals without grapheme support do; only emoji sequences (ZWJ, skin tone, variation selector 16) take two cells as a whole.
package enum TextWidth {
  /// At least 1, at most 8: a lone combining mark takes a cell of its own.
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 1 }
    if first.value < 0x300, scalars.count == 1 { return 1 }
    if isEmojiSequence(scalars) { return 2 }
    let sum = scalars.reduce(0) { min(8, $0 + of($1)) }
    return max(1, sum)
  }

  package static func of(_ text: some StringProtocol) -> Int {
    if isPlain(text.utf8) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The longest beginning of `text` that fits into `width` cells; when something is cut off, it ends with `ellipsis`.
  package static func cut(_ text: String, to width: Int, ellipsis: Character = "…") -> String {
    if text.utf8.count <= width, isPlain(text.utf8) { return text }
    guard width > 0 else { return "" }
    var used = 0
    var end = text.startIndex  // where to cut when the text turns out to be too long
    for index in text.indices {
      if used < width { end = index }
      used += of(text[index])
      if used > width { return text[..<cutting(text, at: end, to: width)] + String(ellipsis) }
    }
    return text
  }

  /// Only printable ASCII: each byte is a cell, and no byte can harm a terminal.
  static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

  /// The border at or before `end` that leaves a cell for the ellipsis.
  private static func cutting(_ text: String, at end: String.Index, to width: Int) -> String.Index {
    var border = end
    while of(text[..<border]) > width - 1, border > text.startIndex { border = text.index(before: border) }
    return border
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break  // foreign enum of 30 cases: only these take no cell
    }
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }  // Hangul vowels and finals join the wide first letter
    return isWide(scalar) ? 2 : 1
  }

  private static func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard scalars.count > 1, let first = scalars.first, first.properties.isEmoji else { return false }
    return scalars.dropFirst().contains { $0.value == 0xFE0F || $0.value == 0x200D || $0.properties.isEmojiModifier }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x1100 else { return false }
    return wide.contains { $0.contains(scalar.value) }
      || (scalar.properties.isEmojiPresentation && !scalar.isRegionalIndicator)
  }

  /// East Asian Wide and Fullwidth (UAX #11, EastAsianWidth.txt) without the emoji, with unassigned gaps closed.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAD9, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08,
    0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}

extension Unicode.Scalar {
  fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }
}
