import DownloadCore

/// The last line: the keys, or the field or question that has taken their place.
struct BottomLine {
  let screen: Screen
  let snapshot: Snapshot
  /// What has to be said here because there is no other line for it.
  let notice: InkedText?

  /// What stands in the line, and from which cell on the choices do.
  private struct Content {
    var lead = InkedText()
    var field: (text: TextField, label: Int)?
    var choices = Choices()
    var start = 1
  }

  private var glyphs: Glyphs { screen.appearance.glyphs }

  func draw(in field: Field, of grid: inout CellGrid) {
    if let notice { return grid.put(notice, in: field.dropping(1), ellipsis: glyphs.ellipsis) }
    let content = content(width: field.width)
    grid.put(content.lead, in: field.dropping(1), ellipsis: glyphs.ellipsis)
    if let (text, label) = content.field { draw(text, after: label, in: field, of: &grid) }
    grid.put(content.choices.line, in: field.dropping(content.start), ellipsis: glyphs.ellipsis)
  }

  /// The key that a click on this cell of the line stands for.
  func key(at column: Int, width: Int) -> Key? {
    guard notice == nil else { return nil }
    let content = content(width: width)
    return content.choices.key(at: column - content.start)
  }

  private func content(width: Int) -> Content {
    switch screen.mode {
    case .table: Content(choices: keys(width: width - 2))
    case .help: Content(choices: Choices([.init(.escape, "Esc", "close"), .init(.down, "j k", "scroll")]))
    case .adding: Content(choices: Choices(Self.ofForm))
    case .reviewing(let review): Content(choices: Choices(Self.choices(of: review)))
    case .filtering(let text):
      Self.content(text, "/", [.init(.enter, "Enter", "keep"), .init(.escape, "Esc", "clear")], width)
    case .commanding(let line):
      Self.content(line.field, ":", [.init(.enter, "Enter", "do it"), Self.cancel], width)
    case .prompting(let prompt): Self.content(prompt.field, label(of: prompt, width), Self.ofPrompt, width)
    case .removing(let ids): question("Remove", ids, removal(of: ids), width: width - 2)
    case .deleting(let ids): question("Delete from the disk:", ids, Self.ofFiles, width: width - 2)
    case .quitting:
      Content(lead: InkedText(quitWords), choices: Choices(Self.ofQuitting), start: 1 + quitWords.utf8.count)
    case .restarting(let ids): question("Take the new", ids, Self.ofChanged, width: width - 2)
    case .saving: Content(lead: InkedText("saving" + String(glyphs.ellipsis), .busy))
    }
  }

  /// As many keys as have room, those that are needed least leaving first.
  private func keys(width: Int) -> Choices {
    let isEmpty = snapshot.downloads.isEmpty
    var shown = KeyMap.bindings.filter { $0.footer != nil && (!isEmpty || $0.needsNoDownload) }
    while shown.count > 1, Self.choices(shown).width > width,
      let last = shown.indices.max(by: { Self.rank(shown[$0]) < Self.rank(shown[$1]) })
    { shown.remove(at: last) }
    return Self.choices(shown)
  }

  private static func rank(_ binding: KeyMap.Binding) -> Int { binding.footer?.rank ?? .max }

  private static func choices(_ bindings: [KeyMap.Binding]) -> Choices {
    Choices(
      bindings.compactMap { binding in
        binding.footer.map { Choices.Choice($0.pressed, $0.shown, $0.word) }
      })
  }

  private static func content(_ text: TextField, _ label: String, _ list: [Choices.Choice], _ width: Int) -> Content {
    let choices = Choices(list)
    let start = 1 + TextWidth.of(label)
    let used = start + TextWidth.of(text.window(width: width - start).text)
    let hasRoom = used + choices.width + 4 <= width
    return Content(
      lead: InkedText(label, .key), field: (text, start), choices: hasRoom ? choices : Choices(),
      start: width - choices.width - 1)
  }

  private func draw(_ text: TextField, after label: Int, in field: Field, of grid: inout CellGrid) {
    let window = text.window(width: field.width - label)
    grid.put(window.text, in: field.dropping(label))
    grid.cursor = CellGrid.Cursor(row: field.row, column: min(label + window.cursor, max(0, field.width - 1)))
  }

  /// The name is cut so that the choices stay readable.
  private func question(_ verb: String, _ ids: [DownloadID], _ list: [Choices.Choice], width: Int) -> Content {
    let choices = Choices(list)
    let room = max(8, width - choices.width - TextWidth.of("\(verb) ?  "))
    let lead = "\(verb) \(TextWidth.cut(subject(ids), to: room, ellipsis: glyphs.ellipsis))?  "
    return Content(lead: InkedText(lead), choices: choices, start: 1 + TextWidth.of(lead))
  }

  private func label(of prompt: Prompt, _ width: Int) -> String {
    let ids = prompt.purpose.subjects
    let room = min(40, width / 2) - TextWidth.of(prompt.label)
    guard !ids.isEmpty, room >= 8 else { return prompt.shortLabel + ": " }
    return prompt.label + TextWidth.cut(subject(ids), to: room, ellipsis: glyphs.ellipsis) + ": "
  }

  private var quitWords: String {
    let count = snapshot.downloads.count(where: \.isUnderWay)
    let what = count == 0 ? "" : count == 1 ? " 1 goes on next time." : " \(count) go on next time."
    return "Quit?\(what)  "
  }

  private func subject(_ ids: [DownloadID]) -> String {
    guard ids.count == 1, let id = ids.first else { return "\(ids.count) downloads" }
    return VisibleText.of(snapshot.downloads.first { $0.id == id }?.name ?? id.description)
  }

  private func removal(of ids: [DownloadID]) -> [Choices.Choice] {
    if !snapshot.hasUnfinished(ids) {
      return [
        .init(.character("k"), "k", ids.count == 1 ? "remove, the file stays" : "remove, the files stay"), Self.cancel,
      ]
    }
    let (keep, delete) = ids.count == 1 ? ("keep the partial", "delete it") : ("keep the partials", "delete them")
    return [.init(.character("k"), "k", keep), .init(.character("d"), "d", delete), Self.cancel]
  }

  private static let cancel = Choices.Choice(.escape, "Esc", "cancel")
  private static let ofForm = [
    Choices.Choice(.enter, "Enter", "add"), Choices.Choice(.tab, "Tab", "next field"), cancel,
  ]

  private static func choices(of review: Review) -> [Choices.Choice] {
    let count = review.ticked.count
    return [
      .init(.enter, "Enter", count == 0 ? "add none" : "add \(count)"), .init(.character(" "), "Space", "tick"),
      .init(.character("*"), "*", "the others"), cancel,
    ]
  }

  private static let ofPrompt = [Choices.Choice(.enter, "Enter", "set"), cancel]
  private static let ofFiles = [Choices.Choice(.character("d"), "d", "delete"), cancel]
  private static let ofQuitting = [
    Choices.Choice(.character("q"), "q", "quit"), Choices.Choice(.escape, "Esc", "stay"),
  ]
  private static let ofChanged = [
    Choices.Choice(.character("r"), "r", "restart"),
    Choices.Choice(.character("k"), "k", "restart, keep the old part too"), cancel,
  ]
}
