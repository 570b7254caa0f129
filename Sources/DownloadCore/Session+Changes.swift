// What a person changes about downloads and settings while they are at work.

extension Session {
  mutating func limit(_ selection: Command.Selection, _ rate: Int64?, _ turn: inout Turn) {
    each(selection) { download in
      download.request.rateLimit = rate
      download.tellLimit(&turn)
    }
    turn.perform(.saveSession)
  }

  mutating func connect(_ selection: Command.Selection, _ count: Int?, _ turn: inout Turn) {
    each(selection) { download in
      download.request.connections = count
      download.adaptConnections(&turn)
    }
    turn.perform(.saveSession)
  }

  mutating func adopt(_ new: Settings, _ turn: inout Turn) {
    let old = settings
    settings = new
    turn.settings = new
    if new.jobs < old.jobs { demote(&turn) }
    if new.connections != old.connections { for id in working.map(\.id) { change(id) { $0.adaptConnections(&turn) } } }
    if new.rateLimitEach != old.rateLimitEach { for id in working.map(\.id) { change(id) { $0.tellLimit(&turn) } } }
  }

  /// Too many are active: those that began last wait in the queue again.
  private mutating func demote(_ turn: inout Turn) {
    for id in working.reversed().map(\.id) where freeSlots < 0 {
      if case .active = downloads[id]?.state { change(id) { $0.suspend(&turn) } }
    }
    queueStart = 0
    turn.perform(.saveSession)
  }
}

extension Download {
  fileprivate func tellLimit(_ turn: inout Turn) {
    if run != nil { turn.perform(.limit(id, request.rateLimit ?? turn.settings.rateLimitEach)) }
  }

  /// Takes the limit that holds now: more connections may come, and those that are too many go. No byte is lost by that.
  fileprivate mutating func adaptConnections(_ turn: inout Turn) {
    guard let run else { return }
    let wanted = wantedConnections(turn.settings)
    self.run?.connectionLimit = wanted
    if request.connections != nil || !turn.settings.areConnectionsPaced { self.run?.pace = nil }
    for transfer in run.transfers.dropFirst(wanted) {
      self.run?.transfers.removeAll { $0.id == transfer.id }
      if transfer.asked.overlap > 0, !transfer.isProbe { trust.suspects.insert(transfer.claim.lowerBound) }
      turn.perform(.stop(transfer.id))
    }
  }

  // MARK: A new address

  private static let mostFormerURLs = 10

  /// The part stays as it is; whether the file there is the same one is judged by its first answer, and if not, a question comes first.
  mutating func move(to url: String, _ credentials: String?, _ turn: inout Turn) {
    switch state {
    case .verifying, .completed: return turn.notify(id, .warning("it is complete and needs no address any more"))
    case .queued, .active, .retrying, .paused, .failed: break
    }
    guard url != request.url || credentials != nil else {
      return turn.notify(id, .warning("that is the address that it has"))
    }
    suspend(&turn)
    request = request.moved(to: url, credentials, remembering: Self.mostFormerURLs)
    state = .queued
    (attempts, bytesSinceFailure, trust) = (0, 0, Trust())
    trust.isAtNewAddress = completedBytes > 0
    note("has a new address at \(Origin.authority(of: url))", now: turn.now)
    _ = start(&turn)
    turn.perform(.saveSession)
  }

  /// What is on the disk stays, and a person has to say what is wanted.
  mutating func refuseAddress(_ why: String, _ turn: inout Turn) {
    if handLead(after: .changed(why), &turn) { return }
    fail(.changed(why), &turn)
    turn.notify(id, .warning("\(why): r asks what to do, u takes another address"))
  }

  /// The first bytes have been stored behind those from the old address.
  mutating func confirmAddress(_ turn: inout Turn) {
    trust.isAtNewAddress = false
    let size = total.map { ", \(ByteCount.text($0))" } ?? ""
    let proof = mustCompare ? "bytes were compared" : resource?.validator.description ?? ""
    let words = "the new address has the same file\(size): \(proof)"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
  }
}

extension Request {
  /// The same request to an address that a person gave. What may be secret stays with the host that it was given for.
  fileprivate func moved(to url: String, _ credentials: String?, remembering most: Int) -> Request {
    let isSameHost = url.scheme == self.url.scheme && Origin.authority(of: url) == Origin.authority(of: self.url)
    var moved = isSameHost ? self : withoutSecrets
    moved.formerURLs = urls.filter { $0 != url }.prefix(most).map(\.self)
    moved.url = url
    moved.credentials = credentials ?? moved.credentials
    return moved
  }
}

extension String {
  fileprivate var scheme: String { prefix { $0 != ":" }.lowercased() }
}
