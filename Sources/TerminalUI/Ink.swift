/// What a character on the screen means. The painter turns a meaning into a colour; nobody else knows colours.
package enum Ink: UInt8, Sendable, CaseIterable {
  case plain
  /// Present, but not what one looks for.
  case dim
  /// The program's name and the names of windows.
  case title
  /// Heads of columns and fields.
  case heading
  /// Something is finished and right.
  case good
  /// Something is wrong.
  case bad
  /// Something is under way.
  case busy
  /// Something waits for its time.
  case waiting
  /// A key that can be pressed.
  case key
  /// The part of a bar that is there, and the part that is still to come.
  case barFull
  case barEmpty

  /// The letter of the golden screens.
  package var letter: Character {
    switch self {
    case .plain: "."
    case .dim: "d"
    case .title: "t"
    case .heading: "h"
    case .good: "g"
    case .bad: "x"
    case .busy: "b"
    case .waiting: "w"
    case .key: "k"
    case .barFull: "f"
    case .barEmpty: "e"
    }
  }
}
