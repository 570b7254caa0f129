/// The final answer's status and header fields as they came: values are raw bytes until someone decodes them on purpose.
package struct ResponseHead: Sendable, Equatable {
  package struct Field: Sendable, Equatable {
    /// In lower case.
    package let name: String
    package let value: [UInt8]
  }

  package var status: Int
  package var fields: [Field]
  /// The address that gave this answer.
  package var url: String
  /// IP address and port that it came from, a proxy's where there is one; nil when that is not known.
  package var peer: String?
  /// Where a redirect points to; nil when the answer is none.
  package var location: Location?
  /// `Last-Modified` and `Date` in seconds since 1970, read by the engine (libcurl knows every date form there is).
  package var lastModified: Int64?
  package var date: Int64?
  /// The wait that `Retry-After` asks for, whichever form it had (RFC 9110 §10.2.3).
  package var retryAfter: Duration?
  /// The sum of the whole file that `Repr-Digest` promises, or `Content-Digest` where the body is whole (RFC 9530 §2, §3), or `Digest`
  /// (RFC 3230).
  package var digest: Checksum?
  /// Absolute addresses where the server says that the same file is, the best one first: its `Link` fields (RFC 6249). None without a
  /// digest, which alone could tie them together (RFC 6249 §6).
  package var mirrors: [String] = []

  /// The target of a redirect.
  package enum Location: Sendable, Equatable {
    /// An absolute address without credentials.
    case address(String)
    /// What was sent cannot be taken apart.
    case unusable(String)
  }

  package init(status: Int, fields: [Field] = [], url: String) {
    self.status = status
    self.fields = fields
    self.url = url
  }

  /// Every value of the field called `name` (lower case), each byte a character, blanks at the edges removed.
  package func values(_ name: String) -> [String] {
    fields.compactMap { $0.name == name ? Self.latin1($0.value[...]) : nil }
  }

  /// The value of a field that may stand only once: nil when it is missing, or stands there with different values.
  package func value(_ name: String) -> String? {
    let all = values(name)
    return all.allSatisfy { $0 == all.first } ? all.first : nil
  }

  /// Adds one header line. A folded line goes on with the field before it (RFC 9112 §5.2); lines without a colon and those that
  /// are not a field are left out.
  package mutating func add(line: [UInt8]) {
    if let first = line.first, first == 32 || first == 9 { return unfold(Self.trimmed(line[...])) }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return }
    let name = Self.latin1(line[..<colon]).lowercased()
    fields.append(Field(name: name, value: Self.trimmed(line[(colon + 1)...])))
  }

  private mutating func unfold(_ rest: [UInt8]) {
    guard !rest.isEmpty, let last = fields.popLast() else { return }
    fields.append(Field(name: last.name, value: last.value + (last.value.isEmpty ? [] : [32]) + rest))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let front = bytes.drop(while: isBlank)
    return front.lastIndex { !isBlank($0) }.map { Array(front[...$0]) } ?? []
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }
}

/// What `Content-Length` says (RFC 9110 §8.6).
package enum ContentLength: Equatable, Sendable {
  /// Missing, overruled by Transfer-Encoding (RFC 9112 §6.3), or no number that 63 bits can hold.
  case unknown
  case bytes(Int64)
  /// Several values in one line, or several lines that disagree (RFC 9110 §8.6 lets a recipient refuse both).
  case contradictory
  /// No number at all; what libcurl would make of it is another matter.
  case malformed
}

/// What `Content-Range` says (RFC 9110 §14.4).
package enum ContentRange: Equatable, Sendable {
  case missing
  /// `bytes 0-99/1000`; the total is nil for `*`.
  case range(ByteRange, total: Int64?)
  /// `bytes */1000`.
  case unsatisfied(total: Int64?)
  case malformed(String)
}

extension ResponseHead {
  package var contentLength: ContentLength {
    guard values("transfer-encoding").isEmpty else { return .unknown }
    let lengths = values("content-length")
    guard let first = lengths.first else { return .unknown }
    guard lengths.allSatisfy({ $0 == first }), !first.contains(",") else { return .contradictory }
    guard !first.isEmpty, first.utf8.allSatisfy({ (48...57).contains($0) }) else { return .malformed }
    return Self.number(first[...].utf8).map { .bytes($0) } ?? .unknown
  }

  /// Accepts what is unambiguous though misspelt (`bytes=0-9/10`, a missing unit); everything else is malformed.
  package var contentRange: ContentRange {
    let all = values("content-range")
    guard let text = all.first else { return .missing }
    guard all.allSatisfy({ $0 == text }) else { return .malformed(all.joined(separator: ", ")) }
    return Self.parseRange(text) ?? .malformed(text)
  }

  private static func parseRange(_ text: String) -> ContentRange? {
    var rest = trimmed(text[...].utf8)
    if rest.prefix(5).map({ $0 | 0x20 }).elementsEqual("bytes".utf8) {
      rest = trimmed(rest.dropFirst(5).drop { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") })
    }
    let halves = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(trimmed)
    guard halves.count == 2 else { return nil }
    let total = number(halves[1])
    guard total != nil || halves[1].elementsEqual("*".utf8) else { return nil }
    if halves[0].elementsEqual("*".utf8) { return .unsatisfied(total: total) }
    return parseSpan(halves[0]).flatMap { span in
      total.map { span.upperBound <= $0 } ?? true ? .range(span, total: total) : nil
    }
  }

  private static func parseSpan(_ text: Substring.UTF8View) -> ByteRange? {
    let ends = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(trimmed)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
    return first <= last && last < .max ? first..<(last + 1) : nil
  }

  /// Digits only, within 63 bits.
  private static func number(_ text: Substring.UTF8View) -> Int64? {
    !text.isEmpty && text.allSatisfy { (48...57).contains($0) } ? Int64(Substring(text)) : nil
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    let front = text.drop { $0 == 32 || $0 == 9 }
    return front.lastIndex { $0 != 32 && $0 != 9 }.map { front[...$0] } ?? front[front.endIndex...]
  }
}
