import DownloadCore

/// The last line: the keys, or the field, question or message that has taken their place.
struct BottomLine {
  let screen: Screen
  let snapshot: Snapshot

  private var hasDownloads: Bool { !snapshot.downloads.isEmpty }
  private var glyphs: Glyphs { screen.appearance.glyphs }

  func draw(in field: Field, of grid: inout CellGrid) {
    switch screen.mode {
    case .table: drawKeys(in: field, of: &grid)
    case .help:
      grid.put(Self.choices([("Esc", "close"), ("j k", "scroll")]), in: field.dropping(1), ellipsis: glyphs.ellipsis)
    case .adding(let text): draw(text, "Add: ", [("Enter", "add"), ("Esc", "cancel")], in: field, of: &grid)
    case .commanding(let text): draw(text, ":", [("Enter", "do it"), ("Esc", "cancel")], in: field, of: &grid)
    case .removing(let id):
      let choices = isCompleted(id) ? Self.ofFinished : Self.ofUnfinished
      grid.put(
        question("Remove", id, choices, width: field.width - 2), in: field.dropping(1), ellipsis: glyphs.ellipsis)
    case .restarting(let id):
      grid.put(
        question("Take the new", id, Self.ofChanged, width: field.width - 2), in: field.dropping(1),
        ellipsis: glyphs.ellipsis)
    case .saving: grid.put("saving" + String(glyphs.ellipsis), .busy, in: field.dropping(1))
    }
  }

  private func drawKeys(in field: Field, of grid: inout CellGrid) {
    if let message = screen.message {
      grid.put(line(message), in: field.dropping(1), ellipsis: glyphs.ellipsis)
    } else {
      grid.put(keys(width: field.width - 2), in: field.dropping(1), ellipsis: glyphs.ellipsis)
    }
  }

  func line(_ message: Screen.Message) -> InkedText { InkedText(VisibleText.of(message.text), message.ink) }

  /// As many keys as have room; help and quit leave last.
  private func keys(width: Int) -> InkedText {
    var shown = KeyMap.bindings.filter { $0.word != nil && (hasDownloads || $0.intent.needsNoDownload) }
    while shown.count > 1, line(shown).width > width {
      shown.remove(at: shown.count > 2 ? shown.count - 3 : shown.count - 1)
    }
    return line(shown)
  }

  private func line(_ bindings: [KeyMap.Binding]) -> InkedText {
    Self.choices(bindings.map { (String($0.shown.prefix { $0 != " " }), $0.word ?? "") })
  }

  static func choices(_ choices: [(key: String, word: String)]) -> InkedText {
    choices.reduce(into: InkedText()) { line, choice in
      line +=
        InkedText(line.parts.isEmpty ? "" : "  ") + InkedText(choice.key, .key) + InkedText(" " + choice.word, .dim)
    }
  }

  private func draw(
    _ text: TextField, _ name: String, _ choices: [(key: String, word: String)], in field: Field,
    of grid: inout CellGrid
  ) {
    let label = grid.put(name, .key, in: field.dropping(1)) + 1
    let window = text.window(width: field.width - label)
    let used = label + grid.put(window.text, in: field.dropping(label))
    grid.cursor = CellGrid.Cursor(row: field.row, column: min(label + window.cursor, max(0, field.width - 1)))
    let hint = Self.choices(choices)
    guard used + hint.width + 4 <= field.width else { return }
    grid.put(hint, in: field.dropping(field.width - hint.width - 1), ellipsis: glyphs.ellipsis)
  }

  /// The name is cut so that the choices stay readable.
  private func question(
    _ verb: String, _ id: DownloadID, _ choices: [(key: String, word: String)], width: Int
  ) -> InkedText {
    let choices = Self.choices(choices)
    let name = VisibleText.of(item(id)?.name ?? id.description)
    let room = max(8, width - choices.width - TextWidth.of("\(verb) ?  "))
    return InkedText("\(verb) \(TextWidth.cut(name, to: room, ellipsis: glyphs.ellipsis))?  ") + choices
  }

  private func item(_ id: DownloadID) -> Snapshot.Item? { snapshot.downloads.first { $0.id == id } }
  private func isCompleted(_ id: DownloadID) -> Bool { item(id)?.isCompleted == true }

  private static let ofUnfinished = [("k", "keep the partial"), ("d", "delete it"), ("Esc", "cancel")]
  private static let ofChanged = [("r", "restart"), ("k", "restart, keep the old part too"), ("Esc", "cancel")]
  private static let ofFinished = [("k", "remove, the file stays"), ("Esc", "cancel")]
}
