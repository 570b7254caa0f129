// The queue: who is added, who is removed, and who may work now.

extension Session {
  mutating func add(_ requests: [Request], _ turn: inout Turn) {
    let targets = unfinished.flatMap { download in Target.all(of: download.request).map { ($0, download.id) } }
    var known = Dictionary(targets, uniquingKeysWith: { first, _ in first })
    makeRemovalFinal(ifOf: requests, &turn)
    for request in requests {
      let target = Target(request)
      if let twin = known[target] {
        turn.notify(twin, .addedAlready)
        continue
      }
      insert { Download(id: $0, request: request) }
      guard let id = order.last else { continue }
      known[target] = id
      turn.notify(id, .added(url: request.url))
    }
    turn.perform(.saveSession)
  }

  /// The same address into the same place is the same download.
  private struct Target: Hashable {
    private let bytes: [UInt8]
    /// Byte by byte: names that only look the same are two files on the disk.
    init(_ request: Request, url: String? = nil) {
      bytes = [url ?? request.url, request.folder, request.name ?? ""].reduce(into: []) { bytes, text in
        bytes += text.utf8
        bytes.append(0)
      }
    }

    /// An address that it had before still leads to its part file.
    static func all(of request: Request) -> [Target] { request.urls.map { Target(request, url: $0) } }
  }

  private var unfinished: [Download] {
    order.compactMap { downloads[$0] }.filter { if case .completed = $0.state { false } else { true } }
  }

  mutating func each(_ selection: Command.Selection, _ body: (inout Download) -> Void) {
    switch selection {
    case .all: for id in order { change(id, body) }
    case .these(let ids): for id in ids { change(id, body) }
    }
  }

  mutating func resume(_ selection: Command.Selection, _ turn: inout Turn) {
    each(selection) { $0.resume(now: turn.now) }
    queueStart = 0
    turn.perform(.saveSession)
  }

  mutating func restart(_ selection: Command.Selection, keepOld: Bool, _ turn: inout Turn) {
    each(selection) { download in
      download.resume(now: turn.now)
      download.trust.acceptsChange = true
      download.trust.keepsOld = keepOld
    }
    queueStart = 0
    turn.perform(.saveSession)
  }

  /// A full disk stops everything that goes to it, once, with the reason; the others go on.
  mutating func pauseWhereFull(_ turn: inout Turn) {
    guard !turn.fullFolders.isEmpty else { return }
    for id in working.map(\.id) {
      guard let folder = downloads.read(id, \.request.folder), turn.fullFolders.contains(folder) else { continue }
      change(id) { $0.pause(because: .diskFull(path: folder), &turn) }
    }
    turn.fullFolders = []
  }

  mutating func startNow(_ selection: Command.Selection, _ turn: inout Turn) {
    each(selection) { download in
      download.resume(now: turn.now)
      if case .queued = download.state { _ = download.start(&turn) }
    }
    turn.perform(.saveSession)
  }

  mutating func move(_ id: DownloadID, by distance: Int, _ turn: inout Turn) {
    guard let place = order.firstIndex(of: id) else { return }
    order.remove(at: place)
    let (target, overflow) = place.addingReportingOverflow(distance)
    order.insert(id, at: overflow ? place : max(0, min(order.count, target)))
    queueStart = 0
    turn.perform(.saveSession)
  }

  mutating func quit(_ turn: inout Turn) {
    isQuitting = true
    makeRemovalFinal(&turn)
    for id in working.map(\.id) { change(id) { $0.suspend(&turn) } }
    turn.perform(.saveSession)
  }

  // MARK: The pump

  /// Fills free slots: retries whose time has come, then the queue in order, then more transfers for those that work.
  mutating func pump(_ turn: inout Turn) {
    guard !isQuitting else { return }
    var free = freeSlots
    for download in working where free > 0 && download.retryAt.map({ $0 <= turn.now }) == true {
      change(download.id) { $0.tryAgain(&turn) }
      free -= 1
    }
    while free > 0, let id = nextQueued() {
      change(id) { _ = $0.start(&turn) }
      free -= 1
    }
    startTransfers(&turn)
  }

  /// One that only has to be finished lets the next one begin; so many of these may wait for the disk.
  private static let mostFinishing = 64

  var freeSlots: Int {
    guard !isQuitting else { return 0 }
    let finishing = working.count { $0.isFinishing }
    let waiting = working.count { $0.retryAt != nil }
    return settings.jobs - (working.count - waiting - min(finishing, Self.mostFinishing))
  }

  private mutating func nextQueued() -> DownloadID? {
    while queueStart < order.count {
      if downloads.read(order[queueStart], \.state) == .queued { return order[queueStart] }
      queueStart += 1
    }
    return nil
  }
}

extension Download {
  /// Paused and failed ones queue up again with a fresh budget; one that waits for its next attempt has waited long enough.
  fileprivate mutating func resume(now: Duration) {
    switch state {
    case .paused, .failed:
      state = .queued
      (attempts, bytesSinceFailure, trust) = (0, 0, Trust())
    case .retrying(var retry):
      retry.at = now
      state = .retrying(retry)
    case .queued, .active, .verifying, .completed: break  // under way, or done
    }
  }
}
