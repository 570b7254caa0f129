/// The signs that the screen draws with: Unicode ones, or ASCII for terminals and people that want no others.
package struct Glyphs: Hashable, Sendable {
  package let isASCII: Bool

  package init(ascii: Bool) { isASCII = ascii }

  var ellipsis: Character { isASCII ? "~" : "…" }
  var down: String { isASCII ? "v" : "↓" }
  var up: String { isASCII ? "^" : "↑" }
  /// Beside a row that is marked.
  var mark: String { isASCII ? "*" : "•" }
  var dot: String { isASCII ? "-" : "·" }
  var arrow: String { isASCII ? "->" : "→" }
  var times: String { isASCII ? "x" : "×" }
  var vertical: Character { isASCII ? "|" : "│" }
  var horizontal: Character { isASCII ? "-" : "─" }

  var active: String { isASCII ? ">" : "▶" }
  var retrying: String { isASCII ? "@" : "↻" }
  var done: String { isASCII ? "+" : "✓" }
  var failed: String { isASCII ? "!" : "✗" }
  var tick: String { isASCII ? "x" : "✓" }
  var paused: String { isASCII ? "=" : "‖" }
  var queued: String { isASCII ? "." : "·" }
  var verifying: String { isASCII ? "?" : "≡" }

  var barFull: Character { isASCII ? "#" : "█" }
  var barEmpty: Character { isASCII ? "-" : "─" }
  /// A bar whose length is not known.
  var barUnknown: Character { isASCII ? "." : "░" }
  /// One eighth to seven eighths of a cell.
  var eighths: [Character] { isASCII ? [] : ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] }
  /// Cells of the segment map.
  var inFlight: Character { isASCII ? ">" : "▒" }
  var missing: Character { isASCII ? "-" : "░" }
}
