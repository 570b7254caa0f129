import DownloadCore

/// The line above the keys, which is there only when it has something to say: a message until the next key, else what is marked, what
/// the table leaves out and how to see it again.
struct StatusLine {
  let screen: Screen

  private var arrangement: Arrangement { screen.arrangement }

  /// Nil when there is nothing to say.
  func text(_ listing: Listing) -> InkedText? { message ?? hint ?? facts(listing) }

  /// What may be typed into the field below.
  private var hint: InkedText? {
    switch screen.mode {
    case .commanding(let line): line.hint(screen.vocabulary, screen.appearance.glyphs)
    case .prompting(let prompt):
      prompt.problem.map { InkedText(VisibleText.of($0), .bad) } ?? InkedText(prompt.hint, .dim)
    case .adding(let form): form.problem.map { InkedText(VisibleText.of($0), .bad) }
    case .table, .help, .reviewing, .filtering, .removing, .deleting, .restarting, .quitting, .saving: nil
    }
  }

  var message: InkedText? { screen.message.map { InkedText(VisibleText.of($0.text), $0.ink) } }

  /// The key that a click on this cell of the text stands for.
  func key(at column: Int, _ listing: Listing) -> Key? {
    guard message == nil, let wayOut, let width = text(listing)?.width else { return nil }
    return (width - wayOut.text.width..<width).contains(column) ? wayOut.key : nil
  }

  private func facts(_ listing: Listing) -> InkedText? {
    let parts = [marked(listing), narrowed(listing)].compactMap(\.self)
    guard !parts.isEmpty else { return nil }
    let dot = InkedText(" \(screen.appearance.glyphs.dot) ", .dim)
    let line = parts.dropFirst().reduce(parts[0]) { $0 + dot + $1 }
    return wayOut.map { line + InkedText("  ") + $0.text } ?? line
  }

  private func marked(_ listing: Listing) -> InkedText? {
    let count = screen.marks.ids.count
    guard count > 0 else { return nil }
    let hidden = arrangement.isNarrowed ? count - screen.markedIDs(in: listing).count : 0
    return InkedText("\(count) marked", .key) + InkedText(hidden > 0 ? " (\(hidden) not shown)" : "", .waiting)
  }

  /// `12 of 40: active, "iso", done hidden`.
  private func narrowed(_ listing: Listing) -> InkedText? {
    guard arrangement.isNarrowed else { return nil }
    let reasons = [
      arrangement.view == .all ? nil : arrangement.view.rawValue,
      arrangement.filter.isEmpty ? nil : "\"\(VisibleText.of(arrangement.filter))\"",
      arrangement.hidesDone && arrangement.view != .done ? "done hidden" : nil,
    ].compactMap(\.self)
    return InkedText("\(listing.rows.count) of \(listing.total): ", .dim)
      + InkedText(reasons.joined(separator: ", "), .waiting)
  }

  private var wayOut: Choices.Choice? {
    if case .filtering = screen.mode { return nil }
    if !arrangement.filter.isEmpty || !screen.marks.isEmpty { return .init(.escape, "Esc", "clear") }
    return arrangement.view == .all ? .init(.character("H"), "H", "show") : .init(.character("1"), "1", "all")
  }
}
