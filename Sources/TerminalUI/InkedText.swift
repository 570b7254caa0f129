/// One line of text in several inks, before it has a place.
package struct InkedText: Hashable, Sendable {
  package var parts: [Part]

  package struct Part: Hashable, Sendable {
    package var text: String
    package var ink: Ink
  }

  package init() { parts = [] }
  package init(_ text: String, _ ink: Ink = .plain) { parts = [Part(text: text, ink: ink)] }

  package static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.parts += b.parts
    return sum
  }
  package static func += (a: inout Self, b: Self) { a.parts += b.parts }

  package var width: Int { parts.reduce(0) { $0 + TextWidth.of($1.text) } }
}

extension CellGrid {
  /// Writes the parts one after the other; the one that no longer fits is cut with the ellipsis.
  package mutating func put(_ line: InkedText, in field: Field, ellipsis: Character) {
    var rest = field
    for part in line.parts where rest.width > 0 {
      let used = put(TextWidth.cut(part.text, to: rest.width, ellipsis: ellipsis), part.ink, in: rest)
      rest.column += used
      rest.width -= used
      if used < TextWidth.of(part.text) { return }
    }
  }
}
