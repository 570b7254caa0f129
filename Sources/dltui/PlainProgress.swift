import CLinux
import DownloadCore
import Glibc
import TerminalUI

/// Plain progress on standard error: lines redrawn in place on a terminal, a line now and then in a pipe or file.
struct PlainProgress {
  private let output: Output
  private let manner: Manner
  private let look: Look
  private var story = Story()
  /// What is drawn at the bottom of the terminal and will be overwritten.
  private var drawn: [String] = []
  /// When each download was last spoken of, on the session's clock.
  private var said: [DownloadID: Duration] = [:]

  /// How much is said, and whether it can be taken back.
  private enum Manner { case errors, ends, lines, redrawn }

  private static let pause: Duration = .seconds(10)

  init(_ output: Output, _ style: Invocation.OutputStyle) {
    self.output = output
    look = Look(style, isTerminal: output.isTerminal)
    manner = Self.manner(style, output)
  }

  private static func manner(_ style: Invocation.OutputStyle, _ output: Output) -> Manner {
    if style.isQuiet || style.json { return .errors }
    if !style.showsProgress { return .ends }
    return output.isTerminal && Place.hasCursor ? .redrawn : .lines
  }

  /// Whether it tells more than what notices say.
  var showsState: Bool { manner == .lines || manner == .redrawn }

  /// How long to wait for news before looking again.
  var period: Duration { manner == .redrawn ? .seconds(1) : Self.pause }

  mutating func report(_ notices: [Notice], _ snapshot: Snapshot) {
    let news = notices.compactMap { line(for: $0, snapshot.moment) }
    switch manner {
    case .errors, .ends: say(news)
    case .lines: say(news + due(snapshot))
    case .redrawn: redraw(above: news, snapshot)
    }
  }

  /// Takes the redrawn lines away, and says what was left undone.
  mutating func finish(unfinished: Int) {
    if manner == .redrawn { redraw(above: [], Snapshot()) }
    guard unfinished > 0, manner != .errors else { return }
    let count = unfinished == 1 ? "one download is" : "\(unfinished) downloads are"
    say(["stopped \(count) unfinished, the same command goes on"])
  }

  private mutating func line(for notice: Notice, _ moment: Duration) -> String? {
    story.learn(notice)
    guard manner != .errors || notice.kind.isTrouble, let text = story.line(for: notice, look) else { return nil }
    said[notice.id] = moment
    return text
  }

  private func say(_ lines: [String]) {
    if !lines.isEmpty { output.write(lines.joined(separator: "\n") + "\n") }
  }

  private mutating func due(_ snapshot: Snapshot) -> [String] {
    snapshot.downloads.compactMap { item in
      guard item.state == .active, let last = said[item.id], snapshot.moment - last >= Self.pause else { return nil }
      said[item.id] = snapshot.moment
      return look.sentence(item)
    }
  }

  private mutating func redraw(above news: [String], _ snapshot: Snapshot) {
    let window = clinux_window(output.descriptor)
    let lines = look.lines(snapshot.downloads, width: Int(window.ws_col), height: Int(window.ws_row))
    guard !news.isEmpty || lines != drawn else { return }
    let above = news.map { $0 + "\n" }.joined()
    output.write(erasure + above + lines.joined(separator: "\n"))
    drawn = lines
  }

  /// To the first drawn line's start, then everything below is erased (ECMA-48, CUU and ED).
  private var erasure: String {
    guard !drawn.isEmpty else { return "" }
    return "\r" + String(repeating: "\u{1B}[A", count: drawn.count - 1) + "\u{1B}[J"
  }
}

extension Notice.Kind {
  /// What `--quiet` lets through.
  fileprivate var isTrouble: Bool {
    switch self {
    case .failed, .warning, .addedAlready, .restarted: true
    case .added, .started, .retrying, .paused, .verifying, .completed: false
    }
  }
}
