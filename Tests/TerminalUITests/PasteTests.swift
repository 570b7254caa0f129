import DownloadCore
import Testing

@testable import TerminalUI

/// What is found in pasted text, and what pasted commands bring along.
@Suite struct PasteTests {
  // MARK: Words of a shell

  @Test(
    arguments: [
      ("a b  c", ["a", "b", "c"]), ("'a b' \"c d\"", ["a b", "c d"]), ("a'b'\"c\"d", ["abcd"]), ("a\\ b", ["a b"]),
      ("a \\\n b", ["a", "b"]), ("a\\\nb", ["ab"]), ("''", [""]), ("\"\\\"\\\\\\$\\`\\n\"", ["\"\\$`\\n"]),
      ("'it'\\''s'", ["it's"]), ("$'a\\'b\\n\\x41\\u00e9'", ["a'b\nA\u{e9}"]),
      ("$HOME `id` $(id) *", ["$HOME", "`id`", "$(id)", "*"]),
      ("a # b", ["a"]), ("a#b", ["a#b"]), ("a ; b", ["a"]), ("a | b", ["a"]), ("a && b", ["a"]), ("a\nb", ["a"]),
      ("'open", ["open"]), ("\"open", ["open"]), ("$'open\\", ["open\\"]), ("end\\", ["end"]), ("", []), ("$", ["$"]),
    ] as [(String, [String])]) func wordsAreThoseOfAShell(_ text: String, _ words: [String])
  {
    #expect(ShellReader.read(text[...]).command.words == words)
  }

  @Test func aRedirectIsNoWord() {
    let command = ShellReader.read("curl http://a/ >'my file' -L").command
    #expect(command.words == ["curl", "http://a/", "-L"] && command.redirect == "my file")
  }

  // MARK: Addresses in text

  @Test(
    arguments: [
      ("https://a/b", ["https://a/b"]), ("see https://a/b.", ["https://a/b"]), ("(https://a/b)", ["https://a/b"]),
      ("https://a/b_(c)", ["https://a/b_(c)"]), ("[x](https://a/b_(c))", ["https://a/b_(c)"]),
      ("<https://a/b>", ["https://a/b"]), ("href=\"https://a/b\"", ["https://a/b"]), ("'https://a/b'", ["https://a/b"]),
      ("'https://a/b','https://c'", ["https://a/b", "https://c"]), ("HTTPS://A/B", ["HTTPS://A/B"]),
      ("https://a/b\nhttps://a/b\nhttps://A/b", ["https://a/b"]),
      ("ftp://a/b sftp://c/d", ["ftp://a/b", "sftp://c/d"]),
      ("file:///etc/passwd javascript://x data://y", []), ("https://", []), ("://a", []), ("example.org/file", []),
      ("https://a/b\u{1F600}", ["https://a/b\u{1F600}"]), ("a,b;https://x/y?z=1;c=2,", ["https://x/y?z=1;c=2"]),
      ("http://[::1]:8080/x", ["http://[::1]:8080/x"]), ("don't https://a/it's!", ["https://a/it's"]), ("", []),
    ] as [(String, [String])]) func addressesAreFoundInText(_ text: String, _ addresses: [String])
  {
    #expect(PastedText(text).offers.map(\.download.address) == addresses)
  }

  @Test func aLongPasteIsNoTrouble() {
    let text = String(repeating: "https://a/" + String(repeating: ")", count: 1000) + " don't curl\n", count: 500)
    #expect(PastedText(text).offers.map(\.download.address) == ["https://a/"])
  }

  // MARK: Commands

  private func offer(_ text: String) throws -> Offer { try #require(PastedText(text).offers.first) }
  private func options(_ text: String) throws -> [String] {
    try offer(text).download.options.map { "\($0.name)=\($0.value)" }
  }

  @Test(
    arguments: [
      ("curl https://a/b", []), ("curl -L -sS -f -O https://a/b", []), ("curl -fsSLO https://a/b", []),
      ("curl https://a/b -H 'X-A: 1' --header 'X-B:2'", ["header=X-A: 1", "header=X-B: 2"]),
      ("curl -HX-A:1 https://a/b", ["header=X-A: 1"]), ("curl -u me:pw https://a/b", ["user=me:pw"]),
      ("curl -ume:pw https://a/b", ["user=me:pw"]), ("curl -b 'a=b; c=d' https://a/b", ["header=Cookie: a=b; c=d"]),
      ("curl -e 'https://r/;auto' -A 'Moz illa' https://a/b", ["referer=https://r/", "user-agent=Moz illa"]),
      ("curl -H 'User-Agent: x' -H 'referer: y' https://a/b", ["user-agent=x", "referer=y"]),
      ("curl --oauth2-bearer T https://a/b", ["header=Authorization: Bearer T"]),
      ("curl --limit-rate 1.5m https://a/b", ["limit-rate-each=1.5m"]),
      ("curl https://a/b -o x.iso", ["output=x.iso"]), ("curl -o/tmp/../x.iso https://a/b", ["output=x.iso"]),
      ("curl -o ~/.bashrc https://a/b", ["output=.bashrc"]), ("curl https://a/b > y.iso", ["output=y.iso"]),
      ("curl https://a/b -o -", []), ("curl https://a/b >/dev/null", []), ("curl -o .. https://a/b", []),
      ("  $ curl https://a/b", []), ("# curl https://a/b", []), ("/usr/bin/curl https://a/b", []),
      ("HTTPS_PROXY=x curl https://a/b", []), ("curl --url https://a/b", []), ("curl \\\n  -L \\\n  https://a/b", []),
    ] as [(String, [String])]) func aCommandBringsItsOptionsAlong(_ text: String, _ expected: [String]) throws
  {
    let pasted = PastedText(text)
    #expect(pasted.hasCommand && pasted.offers.map(\.download.address) == ["https://a/b"])
    #expect(try options(text) == expected)
    #expect(try offer(text).obstacle == nil)
  }

  @Test(
    arguments: [
      ("curl --frobnicate https://a/b", ["--frobnicate"]), ("curl -k https://a/b", ["--insecure"]),
      ("curl -x http://p:1 https://a/b", ["--proxy"]), ("curl --limit-rate fast https://a/b", ["--limit-rate"]),
      ("curl -H 'Range: bytes=0-' -H 'Accept-Encoding: br' https://a/b", ["Range", "Accept-Encoding"]),
      ("curl -H @file -H 'X-Empty;' -H 'a b: c' https://a/b", ["-H @file", "-H X-Empty;", "-H a b"]),
      ("curl -u me https://a/b", ["--user"]), ("curl -b jar.txt https://a/b", ["--cookie"]),
      ("curl -H $'X: a\\r\\nEvil: 1' https://a/b", ["--header"]), ("curl -? https://a/b", ["-?"]),
      ("curl --compressed -C - --retry 3 -m 5 https://a/b", []), ("curl --resolve a:1:2 https://a/b", ["--resolve"]),
    ] as [(String, [String])]) func whatMeansNothingHereIsNamed(_ text: String, _ skipped: [String]) throws
  {
    #expect(try offer(text).skipped == skipped)
    #expect(try options(text) == [])
  }

  @Test(
    arguments: [
      "-X POST", "-d a=b", "--data-raw '{}'", "-F f=@x", "-T file", "-I", "--json '{}'", "-r 0-99", "--request PUT",
    ]) func whatIsNoPlainDownloadIsNotTicked(_ option: String) throws
  {
    let pasted = PastedText("curl \(option) https://a/b")
    #expect(pasted.offers.first?.obstacle != nil)
    #expect(Review(pasted.offers, known: []).ticked.isEmpty)
  }

  @Test func severalAddressesHaveTheirOwnNames() throws {
    let offers = PastedText("curl -H 'X: 1' https://a/1 -o one https://a/2 -o two https://a/3 --next -A x https://b/1")
      .offers
    #expect(offers.map(\.download.address) == ["https://a/1", "https://a/2", "https://a/3", "https://b/1"])
    #expect(
      offers.map { $0.download.options.map(\.name) } == [
        ["header", "output"], ["header", "output"], ["header"], ["user-agent"],
      ])
  }

  @Test func commandsAndTextStandSideBySide() {
    let text =
      "First https://x/1 then\n$ curl -u a:b https://y/2 \\\n  -L\nand https://z/3\ncurl https://w/4; rm -rf /\n"
    #expect(
      PastedText(text).offers.map(\.download.address) == ["https://x/1", "https://y/2", "https://z/3", "https://w/4"])
  }

  @Test func noSecretIsShown() throws {
    let hush = try offer("curl -u me:hush -H 'Authorization: hush' -b 'c=hush' -e https://r/ https://me:hush@a/b")
    #expect(hush.extras == "2 headers, name and password, referer")
    var screen = Screen()
    let size = Size(columns: 120, rows: 30)
    _ = screen.handle(
      .paste("curl -u me:hush -H 'Authorization: hush' https://me:hush@a/b"), in: Snapshot(), size: size)
    let grid = screen.render(Snapshot(), size: size)
    let text = (0..<30).map { String(grid.row($0).map(\.character)) }.joined()
    #expect(text.contains("https://…@a/b") && !text.contains("hush"))
  }

  // MARK: Keys

  private static let size = Size(columns: 100, rows: 24)

  private func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy, folder: String = "") -> [Action] {
    var screen = Screen()
    screen.folder = folder
    return keys.flatMap { screen.handle($0, in: snapshot, size: Self.size) }
  }

  private static func add(_ addresses: String..., options: [(String, String)] = []) -> [Action] {
    [.add(addresses.map { NewDownload($0, options.map { NewDownload.Option($0.0, $0.1) }) })]
  }

  private static func keys(_ text: String) -> [Key] {
    text.map { $0 == "\n" ? .enter : $0 == "\t" ? .tab : .character($0) }
  }

  @Test(
    arguments: [
      (keys("ahttp://a/b\n"), add("http://a/b")), (keys("aqp\n"), add("qp")), (keys("a\n"), []), (keys("a  \n"), []),
      (keys("ahttp://a/b http://c/d\n"), add("http://a/b", "http://c/d")),
      (
        keys("aa.b/c\t/tmp\tname\tmd5=0\n"),
        add("a.b/c", options: [("dir", "/tmp"), ("output", "name"), ("checksum", "md5=0")])
      ),
      (keys("aa.b/c") + [.backTab] + keys("md5=0\n"), add("a.b/c", options: [("checksum", "md5=0")])),
      (keys("aa.b/c\t\t\t\t/d\n"), add("a.b/c/d")), (keys("aa b\t\tname\n"), []),
      (keys("aa b\t\tn\n") + [.control("u")] + keys("\n"), add("a", "b")),
      (keys("ax") + [.escape, .enter], []),
      (keys("a") + [.paste(" http://a/b \n\n http://c/d\t")] + keys("\n"), add("http://a/b", "http://c/d")),
      ([.paste("http://a/b"), .enter], add("http://a/b")), ([.paste("see http://a/b!"), .enter], add("http://a/b")),
      ([.paste("a.b/c"), .enter], add("a.b/c")), ([.character("?"), .paste("http://a/b"), .enter], add("http://a/b")),
      ([.character("d"), .paste("http://a/b"), .enter], add("http://a/b")),
      ([.character("a"), .tab, .paste("/my folder"), .enter], []),
      ([.paste("http://a/b http://c/d"), .enter], add("http://a/b", "http://c/d")),
      ([.paste("http://a/b http://c/d"), .character(" "), .enter], add("http://c/d")),
      ([.paste("http://a/b http://c/d"), .down, .character(" "), .enter], add("http://a/b")),
      ([.paste("http://a/b http://c/d"), .character("*"), .enter], []),
      ([.paste("http://a/b http://c/d"), .escape, .enter], []),
      (
        [.paste("http://a/b http://c/d"), .paste("http://e/f http://a/b"), .enter],
        add("http://a/b", "http://c/d", "http://e/f")
      ),
      ([.paste("curl -A x http://a/b"), .enter], add("http://a/b", options: [("user-agent", "x")])),
      ([.character("a"), .paste("curl http://a/b"), .enter], add("http://a/b")),
      ([.paste("curl"), .enter], []),
    ] as [([Key], [Action])]) func keysAdd(_ keys: [Key], _ actions: [Action])
  {
    #expect(press(keys) == actions)
  }

  @Test func filesGoWhereTheScreenSaysUnlessAFolderIsTyped() {
    #expect(press(Self.keys("aa.b/c\n"), folder: "/home") == Self.add("a.b/c", options: [("dir", "/home")]))
    let other: [Key] = Self.keys("aa.b/c\t") + [.control("u")] + Self.keys("/x\n")
    #expect(press(other, folder: "/home") == Self.add("a.b/c", options: [("dir", "/x")]))
  }

  @Test(
    arguments: [
      ("'/home/me/my file.meta4' ", ["/home/me/my file.meta4"]),
      ("/home/me/my\\ file.meta4", ["/home/me/my file.meta4"]),
      ("~/a.meta4 b.metalink", ["~/a.meta4", "b.metalink"]), ("\"/it's/a.meta4\"", ["/it's/a.meta4"]),
      ("h.org/x?a&b;c", ["h.org/x?a&b;c"]), ("h.org/it's", ["h.org/its"]),
    ] as [(String, [String])]) func aPathMayBeQuotedAsADroppedFileIs(_ text: String, _ addresses: [String])
  {
    let actions = press([.paste(text), .enter])
    #expect(actions == [.add(addresses.map { NewDownload($0) })])
  }

  @Test func whatIsInTheListIsNotTickedAndCanBe() {
    let known = "https://mirror.example.org/pub/missing.zip"
    #expect(press([.paste("\(known) http://a/b"), .enter]) == Self.add("http://a/b"))
    #expect(
      press([.paste("HTTPS://me@Mirror.Example.org/pub/missing.zip#x http://a/b"), .enter]) == Self.add("http://a/b"))
    #expect(press([.paste("\(known) http://a/b"), .character(" "), .enter]) == Self.add(known, "http://a/b"))
  }

  @Test func whatCannotBeAskedForComesBackWithAllThatWasSaid() {
    var screen = Screen()
    let options: [NewDownload.Option] = [.init("dir", "/x"), .init("output", "n"), .init("header", "Cookie: hush")]
    screen.refuse([NewDownload("fax://a", options)], because: "no such scheme")
    let keys = [Key.home, .delete, .delete, .delete] + Self.keys("http\n")
    let actions = keys.flatMap { screen.handle($0, in: Samples.busy, size: Self.size) }
    #expect(actions == [.add([NewDownload("http://a", options)])])
  }

  @Test func aLongListIsScrolled() {
    let text = (0..<500).map { "http://a/\($0)" }.joined(separator: "\n")
    #expect(
      press([.paste(text), .end, .character(" "), .pageUp, .character(" "), .enter]).first.map { action in
        if case .add(let downloads) = action { downloads.count } else { 0 }
      } == 498)
  }

  @Test func theMouseTicksAndChoosesFields() {
    let click = { (row: Int) in Key.mouse(Mouse(.click, row: row, column: 5)) }
    #expect(
      press([.paste("http://a/b http://c/d"), click(4), click(4), click(3), click(9), .enter]) == Self.add("http://c/d")
    )
    #expect(
      press([.character("a"), click(21)] + Self.keys("n") + [click(19)] + Self.keys("a.b\n"))
        == Self.add("a.b", options: [("output", "n")]))
  }

  @Test func anAddressIsPickedOutOfWhatIsPastedForIt() {
    let actions = press([.character("u"), .paste("now at <https://a/b>,\n"), .enter])
    #expect(actions == [.readdress(DownloadID(1), "https://a/b")])
  }

  @Test(arguments: UInt64(1)...30) func anyTextIsRead(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "curl ", "https://a/b", "'", "\"", "\\", "\n", " -H ", "-o", "$'", "x: y", ")", "(", "://", "\u{301}", "日本", ";",
      ">", "#",
    ]
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in random.pick(pieces, or: "") }.joined()
      for offer in PastedText(text).offers { #expect(!offer.download.address.isEmpty, "seed \(seed): \(text)") }
    }
  }
}
