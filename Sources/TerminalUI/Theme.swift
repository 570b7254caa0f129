/// A way to look. All draw on the terminal's own background.
package enum Theme: String, CaseIterable, Hashable, Sendable {
  /// Colours that can be read on dark and on light backgrounds.
  case auto
  case dark, light
  /// The terminal's own first eight colours.
  case basic = "16"
  /// Bold, dim and reverse video only.
  case mono
  /// As `auto`, drawn with ASCII characters.
  case ascii

  /// What `COLORFGBG` says of the background: the last of its numbers is an ANSI colour. Nil when it says nothing.
  package init?(colorFGBG text: String) {
    guard let colour = text.split(separator: ";").last.flatMap({ Int($0) }), (0...15).contains(colour) else {
      return nil
    }
    self = colour == 7 || colour > 8 ? .light : .dark
  }

  /// Those that make a difference on a terminal with so many colours.
  package static func available(colours: Int) -> [Theme] {
    if colours >= 256 { return allCases }
    return colours >= 8 ? [.auto, .mono, .ascii] : [.auto, .ascii]
  }
}
