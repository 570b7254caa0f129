/// A sum that the finished file must have, as the user or the server gave it.
package struct Checksum: Hashable, Codable, Sendable {
  package enum Algorithm: String, Codable, Sendable, CaseIterable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case sha384 = "sha-384"
    case sha224 = "sha-224"
    case sha1 = "sha-1"
    case md5 = "md5"

    /// Length of the sum in bytes.
    package var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha512: 64
      case .sha384: 48
      case .sha224: 28
      case .sha1: 20
      case .md5: 16
      }
    }

    /// By its name with or without hyphens, in any case: `sha256` is `sha-256`.
    package init?(name: some StringProtocol) {
      let plain = name.lowercased().filter { $0 != "-" }
      guard let known = Self.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == plain }) else { return nil }
      self = known
    }
  }

  package let algorithm: Algorithm
  /// Lower-case hexadecimal digits, twice `algorithm.byteCount` of them.
  package let hex: String

  /// Nil when `hex` is not hexadecimal or has the wrong length for the algorithm.
  package init?(_ algorithm: Algorithm, hex: String) {
    guard hex.utf8.count == 2 * algorithm.byteCount, hex.allSatisfy(\.isHexDigit), hex.allSatisfy(\.isASCII) else {
      return nil
    }
    self.algorithm = algorithm
    self.hex = hex.lowercased()
  }

  private enum CodingKeys: String, CodingKey { case algorithm, hex }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let (algorithm, hex) = (
      try values.decode(Algorithm.self, forKey: .algorithm), try values.decode(String.self, forKey: .hex)
    )
    guard let sum = Checksum(algorithm, hex: hex) else {
      throw DecodingError.dataCorruptedError(forKey: .hex, in: values, debugDescription: "no sum of this kind")
    }
    self = sum
  }

  /// Reads `sha-256=9f86…`; `sha256` is understood for `sha-256`. Nil when it is anything else.
  package init?(parsing text: String) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let algorithm = Algorithm(name: halves[0]) else { return nil }
    self.init(algorithm, hex: String(halves[1]))
  }
}
