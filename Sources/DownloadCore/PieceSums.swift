/// Sums of equal pieces of a file, in order, as a Metalink gives them (RFC 5854 §4.1.3); only the last piece may be shorter.
package struct PieceSums: Hashable, Codable, Sendable {
  /// Most pieces that are kept: 128 GiB in pieces of 1 MiB. Finer ones would make every sidecar too long.
  package static let mostPieces = 1 << 17

  package let algorithm: Checksum.Algorithm
  /// Bytes of a piece, at least 1.
  package let length: Int64
  /// Lower-case hexadecimal digits, twice `algorithm.byteCount` of them each.
  package let sums: [String]

  /// Nil without pieces, with too many of them, with a length below 1, where all together are longer than 63 bits can tell, or with a
  /// sum that is none of this kind.
  package init?(_ algorithm: Checksum.Algorithm, length: Int64, sums: [String]) {
    guard length > 0, (1...Self.mostPieces).contains(sums.count),
      !length.multipliedReportingOverflow(by: Int64(sums.count)).overflow
    else { return nil }
    let checked = sums.compactMap { Checksum(algorithm, hex: $0)?.hex }
    guard checked.count == sums.count else { return nil }
    (self.algorithm, self.length, self.sums) = (algorithm, length, checked)
  }

  private enum CodingKeys: String, CodingKey { case algorithm, length, sums }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let pieces = PieceSums(
      try values.decode(Checksum.Algorithm.self, forKey: .algorithm),
      length: try values.decode(Int64.self, forKey: .length), sums: try values.decode([String].self, forKey: .sums))
    guard let pieces else {
      throw DecodingError.dataCorruptedError(forKey: .sums, in: values, debugDescription: "no sums of pieces")
    }
    self = pieces
  }

  /// Whether a file of so many bytes has exactly these pieces.
  package func fits(total: Int64) -> Bool {
    total > 0 && (total - 1) / length + 1 == Int64(sums.count)
  }

  /// Where piece `index` (from 0) lies in a file of `total` bytes; nil when it is not in there.
  package func range(of index: Int, total: Int64) -> ByteRange? {
    guard sums.indices.contains(index) else { return nil }
    let start = Int64(index) * length
    return start < total ? start..<min(start + length, total) : nil
  }

  /// What piece `index` (from 0) must have; nil where there is no such piece.
  package func checksum(of index: Int) -> Checksum? {
    sums.indices.contains(index) ? Checksum(algorithm, hex: sums[index]) : nil
  }
}
