/// A place where a server says that the same file is: a `Link` field with `rel=duplicate` (RFC 6249 §3), read leniently (RFC 8288, appendix B).
package struct MirrorLink: Hashable, Sendable {
  /// Most links of one answer that are looked at.
  package static let most = 64

  /// As it was sent, bytes beyond ASCII percent-encoded; it may be relative to the address that sent it.
  package let reference: String
  /// From 1, the best, to 999,999; nil where the server gives none, which is behind all others (RFC 6249 §3.1).
  package let priority: Int?
  /// Whether it has the sender's entity tags, or sums of its own (RFC 6249 §3.3).
  package let isPreferred: Bool

  /// The mirrors in the values of all `Link` fields of an answer, the best one first.
  package static func parse(_ fields: [[UInt8]]) -> [MirrorLink] {
    let links = fields.lazy.flatMap { LinkField.links(in: $0) }.compactMap(MirrorLink.init).prefix(most)
    return links.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
  }

  private init?(_ link: LinkField) {
    guard !link.reference.isEmpty, link["anchor"] == nil, link.isRelated(as: "duplicate") else { return nil }
    reference = link.reference
    priority = link["pri"].flatMap { Int($0) }.flatMap { (1...999_999).contains($0) ? $0 : nil }
    isPreferred = link["pref"] != nil
  }

  /// Lower is better.
  private var rank: Int { 2 * (priority ?? 1_000_000) + (isPreferred ? 0 : 1) }
}

/// One link of a `Link` field (RFC 8288 §3).
struct LinkField {
  let reference: String
  private(set) var parameters: [(name: String, value: String)] = []

  /// The first value that the parameter has (RFC 8288 §3.3); empty where it stands alone.
  subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  func isRelated(as relation: String) -> Bool {
    (self["rel"] ?? "").lowercased().split { $0 == " " || $0 == "\t" }.contains { $0 == relation }
  }

  /// What does not begin with `<` is skipped up to the next comma; a `<` without an end ends the field.
  static func links(in field: [UInt8]) -> [LinkField] {
    var links: [LinkField] = []
    var rest = field[...]
    while !rest.isEmpty {
      rest = rest.drop { isBlank($0) || $0 == comma }
      if rest.first == UInt8(ascii: "<") {
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break }
        var link = LinkField(reference: encoded(rest[..<end].dropFirst()))
        rest = rest[(end + 1)...]
        link.takeParameters(from: &rest)
        links.append(link)
      }
      _ = value(&rest, upTo: [comma])
    }
    return links
  }

  private mutating func takeParameters(from rest: inout ArraySlice<UInt8>) {
    rest = rest.drop(while: Self.isBlank)
    while rest.first == Self.semicolon {
      rest = rest.dropFirst()
      let name = Self.value(&rest, upTo: [Self.equals, Self.semicolon, Self.comma]).lowercased()
      var value = ""
      if rest.first == Self.equals {
        rest = rest.dropFirst()
        value = Self.value(&rest, upTo: [Self.semicolon, Self.comma])
      }
      if !name.isEmpty { parameters.append((name, value)) }
    }
  }

  // MARK: Bytes

  private static let comma = UInt8(ascii: ",")
  private static let semicolon = UInt8(ascii: ";")
  private static let equals = UInt8(ascii: "=")

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// What stands before the next of `ends` outside of quotes, without quotes, escapes (RFC 9110 §5.6.4) and blanks at its edges.
  private static func value(_ rest: inout ArraySlice<UInt8>, upTo ends: [UInt8]) -> String {
    var bytes: [UInt8] = []
    var isQuoted = false
    while let byte = rest.first, isQuoted || !ends.contains(byte) {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else {
        bytes.append(isQuoted && byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
      }
    }
    let front = bytes.drop(while: isBlank)
    return TextBytes.decoded(front.lastIndex { !isBlank($0) }.map { Array(front[...$0]) } ?? [])
  }

  private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      if byte < 128 { text.unicodeScalars.append(Unicode.Scalar(byte)) } else { text += "%" + String(byte, radix: 16) }
    }
  }
}
