import TerminalUI

/// How this terminal is told a title, a progress and news, if it understands such things (XTerm Control Sequences: OSC 2 and the
/// title stack, CSI 22 and 23; ConEmu: OSC 9;4; rxvt-unicode: OSC 777; iTerm2: OSC 9).
struct TerminalSigns {
  /// How to say that all is done.
  enum Notification: String, CaseIterable, Sendable {
    case bell, desktop, none
  }

  var notification: Notification
  private let hasTitle: Bool
  private let hasTaskbar: Bool
  private let canNotify: Bool
  /// What the terminal was told last; nil when it has its own title and no progress.
  private var told: Announcement?

  /// `hasTitle`: whether the terminal has a title that can be set.
  init(hasTitle: Bool, isWanted: Bool, _ notification: Notification) {
    self.hasTitle = hasTitle && isWanted
    hasTaskbar = hasTitle && isWanted && Self.knowsProgress
    self.notification = notification
    canNotify = hasTitle
  }

  /// What undoes all that may have been said.
  var undo: String { (hasTaskbar ? Self.progress(.none) : "") + (hasTitle ? Self.title("dltui") + Self.popTitle : "") }

  /// The sequences for what is new.
  mutating func sequence(for announcement: Announcement) -> String {
    var text = ""
    if hasTaskbar, announcement.progress != told?.progress ?? .none { text += Self.progress(announcement.progress) }
    if hasTitle, announcement.title != told?.title {
      if told?.title == nil { text += Self.pushTitle }
      text += announcement.title.map(Self.title) ?? Self.title("dltui") + Self.popTitle
    }
    text += announcement.news.map(news) ?? ""
    told = announcement
    return text
  }

  /// The sequences after which the terminal is as it was.
  mutating func ending() -> String { sequence(for: Announcement(progress: .none)) }

  private func news(_ text: String) -> String {
    switch canNotify ? notification : .none {
    case .none: ""
    case .bell: "\u{07}"
    case .desktop: Self.prefersOSC9 ? "\u{1B}]9;\(text)\u{07}" : "\u{1B}]777;notify;dltui;\(text)\u{07}"
    }
  }

  private static let pushTitle = "\u{1B}[22;0t"
  private static let popTitle = "\u{1B}[23;0t"

  private static func title(_ text: String) -> String { "\u{1B}]2;\(text)\u{07}" }

  private static func progress(_ progress: Announcement.Progress) -> String {
    switch progress {
    case .none: "\u{1B}]9;4;0;\u{07}"
    case .unknown: "\u{1B}]9;4;3;\u{07}"
    case .percent(let percent): "\u{1B}]9;4;1;\(percent)\u{07}"
    }
  }

  private static var program: String { Place.environment("TERM_PROGRAM") ?? "" }
  private static var prefersOSC9: Bool { ["iTerm.app", "WezTerm"].contains(program) }

  /// Only where it is known, for elsewhere OSC 9 pops up a message.
  private static var knowsProgress: Bool {
    Place.environment("WT_SESSION") != nil || Place.environment("ConEmuANSI") == "ON"
      || ["WezTerm", "ghostty", "iTerm.app"].contains(program)
      || Place.environment("VTE_VERSION").flatMap { Int($0) }.map { $0 >= 8000 } ?? false
  }
}
