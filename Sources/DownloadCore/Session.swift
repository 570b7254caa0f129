/// The queue with all downloads and settings: a value that knows everything and does nothing. Commands and events go in with the moment
/// they happened, effects come out, and whoever owns it performs them in order.
package struct Session: Sendable {
  package internal(set) var settings: Settings
  /// Counts changes, so that a viewer can tell whether there is something new.
  package private(set) var revision = 0
  var downloads = DownloadMap()
  var order: [DownloadID] = []
  /// Those with a run, in the order of their starts.
  private(set) var working: [Working] = []
  private(set) var transferOwners: [TransferID: DownloadID] = [:]
  private var partOwners: [PartID: DownloadID] = [:]
  var hostLimits = HostLimits()
  /// See `Turn`.
  private var sufficientHosts: [String: Double] = [:]
  private var numbers: Numbers
  private var lastID = 0
  /// No download before this place in the order is queued.
  var queueStart = 0
  var isQuitting = false
  var removal: Removal?
  private var rows = SnapshotRows()

  package init(settings: Settings, seed: UInt64, restoring saved: SavedSession? = nil) {
    self.settings = settings
    numbers = Numbers(seed: seed)
    for old in saved?.downloads ?? [] { insert { Download(id: $0, restoring: old) } }
  }

  package mutating func handle(_ command: Command, now: Duration) -> [Effect] {
    turn(now) { session, turn in
      switch command {
      case .add(let requests): session.add(requests, &turn)
      case .pause(let selection): session.each(selection) { $0.pause(&turn) }
      case .resume(let selection): session.resume(selection, &turn)
      case .start(let selection): session.startNow(selection, &turn)
      case .restart(let selection, let keepOld): session.restart(selection, keepOld: keepOld, &turn)
      case .remove(let selection, let leftover): session.remove(selection, leftover, &turn)
      case .move(let id, let distance): session.move(id, by: distance, &turn)
      case .undo: session.undo(&turn)
      case .limitRate(let rate): session.settings.rateLimit = rate
      case .limit(let selection, let rate): session.limit(selection, rate, &turn)
      case .connections(let selection, let count): session.connect(selection, count, &turn)
      case .readdress(let id, let url, let credentials): session.change(id) { $0.move(to: url, credentials, &turn) }
      case .adopt(let settings): session.adopt(settings, &turn)
      case .quit: session.quit(&turn)
      }
      session.goOn(&turn)
    }
  }

  package mutating func handle(_ event: Event, now: Duration) -> [Effect] { handle([event], now: now) }

  /// Takes everything that has happened, in order, and looks once at the end who may begin or go on because of it.
  package mutating func handle(_ events: [Event], now: Duration) -> [Effect] {
    turn(now) { session, turn in
      var isQuiet = true
      for event in events {
        isQuiet = session.take(event, &turn) && isQuiet
        session.trackTransfers(&turn)
      }
      if !isQuiet { session.goOn(&turn) }
    }
  }

  /// True where nothing that it changes can let another download or transfer start.
  private mutating func take(_ event: Event, _ turn: inout Turn) -> Bool {
    turn.fullHosts = []
    switch event {
    case .received(let transfer, let count): return received(transfer, count, &turn)
    case .head(let transfer, let head):
      if let address = addressAfter(transfer, head) {
        turn.fullHosts = fullHosts(for: address, besides: transfer)
      }
      change(transferOwners[transfer]) { $0.answered(transfer, head, &turn) }
    case .ended(let transfer, let end):
      let owner = transferOwners.removeValue(forKey: transfer)
      change(owner) { $0.ended(transfer, end, &turn) }
      queueBehind(owner)
    case .found(let part, let result): change(partOwners[part]) { $0.found(result, &turn) }
    case .created(let part, let result): change(partOwners[part]) { $0.created(result, &turn) }
    case .replaced(let part, let result): change(partOwners[part]) { $0.replaced(result, &turn) }
    case .saved(let part, let error): change(partOwners[part]) { $0.saved(error, &turn) }
    case .finished(let part, let result): change(partOwners[part]) { $0.finished(result, &turn) }
    case .stoodStill: for id in working.map(\.id) { change(id) { $0.forgiveSilence(&turn) } }
    case .timePassed:
      hostLimits.passTime(turn.now)
      if let end = removal?.end, end <= turn.now { makeRemovalFinal(&turn) }
      for id in working.map(\.id) { change(id) { $0.passTime(&turn) } }
    }
    learnAboutHosts(&turn)
    pauseWhereFull(&turn)
    return false
  }

  /// The hot event, which lets nothing start but a transfer to a mirror that had nothing to prove itself by.
  private mutating func received(_ transfer: TransferID, _ count: Int64, _ turn: inout Turn) -> Bool {
    guard let id = transferOwners[transfer] else { return true }
    var (isToBeConfirmed, mayStartMore) = (false, false)
    downloads.change(id) { [now = turn.now] download in
      download.received(transfer, count, now: now)
      deadline = deadline.earlier(download.run?.saveAt)
      isToBeConfirmed = download.trust.isAtNewAddress && count > 0
      mayStartMore = download.canProveMirror
    }
    guard isToBeConfirmed || mayStartMore else { return true }
    change(id) { if isToBeConfirmed { $0.confirmAddress(&turn) } }
    return false
  }

  /// Lets begin and go on whoever may now.
  private mutating func goOn(_ turn: inout Turn) {
    pump(&turn)
    deadline = nextDeadline()
  }

  /// The next moment at which `.timePassed` may have something to do; nil while nothing waits for time.
  package private(set) var deadline: Duration?

  private func nextDeadline() -> Duration? {
    // A retry that finds no free slot waits for one, not for time.
    let isRetryDue = freeSlots > 0
    return working.reduce(hostLimits.ends.min().earlier(removal?.end)) { next, download in
      let due = next.earlier(download.deadline)
      return isRetryDue ? due.earlier(download.retryAt) : due
    }
  }

  /// Whether a download still works with this part.
  package func uses(_ part: PartID) -> Bool { partOwners[part] != nil }

  /// Whether anything is under way (then a viewer may want to see time pass).
  package var isWorking: Bool { !working.isEmpty }
  /// The connections of those under way, with the first one of those that have none yet.
  package var connectionCount: Int { working.reduce(0) { $0 + ($1.isFinishing ? 0 : max(1, $1.hosts.count)) } }

  /// The folders of those at work, or else of all.
  package var folders: [String] {
    (working.isEmpty ? order : working.map(\.id)).compactMap { downloads.read($0, \.request.folder) }
  }

  package mutating func snapshot(now: Duration, wallClock: Int64, freeSpace: Int64?) -> Snapshot {
    rows.update(order, &downloads, working: working, now: now)
    return Snapshot(
      moment: now, wallClock: wallClock, downloads: rows.items, speed: speed(now), rateLimit: settings.rateLimit,
      freeSpace: freeSpace)
  }

  private func speed(_ now: Duration) -> Int64 {
    working.reduce(0) { sum, download in
      sum.addingReportingOverflow(downloads.read(download.id) { $0.speed(now: now) ?? 0 } ?? 0).partialValue
    }
  }

  package var saved: SavedSession { SavedSession(downloads: order.compactMap { downloads.read($0, \.saved) }) }

  /// Where the download asks next because of this answer.
  private func addressAfter(_ transfer: TransferID, _ head: ResponseHead) -> String? {
    if case .address(let location) = head.location { return location }
    guard 400...499 ~= head.status, let owner = transferOwners[transfer] else { return nil }
    return downloads[owner].flatMap { $0.address(of: transfer) }
  }

  /// Whoever has just had a connection and wants another comes after those who wait for their first.
  private mutating func queueBehind(_ id: DownloadID?) {
    guard let place = working.firstIndex(where: { $0.id == id && $0.isHungry }) else { return }
    working.append(working.remove(at: place))
  }

  // MARK: One turn

  private mutating func turn(_ now: Duration, _ body: (inout Session, inout Turn) -> Void) -> [Effect] {
    var turn = Turn(now: now, settings: settings, numbers: numbers, sufficientHosts: sufficientHosts)
    body(&self, &turn)
    (numbers, sufficientHosts) = (turn.numbers, turn.sufficientHosts)
    trackTransfers(&turn)
    revision += 1
    return turn.effects
  }

  /// Whoever is stopped is not heard any more, not even by what happened at the same time.
  private mutating func trackTransfers(_ turn: inout Turn) {
    for effect in turn.effects[turn.tracked...] {
      if case .startTransfer(let id, let plan) = effect { transferOwners[id] = plan.download }
      if case .stop(let id) = effect { transferOwners[id] = nil }
    }
    turn.tracked = turn.effects.endIndex
  }

  /// Changes one download in place and keeps the books about who works.
  mutating func change(_ id: DownloadID?, _ body: (inout Download) -> Void) {
    guard let id else { return }
    var (before, after): (PartID?, Working?)
    downloads.change(id) { [stallTimeout = settings.stallTimeout] download in
      before = download.run?.part
      body(&download)
      after = Working(download, stallTimeout: stallTimeout)
    }
    if before == after?.part {
      if let after, let place = working.firstIndex(where: { $0.id == id }) { working[place] = after }
      return
    }
    if let before { partOwners[before] = nil }
    working.removeAll { $0.id == id }
    guard let after else { return }
    partOwners[after.part] = id
    working.append(after)
  }

  mutating func insert(_ make: (DownloadID) -> Download) {
    lastID += 1
    let download = make(DownloadID(lastID))
    downloads[download.id] = download
    order.append(download.id)
  }
}

extension Duration? {
  /// The first of two moments, either of which may never come.
  func earlier(_ other: Duration?) -> Duration? {
    guard let self, let other else { return self ?? other }
    return min(self, other)
  }
}
