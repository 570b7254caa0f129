import Testing

@testable import TerminalUI

@Suite struct ThemeTests {
  /// Contrast of two colours (WCAG 2.2, relative luminance), from 1 to 21.
  private static func contrast(_ a: [Double], _ b: [Double]) -> Double {
    let (x, y) = (luminance(a), luminance(b))
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)
  }

  private static func luminance(_ colour: [Double]) -> Double {
    let linear = colour.map { $0 <= 0.03928 ? $0 / 12.92 : raised(($0 + 0.055) / 1.055) }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  /// x^2.4 = x^2 · (x^2)^(1/5), by Newton's method.
  private static func raised(_ x: Double) -> Double {
    let square = x * x
    var root = 0.9
    for _ in 0..<60 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
    return square * root
  }

  /// xterm's 256 colours from number 16 on.
  private static func components(_ colour: Int16) -> [Double] {
    let number = Int(colour)
    if number >= 232 { return Array(repeating: Double(8 + 10 * (number - 232)) / 255, count: 3) }
    let levels = [0.0, 95, 135, 175, 215, 255].map { $0 / 255 }
    return [levels[(number - 16) / 36], levels[(number - 16) / 6 % 6], levels[(number - 16) % 6]]
  }

  private static let black = [0.07, 0.07, 0.07]
  private static let white = [1.0, 1.0, 1.0]

  @Test(arguments: [
    (Theme.auto, [black, white], 3.0), (.ascii, [black, white], 3.0), (.dark, [black], 4.5), (.light, [white], 4.5),
  ]) func everyInkCanBeReadOnTheBackgroundsOfItsTheme(_ theme: Theme, _ backgrounds: [[Double]], _ least: Double) {
    let palette = Palette(colours: 256, theme: theme)
    for ink in Ink.allCases where ink != .barEmpty {
      guard let colour = palette.style(ink).colour else { continue }
      for background in backgrounds {
        let contrast = Self.contrast(Self.components(colour), background)
        #expect(contrast >= least, "\(theme) \(ink): \(contrast)")
      }
    }
  }

  @Test func whatMeansDifferentThingsLooksDifferentWhereThereAreColours() {
    for theme in Theme.allCases where theme != .mono {
      for colours in [8, 16, 88, 256] {
        let palette = Palette(colours: colours, theme: theme)
        let styles = [Ink.good, .bad, .busy, .waiting, .plain, .dim].map(palette.style)
        #expect(Set(styles).count == styles.count, "\(theme), \(colours) colours")
      }
    }
  }

  @Test func withoutColoursThereAreNone() {
    for ink in Ink.allCases {
      #expect(Palette(colours: 0, theme: .dark).style(ink).colour == nil)
      #expect(Palette(colours: 256, theme: .mono).style(ink).colour == nil)
      #expect(Palette(colours: 256, theme: .basic).style(ink).colour.map { $0 < 8 } ?? true)
    }
  }

  @Test func theKeyGoesThroughTheThemesThatDiffer() {
    let cases: [(Screen.Appearance, [Theme])] = [
      (.init(), [.dark, .light, .basic, .mono, .ascii, .auto]),
      (.init(theme: .light), [.basic, .mono, .ascii, .auto]),
      (.init(ascii: true), [.dark, .light, .basic, .mono, .auto]),
      (.init(themes: Theme.available(colours: 8)), [.mono, .ascii, .auto]),
      (.init(theme: .dark, themes: Theme.available(colours: 0)), [.auto, .ascii, .auto]),
    ]
    for (appearance, themes) in cases {
      var screen = Screen(appearance)
      for theme in themes {
        _ = screen.handle(.character("t"), in: Samples.busy, size: Size(columns: 80, rows: 24))
        #expect(screen.appearance.theme == theme)
        #expect(screen.appearance.glyphs.isASCII == (theme == .ascii || appearance.isASCII))
      }
    }
  }

  @Test(arguments: [
    ("15;0", Theme.dark), ("0;15", .light), ("0;default;15", .light), ("12;8", .dark), ("0;7", .light), ("", nil),
    ("default", nil), ("0;default", nil), ("0;99", nil),
  ]) func someTerminalsTellTheirBackground(_ text: String, _ theme: Theme?) {
    #expect(Theme(colorFGBG: text) == theme)
  }
}
