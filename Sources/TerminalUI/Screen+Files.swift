import DownloadCore

// Removing, deleting, copying and opening: what the keys do about the files themselves.

extension Screen {
  /// Finished files are only deleted on purpose, and with a question of their own.
  mutating func askToDelete(_ snapshot: Snapshot) {
    let targets = targets(in: snapshot)
    let wanted = Set(targets)
    guard !targets.isEmpty else { return }
    let hasFile = snapshot.downloads.contains { wanted.contains($0.id) && $0.isCompleted }
    mode = hasFile ? .deleting(targets) : .removing(targets)
  }

  mutating func deleting(_ key: Key, _ ids: [DownloadID]) -> [Action] {
    switch key {
    case .character("d"): return remove(ids, .deleteFile)
    case .escape, .character("q"), .character("n"): mode = .table
    default: break  // the question stays
    }
    return []
  }

  mutating func remove(_ ids: [DownloadID], _ leftover: Command.Leftover) -> [Action] {
    mode = .table
    let what = ids.count == 1 ? "removed" : "\(ids.count) removed"
    say(leftover == .keep ? "\(what): z brings it back" : "\(what), deleted in a minute: z brings it back")
    return [.command(.remove(.these(ids), leftover))]
  }

  mutating func copy(_ snapshot: Snapshot, _ what: String, _ text: (Snapshot.Item) -> String) -> [Action] {
    let wanted = Set(targets(in: snapshot))
    let lines = snapshot.downloads.filter { wanted.contains($0.id) }.map(text)
    guard !lines.isEmpty else { return [] }
    say(lines.count == 1 ? "\(what) copied" : "\(lines.count) copied: \(what)")
    return [.copy(lines.joined(separator: "\n"))]
  }

  mutating func openFile(_ snapshot: Snapshot) -> [Action] {
    guard let id = selected(in: snapshot), let item = snapshot.downloads.first(where: { $0.id == id }) else {
      return []
    }
    guard item.isCompleted else {
      complain("it is not complete yet; O opens its folder")
      return []
    }
    return [.open(item.path)]
  }

  func openFolder(_ snapshot: Snapshot) -> [Action] {
    let id = selected(in: snapshot)
    return snapshot.downloads.first { $0.id == id }.map { [.open($0.folder)] } ?? []
  }

  // MARK: Quitting

  /// When leaving needs a second word.
  package enum QuitQuestion: String, CaseIterable, Sendable {
    /// While something is active.
    case active
    case always, never
  }

  mutating func quit(_ snapshot: Snapshot) -> [Action] {
    let asks =
      switch quitQuestion {
      case .always: true
      case .never: false
      case .active: snapshot.downloads.contains(where: \.isUnderWay)
      }
    guard asks else { return [.quit] }
    mode = .quitting
    return []
  }

  mutating func quitting(_ key: Key) -> [Action] {
    switch key {
    case .character("q"), .character("y"), .enter: return [.quit]
    case .escape, .character("n"): mode = .table
    default: break  // the question stays
    }
    return []
  }
}

extension Snapshot.Item {
  package var path: String { folder == "/" ? "/" + name : folder + "/" + name }

  var isUnderWay: Bool {
    switch state {
    case .active, .retrying, .verifying: true
    case .queued, .paused, .completed, .failed: false
    }
  }
}
