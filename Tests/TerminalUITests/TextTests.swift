import Testing

@testable import TerminalUI

@Suite struct TextTests {
  @Test(arguments: [
    ("", 0), ("a", 1), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
    ("ｆ", 2), ("ﾊ", 1),
    ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("🇩🇪", 2), ("1\u{FE0F}\u{20E3}", 2), ("😀", 2), ("\u{301}", 1),
    ("▶", 1),
    ("↻", 1), ("‖", 1), ("…", 1), ("█", 1), ("नमस्ते", 4), ("कि", 2), ("ภาษา", 4), ("\u{1B}", 1), ("𠀀", 2),
  ]) func textIsMeasuredInCells(_ text: String, _ width: Int) {
    #expect(TextWidth.of(text) == width)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("日本語", 6, "日本語"),
    ("日本語", 5, "日本…"),
    ("日本語", 4, "日…"), ("日本語", 2, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("👨‍👩‍👧x", 2, "…"), ("👨‍👩‍👧xy", 3, "👨‍👩‍👧…"),
    ("", 0, ""),
  ]) func textIsCutBetweenGraphemes(_ text: String, _ width: Int, _ expected: String) {
    #expect(TextWidth.cut(text, to: width) == expected)
  }

  @Test func whatIsCutNeverIsWiderThanAsked() {
    var random = SeededGenerator(seed: 7)
    let alphabet: [Character] = ["a", "日", "👍🏽", "e\u{301}", "\u{301}", "न", "ि", "🇩🇪"]
    for round in 0..<500 {
      let text = String((0..<Int.random(in: 0...20, using: &random)).map { _ in random.pick(alphabet, or: "a") })
      let width = Int.random(in: 0...25, using: &random)
      #expect(TextWidth.of(TextWidth.cut(text, to: width)) <= width, "seed 7, round \(round): \(text)")
    }
  }

  @Test(arguments: [
    ("plain.iso", "plain.iso"), ("日本 e\u{301}", "日本 e\u{301}"), ("a\u{1B}[2J", "a\u{241B}[2J"),
    ("\u{7F}\u{0}", "\u{2421}\u{2400}"),
    ("a\u{9B}b", "a<U+009B>b"), ("x\u{202E}fdp.exe", "x<U+202E>fdp.exe"), ("\u{2066}i\u{2069}", "<U+2066>i<U+2069>"),
    ("a\u{200B}b\u{FEFF}", "a<U+200B>b<U+FEFF>"), ("a\r\nb", "a\u{240D}\u{240A}b"), ("\u{2028}", "<U+2028>"),
    ("👨‍👩‍👧", "👨‍👩‍👧"),
    ("\u{E0041}", "<U+E0041>"), ("\u{FFFD}", "\u{FFFD}"),
  ]) func whatATerminalWouldObeyOrHideIsMadeVisible(_ text: String, _ expected: String) {
    #expect(VisibleText.of(text) == expected)
  }

  @Test(
    arguments: [
      (nil, "--"), (0, "00:00"), (8, "00:08"), (252, "04:12"), (3_727, "1:02:07"), (36_000, "10h 00m"),
      (359_999, "99h 59m"),
      (360_000, "4d 04h"),
      (8_640_000, "100d"), (Int.max, "--"), (-1, "--"),
    ] as [(Int?, String)]) func durationsAreShortAndNeverClamped(_ seconds: Int?, _ expected: String)
  {
    #expect(TimeText.duration(seconds) == expected)
    #expect(expected.count <= 7)
  }

  @Test func theFinishHasAWeekdayWhenItIsNotToday() {
    let noon = Samples.noon
    #expect(TimeText.finish(at: noon + 7_560, now: noon) == "14:06")
    #expect(TimeText.finish(at: noon + 3 * 86_400, now: noon) == "Thu 12:00")
    #expect(TimeText.finish(at: noon + 9 * 86_400, now: noon) == nil)
    #expect(TimeText.clock(-1) == "23:59:59")
  }

  @Test(arguments: [(0, "a 本語"), (1, " a本語"), (2, "日a 語"), (3, "日 a語"), (5, "日本 a")])
  func noHalfOfAWideCharacterIsLeft(_ column: Int, _ expected: String) {
    var grid = CellGrid(Size(columns: 6, rows: 2))
    for row in 0..<2 { grid.put("日本語", in: Field(row: row, column: 0, width: 6)) }
    grid.put("a", in: Field(row: 0, column: column, width: 1))
    #expect(grid.row(0).filter { $0.width > 0 }.map { String($0.character) }.joined() == expected)
    #expect(grid.row(1).map(\.width) == [2, 0, 2, 0, 2, 0])
  }

  @Test func aWideCharacterOverTwoOthersBlanksWhatIsLeftOfThem() {
    var grid = CellGrid(Size(columns: 6, rows: 1))
    grid.put("日本語", in: Field(row: 0, column: 0, width: 6))
    grid.put("中", in: Field(row: 0, column: 1, width: 2))
    #expect(grid.row(0).filter { $0.width > 0 }.map { String($0.character) }.joined() == " 中 語")
  }
}
