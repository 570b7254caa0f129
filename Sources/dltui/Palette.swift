import TerminalUI

/// Which colours and weights an ink has on a terminal, always on the terminal's own background. Every ink is legible on light and on
/// dark ones; what it means is also said in words or signs, so that the palette may be empty.
struct Palette {
  /// One ink as a terminal shows it.
  struct Style: Equatable {
    /// A number of the terminal's palette; nil is the text's own colour.
    var colour: Int16?
    var isBold = false
    var isDim = false
  }

  /// How many colours the terminal has; 0 is none.
  let colours: Int

  func style(_ ink: Ink) -> Style {
    if colours >= 256 { return rich(ink) }
    return colours >= 8 ? basic(ink) : plain(ink)
  }

  /// Numbers of the 256-colour cube, of middle lightness.
  private func rich(_ ink: Ink) -> Style {
    switch ink {
    case .plain: Style()
    case .dim, .heading: Style(colour: 244)
    case .title, .key: Style(isBold: true)
    case .good: Style(colour: 34)
    case .bad: Style(colour: 167)
    case .busy, .barFull: Style(colour: 33)
    case .waiting: Style(colour: 172)
    case .barEmpty: Style(colour: 240)
    }
  }

  /// ANSI colours: 1 red, 2 green, 3 yellow, 6 cyan.
  private func basic(_ ink: Ink) -> Style {
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

  private func plain(_ ink: Ink) -> Style {
    switch ink {
    case .plain, .good, .busy, .waiting, .barFull: Style()
    case .dim, .heading, .barEmpty: Style(isDim: true)
    case .title, .key, .bad: Style(isBold: true)
    }
  }
}
