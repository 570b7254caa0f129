// Removing and bringing back: bytes are only deleted when nobody can want them back any more.

/// What was removed last, while that can be undone.
struct Removal: Sendable {
  static let lifetime = Duration.seconds(60)

  /// Where each one stood in the queue, ascending.
  var downloads: [(place: Int, download: Download)]
  let leftover: Command.Leftover
  /// When it becomes final.
  let end: Duration
}

extension Session {
  mutating func remove(_ selection: Command.Selection, _ leftover: Command.Leftover, _ turn: inout Turn) {
    makeRemovalFinal(&turn)
    let wanted: Set<DownloadID> =
      switch selection {
      case .all: Set(order)
      case .these(let ids): Set(ids)
      }
    var removal = Removal(downloads: [], leftover: leftover, end: turn.now + Removal.lifetime)
    for (place, id) in order.enumerated() where wanted.contains(id) {
      let isMature = downloads[id]?.state == .verifying
      change(id) { isMature ? $0.leaveWhileVerifying(leftover, &turn) : $0.suspend(&turn) }
      if !isMature, let download = downloads[id] { removal.downloads.append((place, download)) }
      downloads[id] = nil
    }
    if !removal.downloads.isEmpty { self.removal = removal }
    order.removeAll { !downloads.contains($0) }
    queueStart = 0
    turn.perform(.saveSession)
  }

  mutating func undo(_ turn: inout Turn) {
    guard let removal else { return turn.notify(DownloadID(0), .warning("there is nothing to bring back")) }
    self.removal = nil
    for (place, download) in removal.downloads {
      downloads[download.id] = download
      order.insert(download.id, at: min(place, order.count))
    }
    queueStart = 0
    turn.perform(.saveSession)
  }

  mutating func makeRemovalFinal(_ turn: inout Turn) {
    guard let removal else { return }
    self.removal = nil
    for (_, download) in removal.downloads { download.delete(removal.leftover, &turn) }
  }

  /// Who asks for a file anew does not want to find what was given up.
  mutating func makeRemovalFinal(ifOf requests: [Request], _ turn: inout Turn) {
    guard let removal else { return }
    let removed = Set(removal.downloads.map { Place($0.download.request) })
    if requests.contains(where: { removed.contains(Place($0)) }) { makeRemovalFinal(&turn) }
  }

  private struct Place: Hashable {
    let url: String
    let folder: String
    init(_ request: Request) { (url, folder) = (request.url, request.folder) }
  }
}

extension Download {
  fileprivate func delete(_ leftover: Command.Leftover, _ turn: inout Turn) {
    switch (leftover, state) {
    case (.keep, _): break
    case (.deletePart, .completed): break  // a finished file is not touched
    // A session file that somebody has edited deletes nothing elsewhere.
    case (.deleteFile, .completed) where !FileName.isPossible(name): break
    case (.deleteFile, .completed):
      let size = resource?.coding == nil ? total : nil
      turn.perform(.deleteFile(folder: request.folder, name: name, size: size))
    case (.deletePart, _), (.deleteFile, _):
      if let partName { turn.perform(.deletePart(folder: request.folder, partName: partName)) }
    }
  }

  /// All bytes are there and may just be getting their final name: this cannot be undone, and a finished file stays.
  fileprivate mutating func leaveWhileVerifying(_ leftover: Command.Leftover, _ turn: inout Turn) {
    switch leftover {
    case .keep: suspend(&turn)
    case .deletePart, .deleteFile: endRun(.discard(restoringOld: false), &turn)
    }
  }
}
