/// The short number that names a download for as long as the session lives.
package struct DownloadID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  package let number: Int
  package init(_ number: Int) { self.number = number }
  package init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
  package var description: String { "#\(number)" }
}

/// Names one HTTP request in flight; never used twice.
package struct TransferID: Hashable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// Names one stretch of work on a part file, from looking for it until it is closed or finished; never used twice.
package struct PartID: Hashable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}
