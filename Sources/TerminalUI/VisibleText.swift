/// The one gate for text that others wrote (names, addresses, headers, errors): what a terminal would obey or hide becomes visible.
package enum VisibleText {
  /// Control characters become their pictures (`␛`), other invisible ones their number (`<U+202E>`).
  package static func of(_ text: String) -> String {
    if TextWidth.isPlain(text.utf8) { return text }
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) { result += picture(of: scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// Joiners stay: scripts and emoji need them, and they do not leave their grapheme.
  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    if scalar.value == 0x200C || scalar.value == 0x200D { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
    default: return false  // foreign enum of 30 cases: letters, marks, signs and spaces are harmless
    }
  }

  private static func picture(of scalar: Unicode.Scalar) -> String {
    if scalar.value == 0x7F { return "\u{2421}" }
    if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) { return String(picture) }
    return "<U+" + padded(String(scalar.value, radix: 16, uppercase: true)) + ">"
  }

  private static func padded(_ digits: String) -> String {
    String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
