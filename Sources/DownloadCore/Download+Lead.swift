// Which source leads, and who takes its place when it fails.

extension Download {
  /// The one that the part's validators are of, where it is still among the sources.
  mutating func chooseLead(by sidecar: Sidecar, _ settings: Settings) {
    guard let run else { return }
    let described = sidecar.source ?? sidecar.request.url
    let place = run.sources.firstIndex { $0.address.url == described }
    if let place, place == 0 || !trust.isAtNewAddress {
      self.run?.lead = place
      self.run?.sources[place].standing = .original
    } else if place == nil, request.formerURLs?.contains(described) == true {
      self.run?.sources[0].standing = .original
    } else {
      resource = resource?.withoutValidators
      // Whoever gives one address alone, as a mirror of which a part was left, wants the file that is there.
      let isAlone = run.sources.count == 1 && sidecar.request.url != request.url
      if isAlone, settings.ifChanged == .restart { trust.acceptsChange = true }
    }
  }

  /// The same for a sidecar: nil is the first address, an empty one none of them, as long as the one that leads has proved nothing.
  var describedSource: String? {
    guard let run else { return nil }
    let source = run.sources[run.lead]
    if case .unproven = source.standing { return "" }
    return source.address == origin ? nil : source.address.url
  }

  /// Whether what is on the disk came from another address, and nothing has proved yet that the same file is at this one.
  var isElsewhere: Bool { trust.isAtNewAddress || run.map { needsProof($0.lead) } ?? false }

  /// Whether transfers are at work that do not need the leading source.
  var hasOthersFlowing: Bool {
    guard let run else { return false }
    return run.transfers.contains { $0.source != run.lead && run.sources[$0.source].isProven }
  }

  /// Lets another source lead, where there is one that can help; what is on the disk stays. After the last attempt that is only one that
  /// has not failed yet.
  mutating func handLead(
    after error: DownloadError, retryAfter: Duration? = nil, isLastAttempt: Bool = false, _ turn: inout Turn
  ) -> Bool {
    guard error.isItsServers, isElsewhere || !error.isChange else { return false }
    return passLead(after: error, retryAfter: retryAfter, isLastAttempt: isLastAttempt, &turn)
  }

  mutating func passLead(
    after error: DownloadError, retryAfter: Duration? = nil, isLastAttempt: Bool = false, _ turn: inout Turn
  ) -> Bool {
    guard let run, run.sources.count > 1 else { return false }
    let isForGood = !error.isTransient
    guard let next = successor(run) ?? (isForGood ? successorAtRest(run) : nil),
      isForGood || !isLastAttempt || run.sources[next].failures == 0
    else { return false }
    if isForGood {
      self.run?.sources[run.lead].standing = error.isChange ? .differing : .dropped
    } else {
      rest(run.lead, error, retryAfter, &turn)
    }
    let words = "\(name(of: run.lead)) is left, \(error.ofMirror); goes on at \(name(of: next))"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
    lead(by: next, &turn)
    if let end = run.sources[next].restsUntil { wait(until: end, after: error, &turn) }
    return true
  }

  /// Those that are at work come first, then those that have not been asked yet, in their order.
  private func successor(_ run: Run) -> Int? {
    let others = run.sources.indices.filter { $0 != run.lead && run.sources[$0].isUsable }
    let isAtWork = { source in run.sources[source].isProven && run.transfers.contains { $0.source == source } }
    return others.first(where: isAtWork) ?? others.first { run.sources[$0].failures == 0 } ?? others.first
  }

  private func successorAtRest(_ run: Run) -> Int? {
    run.sources.indices.filter { $0 != run.lead && !run.sources[$0].isDropped }
      .min { (run.sources[$0].restsUntil ?? .zero) < (run.sources[$1].restsUntil ?? .zero) }
  }

  private mutating func wait(until end: Duration, after error: DownloadError, _ turn: inout Turn) {
    stopTransfers(&turn)
    attempts += 1
    let retry = DownloadState.Retry(at: end, attempt: attempts, of: nil, error: error)
    state = .retrying(retry)
    turn.notify(id, .retrying(retry, in: max(.zero, end - turn.now)))
  }

  /// From here on `next` says what the file is.
  mutating func lead(by next: Int, _ turn: inout Turn) {
    guard let run else { return }
    let (wanted, known) = (wantedConnections(turn.settings), resource)
    self.run?.sources[run.lead].resource = known
    self.run?.lead = next
    self.run?.connectionLimit = wanted
    (trust.asksPlainly, trust.comparesAlways) = (false, false)
    if run.sources[next].failures == 0 { (attempts, bytesSinceFailure) = (0, 0) }
    // Others go on only if they are proven, as the one that leads then is.
    if !run.sources[next].isProven { stopTransfers(&turn) }
    if completedBytes == 0 {
      forgetResource()
    } else {
      resource = run.sources[next].isProven ? run.sources[next].resource ?? resource : resource?.withoutValidators
    }
    askFirst()
  }
}

extension DownloadError {
  /// Whether the same file from elsewhere may do better.
  fileprivate var isItsServers: Bool { !isLocal && self != .networkDown }

  var isChange: Bool { if case .changed = self { true } else { false } }
}
