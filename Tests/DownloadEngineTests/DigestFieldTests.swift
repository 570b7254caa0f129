import DownloadCore
import Testing

@testable import DownloadEngine

/// The sums that servers promise, in the fields of two standards.
struct DigestFieldTests {
  private static let zeros = (
    sha256: String(repeating: "A", count: 43) + "=", md5: String(repeating: "A", count: 22) + "=="
  )
  private static let sha512 = String(repeating: "A", count: 86) + "=="
  private static let sha1 = String(repeating: "A", count: 27) + "="

  private func digest(_ fields: String, status: Int = 206) -> Checksum? {
    var head = ResponseHead(status: status, url: "http://host/f")
    for field in fields.split(separator: "\n") { head.add(line: Array(field.utf8)) }
    return DigestField.digest(of: head)
  }

  @Test(
    arguments: [
      ("Repr-Digest: sha-256=:\(zeros.sha256):", .sha256),
      ("repr-digest: sha-512=:\(sha512):, sha-256=:\(zeros.sha256):", .sha512),
      ("Digest: SHA-256=\(zeros.sha256)", .sha256), ("Digest: md5=\(zeros.md5),SHA=\(sha1)", .sha1),
      ("Digest: UNIXsum=30637, MD5=\(zeros.md5)", .md5),
      ("Digest: SHA-512=\(sha512), sha-256=\(zeros.sha256)", .sha512),
      ("Digest: SHA-512=\(sha512)\nRepr-Digest: sha-256=:\(zeros.sha256):", .sha256),
      ("Digest: SHA-256=\(zeros.sha256)\nRepr-Digest: nonsense", .sha256),
      ("Digest: SHA-256=:\(zeros.sha256):", nil), ("Repr-Digest: sha-256=\(zeros.sha256)", nil),
      ("Repr-Digest: md5=:\(zeros.md5):", nil), ("Digest: SHA-256=AAAA", nil), ("Digest: SHA-256=", nil),
      ("Digest: =,=", nil),
      ("Digest: sha-1=\(sha1)", nil), ("Content-Digest: sha-256=:\(zeros.sha256):", nil),
      ("Digest: md5=\(zeros.md5)\nDigest: md5=B", nil),
    ] as [(String, Checksum.Algorithm?)]) func theStrongestSumThatCanBeReadCounts(
      _ fields: String, _ algorithm: Checksum.Algorithm?
    )
  {
    let found = digest(fields)
    #expect(found?.algorithm == algorithm)
    #expect(found?.hex.allSatisfy { $0 == "0" } ?? true)
  }

  @Test func theSumOfTheContentIsTheFilesOnlyInAWholeAnswer() {
    let field = "Content-Digest: sha-256=:\(Self.zeros.sha256):"
    #expect(digest(field, status: 200)?.algorithm == .sha256 && digest(field, status: 206) == nil)
  }
}
