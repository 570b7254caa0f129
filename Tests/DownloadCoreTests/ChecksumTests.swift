import Testing

@testable import DownloadCore

/// Sums as people paste them.
struct ChecksumTests {
  private static func digits(_ count: Int) -> String {
    String(repeating: "0123456789abcdef", count: 17).prefix(count).lowercased()
  }

  @Test(
    arguments: [
      ("sha-256", .sha256, 64), ("sha256", .sha256, 64), ("SHA-256", .sha256, 64), ("Sha256", .sha256, 64),
      ("sha-512", .sha512, 128),
      ("sha512", .sha512, 128), ("sha-384", .sha384, 96), ("sha384", .sha384, 96), ("sha-224", .sha224, 56),
      ("SHA224", .sha224, 56),
      ("sha-1", .sha1, 40), ("sha1", .sha1, 40), ("SHA-1", .sha1, 40), ("md5", .md5, 32), ("MD5", .md5, 32),
    ] as [(String, Checksum.Algorithm, Int)])
  func aSumIsReadUnderEachOfItsNames(_ name: String, _ algorithm: Checksum.Algorithm, _ count: Int) throws {
    let checksum = try #require(Checksum(parsing: "\(name)=\(Self.digits(count))"))
    #expect(checksum.algorithm == algorithm && checksum.hex == Self.digits(count))
    #expect(
      Checksum(parsing: "\(name)=\(Self.digits(count).uppercased())") == checksum, "digits are kept in lower case")
  }

  @Test(arguments: Checksum.Algorithm.allCases) func aSumOfAnotherLengthIsRefused(_ algorithm: Checksum.Algorithm) {
    let count = 2 * algorithm.byteCount
    #expect(Checksum(algorithm, hex: Self.digits(count)) != nil)
    for wrong in [0, 1, count - 2, count - 1, count + 1, 2 * count] {
      #expect(Checksum(algorithm, hex: Self.digits(wrong)) == nil, "\(wrong) digits")
      #expect(Checksum(parsing: "\(algorithm.rawValue)=\(Self.digits(wrong))") == nil, "\(wrong) digits")
    }
    #expect(algorithm.rawValue == algorithm.rawValue.lowercased())
  }

  @Test(arguments: [
    "", "=", "md5", "md5=", "md5:0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef",
    "=0123456789abcdef0123456789abcdef",
    "md4=0123456789abcdef0123456789abcdef", "crc32=01234567", "sha-3=0123456789abcdef",
    " md5=0123456789abcdef0123456789abcdef",
    "md5= 0123456789abcdef0123456789abcde", "md5=0123456789abcdef0123456789abcdeg",
    "md5=0x23456789abcdef0123456789abcdef",
    "md5=0123456789abcdef0123456789abcdef ", "md5==0123456789abcdef0123456789abcde",
    "md5=0123456789abcdef 123456789abcdef",
    "md5=\u{ff10}123456789abcdef0123456789abc", "md5=0123456789abcdef0123456789abcde\u{301}",
    "md 5=0123456789abcdef0123456789abcdef",
  ]) func whatIsNoSumIsRefused(_ text: String) { #expect(Checksum(parsing: text) == nil) }
}
