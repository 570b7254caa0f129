/// The speed of the last minute as a picture: a sample a dot column, two of them and four dots a cell (braille), newest on the right.
struct SpeedGraph: Hashable, Sendable {
  static let seconds = 60

  private let samples: [Int64]
  let highest: Int64

  /// Bytes per second, oldest first; only the last sixty count.
  init(_ history: [Int64]) {
    samples = history.suffix(Self.seconds).map { max(0, $0) }
    highest = samples.max() ?? 0
  }

  /// Rows from the top, each `width` cells or the sixty columns of the minute. Empty when nothing has come.
  func rows(_ count: Int, width: Int, _ glyphs: Glyphs) -> [InkedText] {
    guard highest > 0, count > 0, width > 0 else { return [] }
    let columns = glyphs.isASCII || width >= Self.seconds ? 1 : 2
    let cells = min(width, Self.seconds / columns)
    let shown = samples.suffix(cells * columns)
    let padded = Array(repeating: Int64(0), count: cells * columns - shown.count) + shown
    let steps = glyphs.isASCII ? Self.marks.count - 1 : Self.dots
    let heights = padded.map { height($0, of: count * steps) }
    return (0..<count).map { row in
      let floor = (count - 1 - row) * steps
      let text = (0..<cells).map { cell -> Character in
        let left = min(max(0, heights[cell * columns] - floor), steps)
        let right = min(max(0, heights[cell * columns + columns - 1] - floor), steps)
        return glyphs.isASCII ? Self.marks[left] : Self.braille(left, right)
      }
      return InkedText(String(text), .busy)
    }
  }

  /// What is there at all is seen.
  private func height(_ sample: Int64, of full: Int) -> Int {
    sample == 0 ? 0 : min(full, max(1, Int((Double(sample) / Double(highest) * Double(full)).rounded())))
  }

  private static let dots = 4
  private static let marks: [Character] = [" ", ".", ":", "#"]

  /// Dots fill from below; their bits are numbered by history, not by place (Unicode 16, chapter 21.1).
  private static func braille(_ left: Int, _ right: Int) -> Character {
    let bits = (leftBits.prefix(left) + rightBits.prefix(right)).reduce(UInt32(0), |)
    return bits == 0 ? " " : Unicode.Scalar(0x2800 + bits).map { Character($0) } ?? " "
  }

  private static let leftBits: [UInt32] = [0x40, 0x04, 0x02, 0x01]
  private static let rightBits: [UInt32] = [0x80, 0x20, 0x10, 0x08]
}
