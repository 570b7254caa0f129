/// A request as it arrived at the origin.
package struct ReceivedRequest: Sendable {
  package let method: String
  package let target: String
  /// `HTTP/1.1`.
  package let version: String
  package let headers: [Header]
  /// The head as it was sent, blank line included.
  package let raw: [UInt8]
  package let time: ContinuousClock.Instant
  /// The connection that it came on, counted from 1 in the order of acceptance.
  package let connection: Int

  /// A header field with its name as it was spelled.
  package struct Header: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// Takes a head apart; nil if its first line is not a request line.
  init?(head: [UInt8], connection: Int) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3 else { return nil }
    (method, target, version) = (String(words[0]), String(words[1]), String(words[2]))
    headers = lines.dropFirst().compactMap(Self.header)
    raw = head
    time = .now
    self.connection = connection
  }

  /// The value of the first field of that name, in any case.
  package subscript(_ name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }

  /// The target without its query.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// First and last byte of a single `Range: bytes=FIRST-LAST`; nil without one. `last` is nil when the range is open.
  package var range: (first: Int64, last: Int64?)? {
    guard let value = self["range"], value.hasPrefix("bytes="), !value.contains(",") else { return nil }
    let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(ends[0]) else { return nil }
    return (first, Int64(ends[1]))
  }

  private static func header(_ line: Substring) -> Header? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    return Header(name: String(line[..<colon]), value: String(value))
  }
}
