import DownloadCore

/// What the keys of the table do.
extension Screen {
  mutating func table(_ key: Key, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    guard let intent = KeyMap.intent(of: key) else { return [] }
    return perform(intent, snapshot, size)
  }

  private mutating func perform(_ intent: Intent, _ snapshot: Snapshot, _ size: Size) -> [Action] {
    switch intent {
    case .move(let move): self.move(move, size)
    case .add: mode = .adding(AddForm(folder: folder))
    case .commandLine: mode = .commanding(CommandLine())
    case .remove: ask(snapshot) { .removing($0) }
    case .deleteFile: askToDelete(snapshot)
    case .undo: return [.command(.undo)]
    case .limit: ask(snapshot) { .prompting(Prompt(.limit($0), snapshot)) }
    case .limitOfAll: mode = .prompting(Prompt(.limitOfAll, snapshot))
    case .connections: ask(snapshot) { .prompting(Prompt(.connections($0), snapshot)) }
    case .newAddress: askForAddress(snapshot)
    case .copyAddress: return copy(snapshot, "address") { $0.url }
    case .copyPath: return copy(snapshot, "path") { $0.path }
    case .openFile: return openFile(snapshot)
    case .openFolder: return openFolder(snapshot)
    case .details: showsDetails.toggle()
    case .scrollDetails(let pages): scrollDetails(by: pages, snapshot, size)
    case .back: back(snapshot, size)
    case .theme:
      appearance.nextTheme()
      say("theme: \(appearance.theme.rawValue)")
    case .help: mode = .help(from: 0)
    case .mark: mark(snapshot, size)
    case .markRange: if let id = selected(in: snapshot) { marks.extend(to: id, in: listing) }
    case .invertMarks: marks.invert(in: listing)
    case .filter: mode = .filtering(TextField(arrangement.filter))
    case .sort(let distance): arrange(snapshot, size) { $0.step(by: distance) }
    case .reverseSort: arrange(snapshot, size) { $0.isReversed.toggle() }
    case .hideDone: arrange(snapshot, size) { $0.hidesDone.toggle() }
    case .view(let view): arrange(snapshot, size) { $0.view = view }
    case .nextView(let distance): arrange(snapshot, size) { $0.stepView(by: distance) }
    case .shift(let distance): return shift(by: distance, snapshot)
    case .pause: return onTargets(snapshot) { .pause($0) }
    case .resume: return resume(snapshot)
    case .start: return onTargets(snapshot) { .start($0) }
    case .pauseAll: return [.command(.pause(.all))]
    case .resumeAll: return [.command(.resume(.all))]
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .quit: return quit(snapshot)
    }
    return []
  }

  mutating func move(_ move: Intent.Move, _ size: Size) {
    cursor.move(move, in: listing, rows: max(1, layout(size).list.rows))
  }

  mutating func arrange(_ snapshot: Snapshot, _ size: Size, _ change: (inout Arrangement) -> Void) {
    change(&arrangement)
    rearrange(snapshot, size)
  }

  private func onTargets(_ snapshot: Snapshot, _ command: (Command.Selection) -> Command) -> [Action] {
    let targets = targets(in: snapshot)
    return targets.isEmpty ? [] : [.command(command(.these(targets)))]
  }

  private mutating func ask(_ snapshot: Snapshot, _ question: ([DownloadID]) -> Mode) {
    let targets = targets(in: snapshot)
    if !targets.isEmpty { mode = question(targets) }
  }

  private mutating func back(_ snapshot: Snapshot, _ size: Size) {
    if showsDetails {
      showsDetails = false
    } else if !arrangement.filter.isEmpty {
      arrange(snapshot, size) { $0.filter = "" }
    } else {
      marks.clear()
    }
  }

  private mutating func mark(_ snapshot: Snapshot, _ size: Size) {
    guard let id = selected(in: snapshot) else { return }
    marks.toggle(id)
    move(.down, size)
  }

  /// Files that have changed on the server are not simply gone on with: a question comes first.
  private mutating func resume(_ snapshot: Snapshot) -> [Action] {
    let targets = targets(in: snapshot)
    let wanted = Set(targets)
    let changed = Set(snapshot.downloads.lazy.filter { wanted.contains($0.id) && $0.hasChanged }.map(\.id))
    if !changed.isEmpty { mode = .restarting(targets.filter(changed.contains)) }
    let others = targets.filter { !changed.contains($0) }
    return others.isEmpty ? [] : [.command(.resume(.these(others)))]
  }

  /// Past the next row that is shown; rows that cannot move hold up those behind them.
  private mutating func shift(by distance: Int, _ snapshot: Snapshot) -> [Action] {
    guard arrangement.sort == .queue else {
      complain("the table is sorted by \(arrangement.sort.word), not in the order of the queue: < leads back to it")
      return []
    }
    let isDown = (distance > 0) != arrangement.isReversed
    let targets = Set(targets(in: snapshot))
    let rows = isDown ? listing.rows.reversed() : listing.rows
    var commands: [Action] = []
    var next: Listing.Row?  // the row to get past; none at the end, or where one is stuck
    var passed = 0  // how many have got past it
    for row in rows {
      guard targets.contains(row.id), let other = next else {
        next = targets.contains(row.id) ? nil : row
        passed = 0
        continue
      }
      commands.append(.command(.move(row.id, by: other.place - row.place - passed * distance)))
      passed += 1
    }
    return commands
  }
}

extension Snapshot.Item {
  fileprivate var hasChanged: Bool {
    if case .failed(.changed) = state { true } else { false }
  }
}
