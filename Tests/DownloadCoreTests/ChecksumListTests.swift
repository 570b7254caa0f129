import DownloadCore
import Testing

/// Files such as SHA256SUMS, as the usual tools write them.
@Suite struct ChecksumListTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let other = String(repeating: "cd", count: 32)
  private static let md5 = String(repeating: "12", count: 16)

  @Test(arguments: [
    ("\(other)  a.iso\n\(sha256)  big.iso\n", "sha-256=\(sha256)"), ("\(sha256) *big.iso", "sha-256=\(sha256)"),
    ("\(sha256.uppercased())  ./dir/big.iso\r\n", "sha-256=\(sha256)"), ("\(md5)  big.iso", "md5=\(md5)"),
    ("SHA256 (big.iso) = \(sha256)\n", "sha-256=\(sha256)"), ("MD5 (big.iso) = \(md5)\n", "md5=\(md5)"),
    ("# sums\n\n\(sha256)  big.iso\n\(other)  big.iso\n", "sha-256=\(sha256)"),
  ]) func theLineOfTheFileIsFound(_ text: String, _ sum: String) {
    #expect(ChecksumList.checksum(for: "big.iso", in: text, isForOneFile: false) == Checksum(parsing: sum))
  }

  @Test(arguments: [
    "", "\(other)  big.iso.torrent\n", "\(other)  big\u{2E}ISO\n", "abcd  big.iso", "zz\(sha256.dropFirst(2))  big.iso",
    "<html>\(sha256) big.iso</html>", "SHA256 (big.iso) \(sha256)", "SHA3 (big.iso) = \(sha256)", "\(sha256)",
    "big.iso  \(sha256)",
    "SHA256 (big.iso = \(sha256)", ")( = \(sha256)",
  ]) func whatSaysNothingOfTheFileGivesNothing(_ text: String) {
    #expect(ChecksumList.checksum(for: "big.iso", in: text, isForOneFile: false) == nil)
  }

  @Test func aBareSumCountsInAFileOfItsOwnOnly() {
    let wanted = Checksum(parsing: "sha-256=\(Self.sha256)")
    #expect(ChecksumList.checksum(for: "big.iso", in: " \(Self.sha256)\n", isForOneFile: true) == wanted)
    #expect(ChecksumList.checksum(for: "big.iso", in: "\(Self.sha256)\n\(Self.other)\n", isForOneFile: true) == nil)
    #expect(ChecksumList.checksum(for: "big.iso", in: "\(Self.sha256)  else.iso\n", isForOneFile: true) == nil)
  }
}
