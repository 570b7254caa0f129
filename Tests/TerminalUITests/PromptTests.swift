import DownloadCore
import TerminalUI
import Testing

/// Fields, questions and lines at the bottom: keys in, commands out.
@Suite struct PromptTests {
  private static let size = Size(columns: 80, rows: 24)
  private static let words = [
    CommandWord("jobs", "N", "downloads active at once"), CommandWord("limit-rate", "RATE", "for all together"),
    CommandWord("limit-rate-each", "RATE", "for each"), CommandWord("quit", nil, "leaves"),
    CommandWord("user", "NAME:PASSWORD", "who asks", isSecret: true),
    CommandWord("theme", "NAME", "the colours", choices: ["dark", "light", "mono"]),
  ]

  private static func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy, on screen: inout Screen) -> [Action] {
    keys.flatMap { screen.handle($0, in: snapshot, size: size) }
  }

  private static func press(_ keys: [Key], in snapshot: Snapshot = Samples.busy) -> [Action] {
    var screen = Screen()
    return press(keys, in: snapshot, on: &screen)
  }

  private static func these(_ numbers: Int...) -> Command.Selection { .these(numbers.map(DownloadID.init)) }
  private static func keys(_ text: String) -> [Key] { text.map { $0 == "\n" ? .enter : .character($0) } }
  private static let url = "https://mirror.example.org/pub/debian-13.1.0-amd64-netinst.iso"

  @Test(
    arguments: [
      ("l2.5M\n", [.command(.limit(these(1), 2_621_440))]), ("l0\n", [.command(.limit(these(1), nil))]),
      ("l\n", []), ("lfast\n", []), ("lfast\n500K\n", []), ("  l1\n", [.command(.limit(these(1, 2), 1))]),
      ("L500K\n", [.commandLine("limit-rate 500K")]), ("L 2 M \n", [.commandLine("limit-rate 2M")]), ("Lmuch\n", []),
      ("x4\n", [.command(.connections(these(1), 4))]), ("x0\n", [.command(.connections(these(1), nil))]),
      ("x33\n", []), ("x-1\n", []), ("x1.5\n", []), (" jx7\n", [.command(.connections(these(1), 7))]),
      ("uhttps://a/b\n", [.readdress(DownloadID(1), "https://a/b")]), ("u\n", []), ("z", [.command(.undo)]),
      ("c", [.copy(url)]), ("C", [.copy("/home/ada/Downloads/debian-13.1.0-amd64-netinst.iso")]), ("o", []),
      ("O", [.open("/home/ada/Downloads")]), ("jjjjo", [.open("/home/ada/Downloads/linux-6.18.tar.xz")]),
      ("jjjjDd", [.command(.remove(these(5), .deleteFile))]), ("jjjjDn", []), ("jjjjDk", []), ("jjjju", []),
      ("Dd", [.command(.remove(these(1), .deletePart))]), ("Dk", [.command(.remove(these(1), .keep))]),
      ("q", []), ("qq", [.quit]), ("qy", [.quit]), ("q\n", [.quit]), ("qn", []), ("qp", []),
      ("qnp", [.command(.pause(these(1)))]),
    ] as [(String, [Action])]) func keysAskFor(_ text: String, _ actions: [Action])
  {
    #expect(Self.press(Self.keys(text)) == actions)
  }

  @Test(arguments: ["l1\n", "x1\n", "c", "C", "o", "O", "D", "Dd"])
  func nothingIsAskedOfAnEmptyList(_ text: String) {
    #expect(Self.press(Self.keys(text), in: Snapshot()) == [])
  }

  @Test func whatIsWrongIsSaidAndMended() {
    var screen = Screen()
    #expect(Self.press(Self.keys("xmany\n"), on: &screen) == [])
    #expect(Self.text(screen).contains("it must be a number from 0 to 32"))
    #expect(Self.press([.control("u")] + Self.keys("3\n"), on: &screen) == [.command(.connections(Self.these(1), 3))])
  }

  @Test(
    arguments: [
      ("l2M\n", "at most 2.0 MiB/s"), ("l0\n", "no limit of its own"), ("x4\n", "at most 4 connections"),
      ("x1\n", "at most 1 connection "), ("x0\n", "as many connections as set for all"),
      ("uhttp://a\n", "the new address is asked"), ("dk", "removed: z brings it back"),
      ("dd", "removed, deleted in a minute: z brings it back"), ("c", "address copied"), (" j c", "2 copied: address"),
    ]) func whatHoldsNowIsSaid(_ text: String, _ words: String)
  {
    var screen = Screen()
    _ = Self.press(Self.keys(text), on: &screen)
    #expect(Self.text(screen).contains(words))
  }

  @Test func anAddressThatCannotBeUsedComesBackWithTheReason() {
    var screen = Screen()
    screen.refuse("fax://a", of: DownloadID(2), in: Samples.busy, because: "only http")
    #expect(Self.text(screen).contains("only http") && Self.text(screen).contains("New address of ubuntu"))
    let mended = Self.press([.home, .delete, .delete, .delete] + Self.keys("http\n"), on: &screen)
    #expect(mended == [.readdress(DownloadID(2), "http://a")])
  }

  @Test func aFieldAboutDownloadsThatAreGoneGoesToo() {
    var screen = Screen()
    _ = Self.press(Self.keys("l5"), on: &screen)
    var less = Samples.busy
    less.downloads.removeFirst()
    #expect(Self.press(Self.keys("0"), in: less, on: &screen) == [])
    #expect(!Self.text(screen, less).contains("Limit of"))
  }

  // MARK: Quitting

  @Test(
    arguments: [
      (.active, Samples.busy, false), (.active, Samples.stopped, true), (.active, Snapshot(), true),
      (.never, Samples.busy, true), (.always, Snapshot(), false),
    ] as [(Screen.QuitQuestion, Snapshot, Bool)])
  func leavingAsksWhenItShould(_ question: Screen.QuitQuestion, _ snapshot: Snapshot, _ isAtOnce: Bool) {
    var screen = Screen()
    screen.quitQuestion = question
    #expect(Self.press([.character("q")], in: snapshot, on: &screen) == (isAtOnce ? [.quit] : []))
    #expect(Self.press([.control("c")], in: snapshot, on: &screen) == [.quit])
  }

  // MARK: The command line

  private static func lineScreen() -> Screen {
    var screen = Screen()
    screen.vocabulary = words
    return screen
  }

  @Test(
    arguments: [
      (keys(":j") + [.tab] + keys("3\n"), ["jobs 3"]), (keys(":q") + [.tab, .enter], ["quit"]),
      (keys(":lim") + [.tab] + keys(" 2M\n"), ["limit-rate 2M"]), (keys(":zzz") + [.tab, .enter], ["zzz"]),
      (keys(":--jo") + [.tab] + keys("3\n"), ["jobs 3"]), (keys(":jobs 4") + [.tab, .enter], ["jobs 4"]),
      (keys(":a\n:b\n:") + [.up, .enter], ["a", "b", "b"]),
      (keys(":a\n:b\n:") + [.up, .up, .up, .enter], ["a", "b", "a"]),
      (keys(":a\n:b\n:new") + [.up, .up, .down, .down, .enter], ["a", "b", "new"]),
      (keys(":a\n:") + [.up, .character("x"), .enter], ["a", "ax"]), (keys(":") + [.up, .down, .tab, .enter], []),
      (keys(":a\n:user me:pw\n:--user=me:pw\n:") + [.up, .enter], ["a", "user me:pw", "--user=me:pw", "a"]),
      (keys(":x") + [.escape, .enter], []), (keys(":  \n"), []),
      (keys(":th") + [.tab] + keys("l") + [.tab, .enter], ["theme light"]),
      (keys(":theme=") + [.tab] + keys("m") + [.tab, .enter], ["theme=mono"]),
      (keys(":theme x") + [.tab] + keys(" d") + [.tab, .enter], ["theme x d"]),
    ] as [([Key], [String])]) func linesAreCompletedAndRemembered(_ keys: [Key], _ lines: [String])
  {
    var screen = Self.lineScreen()
    #expect(Self.press(keys, on: &screen) == lines.map { .commandLine($0) })
  }

  @Test(
    arguments: [
      ("", "Tab jobs  limit-rate  limit-rate-each  quit  user  theme"), ("li", "Tab limit-rate  limit-rate-each"),
      ("jobs", "N  downloads active at once"), ("jobs 3", "N  downloads active at once"), ("quit", "leaves"),
      ("nonsense", "no such command"), ("theme", "NAME  the colours"), ("theme ", "Tab dark  light  mono"),
      ("theme=m", "Tab mono"), ("theme x", "NAME  the colours"), ("theme dark m", "NAME  the colours"),
      ("nonsense x", "no such command"),
    ]) func whatMayBeTypedIsSaid(_ typed: String, _ hint: String)
  {
    var screen = Self.lineScreen()
    _ = Self.press(Self.keys(":" + typed), on: &screen)
    #expect(Self.text(screen).contains(hint))
  }

  private static func text(_ screen: Screen, _ snapshot: Snapshot = Samples.busy) -> String {
    let grid = screen.render(snapshot, size: size)
    return (0..<size.rows).map { String(grid.row($0).map(\.character)) }.joined(separator: "\n")
  }
}
