/// The name that a file gets on disk. Whatever a server, an address or a sidecar says comes out as one harmless path segment.
package enum FileName {
  /// Bytes; leaves room in 255 for a number and for the suffixes of part file and sidecar.
  package static let longest = 230
  package static let fallback = "download"

  /// The server's name, else the last segment of the address that was asked for, else of the one that redirects led to, else `download`.
  /// An address whose last segment has no extension gives way to a redirect's that has one (`/latest` → `tool-1.2.tar.gz`).
  package static func suggested(by head: ResponseHead?, url: String) -> String {
    let fields = head?.fields.filter { $0.name == "content-disposition" } ?? []
    let said = fields.lazy.flatMap { ContentDisposition.fileNames($0.value) }
    if let name = said.compactMap(safe).first { return name }
    let own = lastSegment(of: url).flatMap(safe)
    if let own, hasExtension(own) { return own }
    let led = head.flatMap { lastSegment(of: $0.url) }.flatMap(safe)
    if let led, hasExtension(led) { return led }
    return own ?? led ?? fallback
  }

  private static func hasExtension(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: ".")) }

  /// One path segment without control, bidirectional or edge characters, not hidden, not an option, at most `longest` bytes.
  /// Nil when nothing is left. Works on scalars: a combining mark after a `/` or a `.` makes another `Character` of it,
  /// but not another byte.
  package static func safe(_ raw: String) -> String? {
    if isPlain(raw) { return notASidecar(raw) }
    let segment = raw.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
    var name = String.UnicodeScalarView(segment.filter(isHarmless).drop(while: isBadStart))
    name = trimmedEnd(name)
    guard !name.isEmpty else { return nil }
    return notASidecar(String(trimmedEnd(shortened(String(name), to: longest).unicodeScalars)))
  }

  /// Whether none of the rules has anything to change: so it is with nearly all names, and the rules are dear.
  private static func isPlain(_ name: String) -> Bool {
    let bytes = name.utf8
    return bytes.count <= longest && bytes.last != UInt8(ascii: ".") && bytes.first.map(isLetterOrDigit) ?? false
      && bytes.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
  }

  /// A sidecar vouches for the bytes of a part file: no server may put one there.
  private static func notASidecar(_ name: String) -> String {
    guard let ending = sidecarEndings.first(where: name.hasSuffix) else { return name }
    return name.dropLast(ending.count) + ending.replacing(".", with: "_")
  }

  private static let sidecarEndings = [sidecar(ofPart: part(of: "")), previousSidecar(ofPart: part(of: ""))]

  private static func trimmedEnd(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
    let end = name.lastIndex { $0 != "." && !$0.properties.isWhitespace }
    return end.map { String.UnicodeScalarView(name[...$0]) } ?? .init()
  }

  /// What hides a file, makes an option or a home folder of its name, cannot be seen, or would merge with what stands before it.
  private static func isBadStart(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return ".-~".unicodeScalars.contains(scalar) || properties.isWhitespace || properties.isDefaultIgnorableCodePoint
      || properties.isGraphemeExtend || properties.generalCategory == .spacingMark || properties.isEmojiModifier
  }

  /// A name that the user typed: kept as it is unless it is no file name at all.
  package static func isPossible(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
      && name.utf8.count <= longest
  }

  package static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { 0x20...0x7e ~= $0 } || text.unicodeScalars.allSatisfy(isHarmless)
  }

  /// `archive (1).tar.gz`: the number goes before the extension, and before both halves of a double one.
  package static func numbered(_ name: String, _ number: Int) -> String {
    number == 0 ? name : stem(of: name) + " (\(number))" + name.dropFirst(stem(of: name).count)
  }

  package static func part(of name: String) -> String { name + ".part" }
  /// Where the bytes of an older version wait until the new one is complete.
  package static func old(ofPart part: String) -> String { part + ".old" }
  package static func sidecar(ofPart part: String) -> String { part + ".json" }
  package static func previousSidecar(ofPart part: String) -> String { part + ".json~" }

  private static func stem(of name: String) -> Substring {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name[...] }
    let inner = name[..<dot]
    guard let second = inner.lastIndex(of: "."), second > name.startIndex, inner[second...].lowercased() == ".tar"
    else {
      return inner
    }
    return name[..<second]
  }

  /// Cuts the stem, not the extension, at a character's border; inside a character only if that is all there is.
  private static func shortened(_ name: String, to limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    var head = stem(of: name)
    var tail = name[head.endIndex...]
    if tail.utf8.count > 32 { (head, tail) = (name[...], "") }
    var cut = head
    while cut.utf8.count + tail.utf8.count > limit, !cut.isEmpty { cut.removeLast() }
    if cut.isEmpty {
      while head.utf8.count + tail.utf8.count > limit { head.unicodeScalars.removeLast() }
      cut = head
    }
    return String(cut + tail)
  }

  /// Not a control, format (bidirectional marks among them), surrogate, or line separating character.
  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
    default: true
    }
  }

  /// Between the last `/` of the path and `?`, `#` or the end, percent-decoded. Nil when that is empty.
  private static func lastSegment(of url: String) -> String? {
    guard let authority = Origin.parts(of: url)?.authority else { return nil }
    let path = url.utf8[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let segment = path[path.index(after: slash)...]
    return segment.isEmpty ? nil : TextBytes.decoded(TextBytes.percentDecoded(segment))
  }
}

/// Bytes from outside that are to become text.
enum TextBytes {
  /// UTF-8 where it is valid, otherwise every byte a Latin-1 character.
  static func decoded(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
  }

  /// `%41` → `A`; an escape that is none stays as it is.
  static func percentDecoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var rest = Array(bytes)[...]
    guard rest.contains(UInt8(ascii: "%")) else { return Array(rest) }
    var result: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = hexDigit(rest.first), let low = hexDigit(rest.dropFirst().first) {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  /// Whether every `%` begins an escape.
  static func isPercentEncoded(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = bytes[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[rest.index(after: percent)...]
      guard rest.count >= 2, rest.prefix(2).allSatisfy({ hexDigit($0) != nil }) else { return false }
      rest = rest.dropFirst(2)
    }
    return true
  }

  private static func hexDigit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.flatMap(UInt8.init(exactly:))
  }
}
