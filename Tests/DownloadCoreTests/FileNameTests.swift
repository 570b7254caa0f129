import Testing

@testable import DownloadCore

/// Whatever comes in, a harmless name comes out. Names in Content-Disposition fields have their own table.
struct FileNameTests {
  // B01, B02, B05, B14 and relatives; nil means that nothing is left and the next source is asked.
  @Test(
    arguments: [
      ("a.txt", "a.txt"), ("A b (1).TXT", "A b (1).TXT"), ("café.txt", "café.txt"), ("日本語.zip", "日本語.zip"),
      ("👨‍👩‍👧.png", "👨‍👩‍👧.png"),
      ("❤️", "❤️"), ("a,b;c&d$e'f\"g.txt", "a,b;c&d$e'f\"g.txt"), ("a:b*c?d<e>f|g", "a:b*c?d<e>f|g"), ("a..b", "a..b"),
      ("../../evil.txt", "evil.txt"), ("/tmp/x/evil.txt", "evil.txt"), ("a/b/c.txt", "c.txt"), ("a/..", nil),
      ("../", nil),
      ("a/", nil), ("/", nil), ("\\", nil), ("\\\\host\\share", "share"), ("..\\..\\evil.txt", "evil.txt"),
      ("a\\", nil),
      ("C:\\a\\b.txt", "b.txt"), ("a/b\\c.txt", "c.txt"), ("a\\b/c.txt", "c.txt"), ("..", nil), (".", nil),
      ("...", nil), ("", nil),
      (" ", nil), ("\t\r\n", nil), ("\u{a0}\u{3000}", nil), (". . .", nil), ("~", nil), ("-", nil), ("--", nil),
      ("-~.", nil),
      ("~root", "root"), ("~/.ssh/id", "id"), ("-rf", "rf"), ("--help", "help"), ("- rf", "rf"), (".bashrc", "bashrc"),
      ("..bashrc", "bashrc"), (". .bashrc", "bashrc"), ("a-b", "a-b"), ("a~", "a~"), ("a.-", "a.-"), ("$(rm)", "$(rm)"),
      ("name.txt. ", "name.txt"), ("name.txt...", "name.txt"), (" name.txt ", "name.txt"), ("name .txt", "name .txt"),
      ("\u{3000}a\u{2003}", "a"), ("a\u{0}b", "ab"), ("a\u{1b}[31mb", "a[31mb"), ("a\r\nb", "ab"), ("a\tb", "ab"),
      ("a\u{7f}b", "ab"),
      ("a\u{9b}31m", "a31m"), ("a\u{85}b", "ab"), ("a\u{2028}b\u{2029}c", "abc"), ("a\u{202e}txt.exe", "atxt.exe"),
      ("\u{2066}a\u{2069}", "a"), ("\u{200e}\u{200f}a", "a"), ("\u{feff}a", "a"), ("a\u{200b}b", "ab"),
      ("\u{200b}", nil),
      ("\u{200d}", nil), ("\u{200d}.bashrc", "bashrc"), ("\u{fe0f}-rf", "rf"), ("\u{3164}", nil), ("\u{e0041}a", "a"),
      (".\u{200b}bashrc", "bashrc"), ("\u{0}.bashrc", "bashrc"), ("\u{0}../a", "a"), (".\u{0}./a", "a"),
      (".\u{0}.", nil),
      ("../\u{301}evil", "evil"), ("..\\\u{301}evil", "evil"), ("a/\u{200d}../b\u{301}", "b\u{301}"),
      ("/\u{1f3fd}x", "x"),
      (".\u{301}hidden", "hidden"), ("-\u{301}rf", "rf"), ("~\u{301}", nil), (" \u{301}a", "a"), ("\u{301}", nil),
      ("\u{903}a", "a"), ("e\u{301}.txt", "e\u{301}.txt"), ("a/.\u{fe0f}./\u{20e3}b", "b"),
      ("\u{fffd}.txt", "\u{fffd}.txt"),
      ("x.part", "x.part"), ("x.part.json", "x_part_json"), ("x.part.json~", "x_part_json~"),
      ("x.part.json. ", "x_part_json"),
      (".part.json", "part.json"), ("x.json", "x.json"), ("=?UTF-8?Q?x?=", "=?UTF-8?Q?x?="),
      ("100%25.txt", "100%25.txt"),
    ] as [(String, String?)])
  func aNameIsMadeHarmless(_ raw: String, _ name: String?) {
    #expect(FileName.safe(raw).map { Array($0.utf8) } == name.map { Array($0.utf8) })
  }

  /// RFC 6266 §4.3 warns of device names. They are devices on Windows only; on Linux the file is as good as any.
  @Test(arguments: ["CON", "con.txt", "NUL", "LPT1", "COM1.tar.gz", "AUX", "core", "null", "desktop.ini", "a::$DATA"])
  func namesOfDevicesElsewhereAreLeftAlone(_ name: String) { #expect(FileName.safe(name) == name) }

  // B11. The last row of a kind says what is documented: parameters of a segment belong to it.
  @Test(arguments: [
    ("http://h/a.iso", "a.iso"), ("http://h/d/a.iso", "a.iso"), ("http://h/d/", "download"), ("http://h/", "download"),
    ("http://h", "download"), ("http://bücher.example", "download"), ("http://xn--bcher-kva.example/", "download"),
    ("http://h/a?x=/etc/passwd", "a"), ("http://h/a#/b", "a"), ("http://h/a?b#c?d", "a"),
    ("http://h?x=/etc/passwd", "download"),
    ("http://h#/x", "download"), ("http://h/?x=a.iso", "download"), ("http://h/a%20b%C3%A9#frag", "a bé"),
    ("http://h/a%FFb", "aÿb"), ("http://h/%E2%82%AC.txt", "€.txt"), ("http://h/a%2", "a%2"),
    ("http://h/a%zz%", "a%zz%"),
    ("http://h/100%2525", "100%25"), ("http://h/a+b", "a+b"), ("http://h/file.txt;p=1", "file.txt;p=1"),
    ("http://h/..", "download"), ("http://h/%2e%2e", "download"), ("http://h/d/%2E", "download"),
    ("http://h/%2e%2e%2fevil", "evil"),
    ("http://h/..%2f..%2fetc%2fpasswd", "passwd"), ("http://h/..%5c..%5cevil", "evil"), ("http://h/a%2f", "download"),
    ("http://h/%00", "download"), ("http://h/%2ebashrc", "bashrc"), ("http://h/-rf", "rf"), ("http://h/~", "download"),
    ("http://h/~me", "me"), ("http://h/a%0d%0ab", "ab"), ("http://h/%E2%80%AEexe.txt", "exe.txt"),
    ("http://h//", "download"),
    ("http://h/a//b", "b"), ("http://h/d/\u{301}a", "a"), ("http://h/CON", "CON"), ("not an address", "download"),
    ("", "download"),
    ("http://h/x.part.json", "x_part_json"), ("https://[::1]:8443/a.iso", "a.iso"), ("http://h/a:b@c", "a:b@c"),
  ]) func theAddressGivesTheNameOtherwise(_ url: String, _ name: String) {
    #expect(FileName.suggested(by: nil, url: url) == name)
    #expect(FileName.suggested(by: ResponseHead(status: 200, url: url), url: url) == name)
  }

  @Test(arguments: [
    ("http://h/a.iso", "http://m/b.iso", "a.iso"), ("http://h/latest", "http://m/tool-1.2.tar.gz", "tool-1.2.tar.gz"),
    ("http://h/latest", "http://m/stable", "latest"), ("http://h/", "http://m/b.iso", "b.iso"),
    ("http://h/d/", "http://m/stable", "stable"),
    ("http://h/latest", "http://m/", "latest"), ("http://h/", "http://m/", "download"),
    ("http://h/latest", "", "latest"),
    ("http://h/latest", "http://m/x?file=/etc/passwd.d", "latest"),
    ("http://h/latest", "http://m/..%2f.evil.sh", "evil.sh"),
    ("http://h/a.php?id=3", "http://m/b.iso", "a.php"),
  ]) func aRedirectNamesTheFileOnlyIfTheAddressHasNoExtension(_ asked: String, _ led: String, _ name: String) {
    #expect(FileName.suggested(by: ResponseHead(status: 200, url: led), url: asked) == name)
  }

  // MARK: Long names

  private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test(arguments: [
    (repeated("a", 230), repeated("a", 230)), (repeated("a", 231), repeated("a", 230)),
    (repeated("a", 3000), repeated("a", 230)),
    (repeated("a", 300) + ".iso", repeated("a", 226) + ".iso"),
    (repeated("a", 300) + ".tar.gz", repeated("a", 223) + ".tar.gz"),
    (repeated("é", 300) + ".iso", repeated("é", 113) + ".iso"), (repeated("é", 300), repeated("é", 115)),
    (repeated("👨‍👩‍👧", 20) + ".png", repeated("👨‍👩‍👧", 12) + ".png"), (repeated("日", 100) + ".zip", repeated("日", 75) + ".zip"),
    ("a." + repeated("b", 300), "a." + repeated("b", 228)),
    (repeated("a", 300) + "." + repeated("b", 31), repeated("a", 198) + "." + repeated("b", 31)),
    (repeated("a", 300) + "." + repeated("b", 32), repeated("a", 230)),
    (repeated("a", 229) + " bcd", repeated("a", 229)),
    (repeated("a", 229) + "\u{301}.iso", repeated("a", 226) + ".iso"), (repeated("a ", 300), repeated("a ", 114) + "a"),
    ("a" + repeated("\u{301}", 300) + ".iso", "a" + repeated("\u{301}", 112) + ".iso"),
    ("a" + repeated("\u{301}", 300), "a" + repeated("\u{301}", 114)),
    (repeated("a", 300) + ".part.json", repeated("a", 225) + ".json"),
    ("x." + repeated("é", 20) + "." + repeated("a", 300), "x." + repeated("é", 20) + "." + repeated("a", 187)),
  ]) func aLongNameIsCutAtACharacterAndKeepsItsExtension(_ raw: String, _ name: String) {
    #expect(FileName.safe(raw) == name)
    #expect(name.utf8.count <= FileName.longest)
  }

  @Test func everythingThatIsMadeFromTheLongestNameFitsAFolder() {
    let part = FileName.part(of: FileName.numbered(FileName.numbered(Self.repeated("a", FileName.longest), 9999), 9999))
    #expect(FileName.previousSidecar(ofPart: part).utf8.count <= 255)
    #expect(FileName.sidecar(ofPart: part).utf8.count <= 255)
  }

  /// A header line may be 100 KB long; what it costs must not grow with its square.
  @Test(arguments: ["a", "\u{301}", "a.", "👨‍👩‍👧", "%41", "\\", "/", "a\u{301}"]) func aHugeNameIsCutInNoTime(
    _ piece: String
  ) {
    let time = ContinuousClock().measure {
      let name = FileName.suggested(by: nil, url: "http://h/x" + Self.repeated(piece, 100_000 / piece.utf8.count))
      #expect(name.utf8.count <= FileName.longest)
    }
    #expect(time < .seconds(5))
  }

  // MARK: Numbers

  @Test(arguments: [
    ("a.iso", "a (1).iso"), ("a.tar.gz", "a (1).tar.gz"), ("a.TAR.XZ", "a (1).TAR.XZ"), ("a.tar", "a (1).tar"),
    ("a", "a (1)"),
    ("a.b.c", "a.b (1).c"), (".bashrc", ".bashrc (1)"), (".config.json", ".config (1).json"),
    (".tar.gz", ".tar (1).gz"),
    ("a.", "a (1)."), ("a (1).iso", "a (1) (1).iso"), ("tar.gz", "tar (1).gz"), ("x.tar.tar.gz", "x.tar (1).tar.gz"),
    ("日本.zip", "日本 (1).zip"),
  ]) func theNumberGoesBeforeTheExtension(_ name: String, _ numbered: String) {
    #expect(FileName.numbered(name, 1) == numbered)
    #expect(FileName.numbered(name, 0) == name)
    #expect(FileName.numbered(name, 2700).utf8.count == numbered.utf8.count + 3)
  }

  @Test(arguments: ["a", ".bashrc", "-rf", "~", "...", " ", "a\nb", "CON", "\u{301}", repeated("a", 230), "a\\b"])
  func whatTheUserTypedIsKept(_ name: String) { #expect(FileName.isPossible(name)) }

  @Test(arguments: [
    "", ".", "..", "/", "a/b", "../a", "a/", "/\u{301}a", "../\u{200d}x", "a\u{0}b", "\u{0}\u{301}", repeated("a", 231),
  ])
  func whatNamesNoFileIsRefused(_ name: String) { #expect(!FileName.isPossible(name)) }

  // MARK: Anything at all

  private static let pieces = [
    "/", "\\", ".", "..", "-", "~", " ", "%2F", "%2e", "%00", "%", "\"", "\\\"", ";", "=", "'", "UTF-8''", "filename*=",
    "filename=",
    "attachment; ", ".part.json", ".tar.gz", "\u{0}", "\r", "\n", "\u{1b}", "\u{7f}", "\u{85}", "\u{301}", "\u{200d}",
    "\u{202e}", "\u{fe0f}",
    "\u{2028}", "\u{3000}", "\u{3164}", "\u{1f3fd}", "\u{1f468}", "é", "日", "a", "b", "Z", "\u{ffff}", "\u{10ffff}",
    "%CC%81", "%E2%80%AE",
  ]

  @Test(arguments: UInt64(0)..<40) func anyBytesGiveASafeName(seed: UInt64) {
    var random = Seeded(seed)
    for round in 0..<150 {
      let noise = Self.noise(&random)
      var head = ResponseHead(status: 200, url: "http://h/" + String(decoding: Self.noise(&random), as: UTF8.self))
      head.add(
        line: Array("Content-Disposition: attachment; \(["filename=", "filename*=UTF-8''", ""][round % 3])".utf8)
          + noise)
      let url = "http://h/" + String(decoding: Self.noise(&random), as: UTF8.self)
      expectSafe(FileName.suggested(by: head, url: url), "seed \(seed), round \(round)")
      if let name = FileName.safe(String(decoding: noise, as: UTF8.self)) {
        expectSafe(name, "seed \(seed), round \(round)")
        #expect(FileName.safe(name) == name, "seed \(seed), round \(round): not safe at once")
      }
    }
  }

  private static func noise(_ random: inout Seeded) -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).flatMap { _ -> [UInt8] in
      if Int.random(in: 0..<4, using: &random) == 0 { return [UInt8.random(in: 0...255, using: &random)] }
      let piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
      return Int.random(in: 0..<30, using: &random) == 0 ? Array(repeatElement(piece, count: 90).joined()) : piece
    }
  }

  private func expectSafe(_ name: String, _ comment: Comment) {
    let bytes = Array(name.utf8)
    #expect(!bytes.isEmpty && bytes.count <= FileName.longest, comment)
    #expect(
      !bytes.contains { $0 < 0x20 || $0 == 0x7f || "/\\".utf8.contains($0) }, "\(comment): \(name.debugDescription)")
    #expect(bytes.first.map { !".-~ ".utf8.contains($0) } == true, "\(comment): \(name.debugDescription)")
    #expect(bytes.last.map { !". ".utf8.contains($0) } == true, "\(comment): \(name.debugDescription)")
    #expect(
      name.unicodeScalars.allSatisfy { !Self.misleading.contains($0.value) }, "\(comment): \(name.debugDescription)")
    #expect(("/" + name).first == "/", "\(comment): merges with the slash before it: \(name.debugDescription)")
    #expect(!name.hasSuffix(".part.json") && !name.hasSuffix(".part.json~"), comment)
    #expect(FileName.isPossible(name) && FileName.isPrintable(name), comment)
    #expect(String(validating: bytes, as: UTF8.self) != nil, comment)
  }

  /// C1 controls, bidirectional and invisible marks, line separators.
  private static let misleading: Set<UInt32> = Set(0x80...0x9f).union(0x2028...0x202e).union(0x2066...0x2069)
    .union([0x200b, 0x200e, 0x200f, 0x61c, 0xfeff])
}
