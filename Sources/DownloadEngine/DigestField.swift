import DownloadCore
import FoundationEssentials

/// The fields in which a server gives the sum of a whole file: `Repr-Digest` and `Content-Digest` (RFC 9530), and `Digest`, which they
/// replaced (RFC 3230). What is malformed or unknown does not count.
enum DigestField {
  /// The strongest sum of the first field that gives any. That of the content is the file's only where the body is whole.
  static func digest(of head: ResponseHead) -> Checksum? {
    strongest(head.value("repr-digest"), structured)
      ?? (head.status == 200 ? strongest(head.value("content-digest"), structured) : nil)
      ?? strongest(head.value("digest"), plain)
  }

  /// Of a list `sha-256=…, sha-512=…`.
  private static func strongest(_ field: String?, _ sum: (String, String) -> Checksum?) -> Checksum? {
    let sums = (field ?? "").split(separator: ",").compactMap { member -> Checksum? in
      let halves = member.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
      return halves.count == 2 ? sum(halves[0].lowercased(), halves[1]) : nil
    }
    return sums.max { $0.algorithm.byteCount < $1.algorithm.byteCount }
  }

  /// `sha-256=:BASE64:` (RFC 9530 §2); its weaker algorithms are not for checking.
  private static func structured(_ name: String, _ value: String) -> Checksum? {
    guard value.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
      let algorithm = [Checksum.Algorithm.sha256, .sha512].first(where: { $0.rawValue == name })
    else { return nil }
    return checksum(algorithm, String(value.dropFirst().dropLast()))
  }

  /// `SHA-256=BASE64`, `SHA=…` (RFC 3230 §4.1.1, RFC 5843 §2.1).
  private static func plain(_ name: String, _ value: String) -> Checksum? {
    let algorithm = name == "sha" ? .sha1 : [Checksum.Algorithm.sha256, .sha512, .md5].first { $0.rawValue == name }
    return algorithm.flatMap { checksum($0, value) }
  }

  private static func checksum(_ algorithm: Checksum.Algorithm, _ base64: String) -> Checksum? {
    Data(base64Encoded: base64).flatMap { Checksum(algorithm, hex: $0.hex) }
  }
}
