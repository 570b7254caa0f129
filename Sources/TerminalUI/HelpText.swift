/// The help as lines, made of the key table.
enum HelpText {
  static func lines(_ glyphs: Glyphs) -> [InkedText] {
    let table = KeyMap.bindings.map { line($0.shown, $0.help, glyphs) }
    let mouse = KeyMap.mouse.map { line($0.shown, $0.help, glyphs) }
    let field = KeyMap.fieldKeys.map { line($0.shown, $0.help, glyphs) }
    return chapter("Keys", table) + [InkedText()] + chapter("Mouse", mouse) + [InkedText()]
      + chapter("In a text field", field)
  }

  private static func chapter(_ title: String, _ lines: [InkedText]) -> [InkedText] {
    [InkedText(title, .title)] + lines
  }

  /// Cells of the widest line.
  static let width = 72

  private static func line(_ keys: String, _ help: String, _ glyphs: Glyphs) -> InkedText {
    let shown = glyphs.isASCII ? keys.map(ascii).joined() : keys
    let gap = String(repeating: " ", count: max(1, 18 - TextWidth.of(shown)))
    return InkedText("  " + shown, .key) + InkedText(gap + help)
  }

  private static func ascii(_ key: Character) -> String {
    switch key {
    case "↑": "Up"
    case "↓": "Down"
    case "←": "Left"
    case "→": "Right"
    default: String(key)  // any other character
    }
  }
}
