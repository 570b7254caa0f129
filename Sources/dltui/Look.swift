import DownloadCore
import Glibc
import TerminalUI

/// How the lines of plain progress look: their colours, their signs, their columns.
struct Look {
  private let hasColor: Bool
  private let isASCII: Bool

  init(_ style: Invocation.OutputStyle, isTerminal: Bool) {
    hasColor = style.color.isOn(isTerminal: isTerminal && Place.hasCursor)
    isASCII = style.ascii || !Place.isUTF8
  }

  func good(_ word: String) -> String { hasColor ? "\u{1B}[32m\(word)\u{1B}[m" : word }
  func bad(_ word: String) -> String { hasColor ? "\u{1B}[31m\(word)\u{1B}[m" : word }

  /// A running download in a pipe.
  func sentence(_ item: Snapshot.Item) -> String { "get     \(VisibleText.of(item.name))  \(figures(item))" }

  /// The running downloads at the bottom of a terminal: a line each, never more than fit. The last columns stay free, so that
  /// the terminal's own `^C` does not begin a new line.
  func lines(_ items: [Snapshot.Item], width: Int, height: Int) -> [String] {
    let running = items.filter(\.state.isRunning)
    let room = max(1, height > 0 ? height - 1 : 23)
    let columns = max(0, (width > 0 ? width : 80) - 3)
    if running.count <= room { return running.map { line($0, columns) } }
    let shown = running.prefix(room - 1).map { line($0, columns) }
    return shown + [cut("and \(running.count - shown.count) more", columns)]
  }

  private func line(_ item: Snapshot.Item, _ width: Int) -> String {
    let figures = figures(item)
    let name = VisibleText.of(item.name)
    let room = width - TextWidth.of(figures) - 2
    guard room >= 8 else { return cut("\(figures)  \(name)", width) }
    let bar = room >= 24 ? min(24, room / 2) : 0
    let label = room - (bar > 0 ? bar + 2 : 0)
    return padded(cut(name, label), to: label) + (bar > 0 ? "  " + self.bar(item, bar) : "") + "  " + figures
  }

  /// `59%  784 MiB  42.1 MiB/s  00:08`, or why nothing moves.
  private func figures(_ item: Snapshot.Item) -> String {
    let share = right(item.percent.map { "\($0)%" } ?? "", 4)
    let size = right(ByteCount.text(item.total ?? item.completed), 8)
    return "\(share)  \(size)  \(movement(item))"
  }

  private func movement(_ item: Snapshot.Item) -> String {
    switch item.state {
    case .verifying: "verifying"
    case .retrying(let retry): "retry \(retry.attempt): \(VisibleText.of(retry.error.message))"
    case .active, .queued, .paused, .completed, .failed:
      if item.waitsForConnection {
        "waiting for a connection"
      } else if let stall = item.stalledFor {
        "stalled \(stall) s"
      } else {
        "\(right(item.speed.map(ByteCount.rate) ?? "-", 10))  \(TimeText.duration(item.eta))"
      }
    }
  }

  private func bar(_ item: Snapshot.Item, _ width: Int) -> String {
    let (full, empty) = isASCII ? ("#", "-") : ("█", "─")
    guard let percent = item.percent else { return String(repeating: isASCII ? "." : "░", count: width) }
    let filled = width * percent / 100
    return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
  }

  private func cut(_ text: String, _ width: Int) -> String {
    TextWidth.cut(text, to: width, ellipsis: isASCII ? "~" : "…")
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TextWidth.of(text)))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension DownloadState {
  /// Worth a line at the bottom of the terminal.
  fileprivate var isRunning: Bool {
    switch self {
    case .active, .retrying, .verifying: true
    case .queued, .paused, .completed, .failed: false
    }
  }
}

extension Invocation.ColorChoice {
  /// NO_COLOR counts when it is not empty (no-color.org).
  func isOn(isTerminal: Bool) -> Bool {
    switch self {
    case .auto: isTerminal && (Place.environment("NO_COLOR") ?? "").isEmpty
    case .always: true
    case .never: false
    }
  }
}
