/// Which colours and weights an ink has on a terminal, always on the terminal's own background. What an ink means is also said in words
/// or signs, so that the palette may be empty.
package struct Palette: Hashable, Sendable {
  /// One ink as a terminal shows it.
  package struct Style: Hashable, Sendable {
    /// A number of the terminal's palette; nil is the text's own colour.
    package var colour: Int16?
    package var isBold = false
    package var isDim = false
  }

  /// How many colours the terminal has; 0 is none.
  let colours: Int
  package let theme: Theme

  package init(colours: Int, theme: Theme = .auto) {
    self.colours = colours
    self.theme = theme
  }

  package func style(_ ink: Ink) -> Style {
    guard colours >= 8 else { return Self.plain(ink) }
    switch theme {
    case .mono: return Self.plain(ink)
    case .basic: return Self.basic(ink)
    case .auto, .ascii: return colours >= 256 ? Self.rich(ink, Self.neutral) : Self.basic(ink)
    case .dark: return colours >= 256 ? Self.rich(ink, Self.onDark) : Self.basic(ink)
    case .light: return colours >= 256 ? Self.rich(ink, Self.onLight) : Self.basic(ink)
    }
  }

  /// Numbers of the 256-colour cube.
  private struct Tones {
    var dim: Int16
    var good: Int16
    var bad: Int16
    var busy: Int16
    var waiting: Int16
    var empty: Int16
  }

  private static let neutral = Tones(dim: 244, good: 28, bad: 167, busy: 33, waiting: 136, empty: 242)
  private static let onDark = Tones(dim: 245, good: 71, bad: 203, busy: 75, waiting: 179, empty: 239)
  private static let onLight = Tones(dim: 242, good: 28, bad: 160, busy: 26, waiting: 94, empty: 250)

  private static func rich(_ ink: Ink, _ tones: Tones) -> Style {
    switch ink {
    case .plain: Style()
    case .dim, .heading: Style(colour: tones.dim)
    case .title, .key: Style(isBold: true)
    case .good: Style(colour: tones.good)
    case .bad: Style(colour: tones.bad)
    case .busy, .barFull: Style(colour: tones.busy)
    case .waiting: Style(colour: tones.waiting)
    case .barEmpty: Style(colour: tones.empty)
    }
  }

  /// ANSI colours: 1 red, 2 green, 3 yellow, 6 cyan.
  private static func basic(_ ink: Ink) -> Style {
    switch ink {
    case .plain: Style()
    case .dim, .heading, .barEmpty: Style(isDim: true)
    case .title, .key: Style(isBold: true)
    case .good: Style(colour: 2)
    case .bad: Style(colour: 1)
    case .busy, .barFull: Style(colour: 6)
    case .waiting: Style(colour: 3)
    }
  }

  private static func plain(_ ink: Ink) -> Style {
    switch ink {
    case .plain, .good, .busy, .waiting, .barFull: Style()
    case .dim, .heading, .barEmpty: Style(isDim: true)
    case .title, .key, .bad: Style(isBold: true)
    }
  }
}
