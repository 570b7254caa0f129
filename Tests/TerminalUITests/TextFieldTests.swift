import TerminalUI
import Testing

@Suite struct TextFieldTests {
  /// `|` marks the cursor.
  private static func picture(_ field: TextField) -> String {
    let text = Array(field.text)
    return String(text.prefix(field.cursor)) + "|" + String(text.dropFirst(field.cursor))
  }

  @Test(
    arguments: [
      ([], "one two|"), ([.left, .left], "one t|wo"), ([.home], "|one two"), ([.control("a"), .right], "o|ne two"),
      ([.control("a"), .control("e")], "one two|"), ([.backspace], "one tw|"), ([.home, .backspace], "|one two"),
      ([.home, .delete], "|ne two"), ([.delete], "one two|"), ([.control("w")], "one |"),
      ([.control("w"), .control("w")], "|"),
      ([.left, .control("u")], "|o"), ([.home, .right, .control("k")], "o|"), ([.character("日")], "one two日|"),
      ([.character("e"), .character("\u{301}")], "one twoe\u{301}|"), ([.paste("a\nb\tc")], "one twoa b c|"),
      ([.home, .paste("\r\n")], " |one two"), ([.control("b"), .control("b"), .control("f")], "one tw|o"),
      ([.up, .tab], "one two|"),
    ] as [([Key], String)]) func theUsualKeysEdit(_ keys: [Key], _ expected: String)
  {
    var field = TextField("one two")
    for key in keys { _ = field.handle(key) }
    #expect(Self.picture(field) == expected)
  }

  @Test func aPasteWithoutEndIsCut() {
    var field = TextField()
    _ = field.handle(.paste(String(repeating: "x", count: 1_000_000)))
    #expect(field.text.count == 65_536)
    #expect(field.cursor == 65_536)
  }
}
