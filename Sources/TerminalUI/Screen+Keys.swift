import DownloadCore

extension Screen {
  /// Takes a key, and says what is to be done outside.
  package mutating func handle(_ key: Key, in snapshot: Snapshot, size: Size) -> [Action] {
    message = nil
    observe(snapshot, size: size)
    if let action = everywhere(key) { return [action] }
    if case .paste = key, mode.takesPaste { return adding(key, TextField()) }
    switch mode {
    case .table: return table(key, snapshot, size)
    case .help(let first): help(key, first, size)
    case .adding(let field): return adding(key, field)
    case .commanding(let field): return commanding(key, field)
    case .removing(let id): return removing(key, id, snapshot)
    case .restarting(let id): return restarting(key, id)
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

  private mutating func table(_ key: Key, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    guard let intent = KeyMap.intent(of: key) else { return [] }
    return perform(intent, snapshot, size)
  }

  private mutating func perform(_ intent: Intent, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    switch intent {
    case .move(let move): cursor.move(move, in: snapshot.downloads, rows: max(1, layout(size).list.rows))
    case .add: mode = .adding(TextField())
    case .commandLine: mode = .commanding(TextField())
    case .remove: if let id = selected(in: snapshot) { mode = .removing(id) }
    case .details: showsDetails.toggle()
    case .closeDetails: showsDetails = false
    case .help: mode = .help(from: 0)
    case .pause: return onSelected(snapshot) { .pause($0) }
    case .resume: return resume(snapshot)
    case .start: return onSelected(snapshot) { .start($0) }
    case .pauseAll: return [.command(.pause(.all))]
    case .resumeAll: return [.command(.resume(.all))]
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit: return [.quit]
    }
    return []
  }

  private func onSelected(_ snapshot: Snapshot, _ command: (Command.Selection) -> Command) -> [Action] {
    selected(in: snapshot).map { [.command(command(.these([$0])))] } ?? []
  }

  private mutating func adding(_ key: Key, _ field: TextField) -> [Action] {
    var field = field
    switch key {
    case .escape: mode = .table
    case .enter: return accept(field.text)
    default:  // editing keys; others mean nothing in a field
      _ = field.handle(key)
      mode = .adding(field)
    }
    return []
  }

  private mutating func accept(_ text: String) -> [Action] {
    mode = .table
    let addresses = text.split(whereSeparator: \.isWhitespace).map(String.init)
    return addresses.isEmpty ? [] : [.addresses(addresses)]
  }

  private mutating func commanding(_ key: Key, _ field: TextField) -> [Action] {
    var field = field
    switch key {
    case .escape: mode = .table
    case .enter:
      mode = .table
      return field.text.allSatisfy(\.isWhitespace) ? [] : [.commandLine(field.text)]
    default:  // editing keys; others mean nothing in a field
      _ = field.handle(key)
      mode = .commanding(field)
    }
    return []
  }

  /// A file that has changed on the server is not simply gone on with: a question comes first.
  private mutating func resume(_ snapshot: Snapshot) -> [Action] {
    guard let id = selected(in: snapshot) else { return [] }
    let item = snapshot.downloads.first { $0.id == id }
    guard case .failed(.changed) = item?.state else { return [.command(.resume(.these([id])))] }
    mode = .restarting(id)
    return []
  }

  private mutating func restarting(_ key: Key, _ id: DownloadID) -> [Action] {
    switch key {
    case .character("r"), .character("k"):
      mode = .table
      return [.command(.restart(.these([id]), keepOld: key == .character("k")))]
    case .escape, .character("q"), .character("n"): mode = .table
    default: break  // the question stays
    }
    return []
  }

  private mutating func removing(_ key: Key, _ id: DownloadID, _ snapshot: Snapshot) -> [Action] {
    let isDone = snapshot.downloads.contains { $0.id == id && $0.isCompleted }
    switch key {
    case .character("k"): mode = .table
    case .character("d") where !isDone:
      mode = .table
      return [.command(.remove(.these([id]), .deletePart))]
    case .escape, .character("q"), .character("n"):
      mode = .table
      return []
    default: return []  // the question stays
    }
    return [.command(.remove(.these([id]), .keep))]
  }

  private mutating func help(_ key: Key, _ first: Int, _ size: Size) {
    let page = max(1, size.rows - 3)
    let last = max(0, HelpText.lines(appearance.glyphs).count - (size.rows - 2))
    let moved: Int? =
      switch KeyMap.intent(of: key) {
      case .move(.up): first - 1
      case .move(.down): first + 1
      case .move(.pageUp): first - page
      case .move(.pageDown): first + page
      case .move(.first): 0
      case .move(.last): last
      case nil: first
      default: nil  // every other key of the table leaves the help
      }
    mode = moved.map { .help(from: min(max(0, $0), last)) } ?? .table
  }
}

extension Snapshot.Item {
  var isCompleted: Bool {
    if case .completed = state { true } else { false }
  }
}
