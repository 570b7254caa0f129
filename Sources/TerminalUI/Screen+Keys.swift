import DownloadCore

extension Screen {
  /// Takes a key, and says what is to be done outside.
  package mutating func handle(_ key: Key, in snapshot: Snapshot, size: Size) -> [Action] {
    if !listing.isOf(snapshot) { observe(snapshot, size: size) }
    if case .mouse(let mouse) = key { return take(mouse, snapshot, size) }
    message = nil
    if let action = everywhere(key) { return [action] }
    if case .paste(let text) = key, mode.takesPaste {
      paste(text, snapshot)
      return []
    }
    switch mode {
    case .table: return table(key, snapshot, size)
    case .help(let first): help(key, first, size)
    case .adding(let form): return adding(key, form, snapshot)
    case .reviewing(let review): return reviewing(key, review, snapshot, size)
    case .filtering(let field): filtering(key, field, snapshot, size)
    case .commanding(let line): return commanding(key, line)
    case .prompting(let prompt): return prompting(key, prompt)
    case .removing(let ids): return removing(key, ids, snapshot)
    case .deleting(let ids): return deleting(key, ids)
    case .restarting(let ids): return restarting(key, ids)
    case .quitting: return quitting(key)
    case .saving: break  // too late for anything but Ctrl-C
    }
    return []
  }

  /// Control keys that mean the same in every mode.
  private func everywhere(_ key: Key) -> Action? {
    switch key {
    case .control("c"): .quit
    case .control("l"): .redraw
    case .control("z"): .suspend
    default: nil  // the keys without end
    }
  }

  /// As you type; the cursor stays on its download as long as that is shown.
  private mutating func filtering(_ key: Key, _ field: TextField, _ snapshot: Snapshot, _ size: Size) {
    var field = field
    switch key {
    case .escape:
      mode = .table
      arrangement.filter = ""
    case .enter: mode = .table
    case .up, .down, .pageUp, .pageDown:
      if case .move(let move) = KeyMap.intent(of: key) { self.move(move, size) }
    default:  // editing keys; others mean nothing in a field
      _ = field.handle(key)
      mode = .filtering(field)
      arrangement.filter = field.text
    }
    rearrange(snapshot, size)
  }

  private mutating func restarting(_ key: Key, _ ids: [DownloadID]) -> [Action] {
    switch key {
    case .character("r"), .character("k"):
      mode = .table
      return [.command(.restart(.these(ids), keepOld: key == .character("k")))]
    case .escape, .character("q"), .character("n"): mode = .table
    default: break  // the question stays
    }
    return []
  }

  private mutating func removing(_ key: Key, _ ids: [DownloadID], _ snapshot: Snapshot) -> [Action] {
    switch key {
    case .character("k"): return remove(ids, .keep)
    case .character("d") where snapshot.hasUnfinished(ids): return remove(ids, .deletePart)
    case .escape, .character("q"), .character("n"): mode = .table
    default: break  // the question stays
    }
    return []
  }

  private mutating func help(_ key: Key, _ first: Int, _ size: Size) {
    let page = max(1, size.rows - 3)
    switch KeyMap.intent(of: key) {
    case .move(.up): scrollHelp(to: first - 1, size)
    case .move(.down): scrollHelp(to: first + 1, size)
    case .move(.pageUp): scrollHelp(to: first - page, size)
    case .move(.pageDown): scrollHelp(to: first + page, size)
    case .move(.first): scrollHelp(to: 0, size)
    case .move(.last): scrollHelp(to: .max, size)
    case nil: break
    default: mode = .table  // every other key of the table leaves the help
    }
  }

  mutating func scrollHelp(to line: Int, _ size: Size) {
    let last = max(0, HelpText.lines(appearance.glyphs).count - layout(size).body.rows)
    mode = .help(from: min(max(0, line), last))
  }
}

extension Snapshot.Item {
  var isCompleted: Bool {
    if case .completed = state { true } else { false }
  }
}
