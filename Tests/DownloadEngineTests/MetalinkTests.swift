import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// Metalink documents of both versions, and what is no such thing.
struct MetalinkTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let sha1 = String(repeating: "cd", count: 20)
  private static let md5 = String(repeating: "12", count: 16)

  private static func read(_ text: String) throws(Metalink.Fault) -> Metalink { try Expat.metalink(Array(text.utf8)) }

  private static func version4(_ files: String) -> String {
    "<?xml version=\"1.0\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>"
  }

  /// The only file of a document that has this inside of it.
  private static func file(_ inside: String, name: String = "f") throws -> Metalink.File? {
    try read(version4("<file name=\"\(name)\">\(inside)</file>")).files.first
  }

  // MARK: Both versions

  @Test func aFileOfVersionFourIsReadWithAllThatIsSaidOfIt() throws {
    let metalink = try Self.read(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <metalink xmlns="urn:ietf:params:xml:ns:metalink" xmlns:x="http://else/">
        <generator>somebody</generator><published>2010-05-01T12:15:02Z</published>
        <file name="example.iso">
          <identity>Example</identity><description>Words &amp; more</description><x:url>http://foreign/</x:url>
          <size> 600 </size>
          <hash type="md5">\(Self.md5)</hash>
          <hash type="sha-256">
            \(Self.sha256.uppercased())
          </hash>
          <hash type="whirlpool">00</hash>
          <pieces length="256" type="sha-1"><hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash></pieces>
          <metaurl mediatype="torrent">http://t/f.torrent</metaurl>
          <signature mediatype="application/pgp-signature"><url>http://not/this</url></signature>
          <url>http://last/f</url>
          <url location="de" priority="2">http://second/f?a=1&amp;b=2</url>
          <url priority="1"> http://first/f </url>
          <url priority="3">http://first/f</url>
        </file>
        <file name="b/c.txt"><url>ftp://h/c</url></file>
      </metalink>
      """)
    let first = try #require(metalink.files.first)
    #expect(metalink.files.map(\.name) == ["example.iso", "b/c.txt"])
    #expect(metalink.remarks == ["example.iso: its torrents are left out"])
    #expect(first.size == 600 && first.checksum == Checksum(.sha256, hex: Self.sha256))
    #expect(first.pieces == PieceSums(.sha1, length: 256, sums: [Self.sha1, Self.sha1, Self.sha1]))
    #expect(first.addresses == ["http://first/f", "http://second/f?a=1&b=2", "http://last/f"])
  }

  @Test func aFileOfVersionThreeIsReadAsWell() throws {
    let metalink = try Self.read(
      """
      <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="f.iso"><os>Linux</os><size>300</size>
      <verification><hash type="sha1">\(Self.sha1)</hash><hash type="md5">\(Self.md5)</hash>
      <pieces length="256" type="md5"><hash piece="0">\(Self.md5)</hash><hash piece="1">\(Self.md5)</hash></pieces>
      </verification><resources maxconnections="3"><url type="http" location="us" preference="10">http://b/f</url>
      <url type="bittorrent" preference="100">http://t/f.torrent</url><url type="ftp" preference="90">ftp://a/f</url>
      <url type="http">http://c/f</url></resources></file></files></metalink>
      """)
    let file = try #require(metalink.files.first)
    #expect(file.name == "f.iso" && file.size == 300 && file.checksum == Checksum(.sha1, hex: Self.sha1))
    #expect(file.pieces == PieceSums(.md5, length: 256, sums: [Self.md5, Self.md5]))
    #expect(file.addresses == ["ftp://a/f", "http://b/f", "http://c/f"])
    #expect(metalink.remarks == ["f.iso: its torrents are left out"])
  }

  // MARK: Names

  @Test(arguments: [
    ("f", "f"), ("a/b/c.iso", "a/b/c.iso"), ("a\\b", "a/b"), (".hidden", "hidden"), ("-rf", "rf"), ("a/~b", "a/b"),
    ("\u{202E}gpj.exe", "gpj.exe"), ("f.part.json", "f_part_json"), ("ä ö", "ä ö"), ("", nil), ("/etc/passwd", nil),
    ("..", nil), ("../f", nil), ("a/../f", nil), ("a/./f", nil), ("a//f", nil), ("a/", nil), ("..\\f", nil),
    ("a/\u{200B}/f", nil), ("\\\\host\\f", nil), (String(repeating: "a/", count: 16) + "f", nil),
  ]) func aNameStaysWhereItIsPut(_ name: String, _ wanted: String?) throws {
    let metalink = try Self.read(Self.version4("<file name=\"\(name)\"><url>http://h/</url></file>"))
    #expect(metalink.files.first?.name == wanted)
    #expect(metalink.remarks == (wanted == nil ? ["line 2: no name for a file here: \(name)"] : []))
  }

  @Test func aLineBreakInANameIsNone() throws {
    let metalink = try Self.read(Self.version4("<file name=\"a&#10;b\"><url>http://h/</url></file>"))
    #expect(metalink.files.first?.name == "ab")
  }

  // MARK: What makes no sense

  @Test(arguments: [
    ("<size>-1</size>", "its size is no number: -1"), ("<size>1e3</size>", "its size is no number: 1e3"),
    ("<size></size>", "its size is no number: "), ("<size>99999999999999999999</size>", "its size is no number: 9"),
    ("<hash type=\"sha-256\">abcd</hash>", "its sha-256 sum is none: abcd"), ("<hash>abcd</hash>", nil),
    ("<hash type=\"crc\">abcd</hash>", nil), ("<pieces length=\"1\" type=\"crc\"><hash>ab</hash></pieces>", nil),
    ("<pieces length=\"0\" type=\"md5\"><hash>\(md5)</hash></pieces>", "its md5 sums of pieces make no sense"),
    ("<pieces length=\"x\" type=\"md5\"><hash>\(md5)</hash></pieces>", "its md5 sums of pieces make no sense"),
    ("<pieces length=\"9\" type=\"md5\"><hash>\(sha1)</hash></pieces>", "its md5 sums of pieces make no sense"),
    (
      "<pieces length=\"9\" type=\"md5\"><hash piece=\"1\">\(md5)</hash></pieces>",
      "its md5 sums of pieces make no sense"
    ),
    ("<pieces length=\"9\" type=\"md5\"></pieces>", "its md5 sums of pieces make no sense"),
    (
      "<size>10</size><pieces length=\"9\" type=\"md5\"><hash>\(md5)</hash></pieces>",
      "its pieces do not add up to its size"
    ),
  ]) func whatMakesNoSenseIsLeftOutAndSaid(_ inside: String, _ remark: String?) throws {
    let metalink = try Self.read(Self.version4("<file name=\"f\">\(inside)<url>http://h/</url></file>"))
    let file = try #require(metalink.files.first)
    #expect(file.checksum == nil && file.pieces == nil && file.addresses == ["http://h/"])
    #expect(metalink.remarks.count == (remark == nil ? 0 : 1))
    if let remark { #expect(metalink.remarks.first?.hasPrefix("f: \(remark)") == true, "\(metalink.remarks)") }
  }

  @Test(arguments: [
    ("<metaurl>http://t/</metaurl>", "f: only torrents lead to it"), ("", "f: no address leads to it"),
    ("<x xmlns=\"else\"><url>http://h/</url></x>", "f: no address leads to it"),
  ]) func aFileWithoutAnAddressIsSaid(_ inside: String, _ remark: String) throws {
    let metalink = try Self.read(Self.version4("<file name=\"f\">\(inside)</file>"))
    #expect(metalink.files.isEmpty && metalink.remarks == [remark])
  }

  @Test func theStrongestSumsOfPiecesCount() throws {
    let file = try Self.file(
      "<pieces length=\"9\" type=\"md5\"><hash>\(Self.md5)</hash></pieces>"
        + "<pieces length=\"8\" type=\"sha1\"><hash>\(Self.sha1)</hash></pieces><url>http://h/</url>")
    #expect(file?.pieces?.algorithm == .sha1 && file?.pieces?.length == 8)
  }

  // MARK: What is none

  @Test(arguments: [
    ("", 1, "it is no XML"), ("http://h/f", 1, "it is no XML"),
    ("<html><body/></html>", 1, "it is no metalink, but <html>"),
    ("<metalink>\n<file></metalink>", 2, "it is no XML, mismatched tag"), ("<metalink>", 1, "it is no XML"),
    ("<metalink>\u{0}</metalink>", 1, "it is no XML"),
    ("<metalink>&lol;</metalink>", 1, "it is no XML, undefined entity"),
    (
      "<?xml version=\"1.0\"?>\n<!DOCTYPE metalink SYSTEM \"file:///etc/passwd\"><metalink/>", 2,
      "a document type is not"
    ),
    ("<!DOCTYPE m [<!ENTITY a \"b\">]><metalink>&a;</metalink>", 1, "a document type is not"),
    (String(repeating: "<metalink>", count: 40), 1, "its elements are nested too deep"),
    (String(repeating: "<metalink>", count: 1_000_000), 1, "its elements are nested too deep"),
  ]) func whatIsNoMetalinkIsRefusedWithItsLine(_ text: String, _ line: Int, _ why: String) {
    let fault = #expect(throws: Metalink.Fault.self) { try Self.read(text) }
    #expect(fault?.line == line && fault?.why.hasPrefix(why) == true, "\(String(describing: fault))")
  }

  @Test func aBombOfEntitiesDoesNotGoOff() {
    let entities = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
    let text = "<!DOCTYPE m [<!ENTITY l0 \"lol\">\(entities)]><metalink><file name=\"&l9;\"/></metalink>"
    #expect(throws: Metalink.Fault.self) { try Self.read(text) }
  }

  @Test func aDocumentThatIsTooLongIsNotRead() {
    let text = "<metalink>" + String(repeating: " ", count: Expat.longest)
    #expect(throws: Metalink.Fault(line: 1, why: "it is longer than 16 MiB")) { try Self.read(text) }
  }

  @Test func moreNumbersOfPiecesThanThereMayBeAreNoPieces() throws {
    let hashes = String(repeating: "<hash>\(Self.md5)</hash>", count: PieceSums.mostPieces + 1)
    let file = try Self.file("<pieces length=\"9\" type=\"md5\">\(hashes)</pieces><url>http://h/</url>")
    #expect(file != nil && file?.pieces == nil)
  }

  @Test(arguments: [1, 2] as [UInt64]) func noDamagedDocumentDoesHarm(_ seed: UInt64) throws {
    let sound = Self.version4(
      "<files><file name=\"a/f\"><size>600</size><hash type=\"md5\">\(Self.md5)</hash><pieces length=\"600\" type=\"md5\">"
        + "<hash piece=\"0\">\(Self.md5)</hash></pieces><url priority=\"1\" preference=\"5\">http://h/f</url></file></files>"
    )
    var random = SeededRandom(seed)
    for _ in 0..<2000 {
      var bytes = Array(sound.utf8)
      for _ in 0..<random.number(1...6) {
        let place = random.number(0...(bytes.count - 1))
        switch random.number(0...2) {
        case 0: bytes[place] = random.number(0...255)
        case 1: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes.dropFirst(place).prefix(random.number(0...40)), at: place)
        }
      }
      guard let metalink = try? Expat.metalink(bytes) else { continue }
      for file in metalink.files {
        #expect(!file.name.hasPrefix("/") && !file.name.split(separator: "/").contains(".."), "seed \(seed): \(file)")
        #expect(file.size ?? 0 >= 0 && file.pieces?.length ?? 1 > 0, "seed \(seed): \(file)")
      }
    }
  }
}
