// What goes wrong with requests, and what comes of it: others go on, another source takes the lead, it is tried again later, or it fails.

extension Download {
  private static let mostLookUps = 3
  private static let plainAttempt = 3
  /// A passing fault is waited for once before another source takes the lead.
  private static let mirrorAttempt = 2
  private static let networkPoll = Duration.seconds(2)

  /// A transfer is gone. While others live the download goes on with them and asks for no more connections than survive.
  /// `canGoOn` says that the next request will be a better one, so that there is nothing to wait for.
  mutating func lose(
    _ id: TransferID, _ error: DownloadError, retryAfter: Duration?, stop: Bool, canGoOn: Bool = false,
    _ turn: inout Turn
  ) {
    guard let index = index(of: id), let transfer = run?.transfers.remove(at: index), let lead = run?.lead else {
      return
    }
    if stop { turn.perform(.stop(id)) }
    if !transfer.isProbe, transfer.isAccepted || transfer.asked.overlap > 0 {
      trust.suspects.insert(transfer.claim.lowerBound)
    }
    if case .overloaded = error { turn.overloadedHosts.append((transfer.host, retryAfter)) }
    if error.isLocal { return fail(error, &turn) }
    guard transfer.source == lead else { return loseMirror(transfer.source, error, retryAfter, &turn) }
    if survivors(of: lead) > 0 {
      noteLoss(error, now: turn.now)
    } else if canGoOn {
      note(error.message, now: turn.now)
      askFirst()
    } else if hasOthersFlowing, error != .networkDown, handLead(after: error, retryAfter: retryAfter, &turn) {
      // The others go on, and this one may come back.
    } else if error.isTransient {
      retry(after: error, retryAfter: retryAfter, &turn)
    } else {
      fail(error, &turn)
    }
  }

  private func survivors(of source: Int) -> Int { run?.transfers.count { $0.source == source } ?? 0 }

  /// Where one fails for a reason, others often follow: they are one line.
  private mutating func noteLoss(_ error: DownloadError, now: Duration) {
    let survivors = run?.transfers.count ?? 0
    run?.connectionLimit = survivors
    let reason = " left: \(error.message)"
    if log.last?.text.hasSuffix(reason) == true { log.removeLast() }
    note("\(survivors == 1 ? "1 connection" : "\(survivors) connections")\(reason)", now: now)
  }

  /// The next request has to be answered before there are more.
  mutating func askFirst() {
    if case .flowing = run?.phase, run?.transfers.isEmpty == true { run?.phase = .asking(partIsOpen: true) }
  }

  private mutating func retry(after error: DownloadError, retryAfter: Duration?, _ turn: inout Turn) {
    // Without a network no attempt was one.
    attempts = max(1, error == .networkDown ? attempts : attempts + 1)
    bytesSinceFailure = 0
    stopTransfers(&turn)
    // A server that breaks off whenever it is asked for a range is asked once without one, as long as there is nothing to lose.
    if case .connectionLost = error, resource == nil, completedBytes == 0 {
      trust.asksPlainly = attempts == Self.plainAttempt
    }
    let policy = policy(for: error, turn.settings)
    guard
      let wait = error == .networkDown
        ? Self.networkPoll : policy.wait(before: attempts, jitter: turn.numbers.jitter(), retryAfter: retryAfter)
    else {
      return fail(error, &turn)
    }
    if attempts >= Self.mirrorAttempt, handLead(after: error, retryAfter: retryAfter, &turn) { return }
    let retry = DownloadState.Retry(
      at: turn.now + wait, attempt: attempts, of: policy.attempts == 0 ? nil : policy.attempts, error: error)
    state = .retrying(retry)
    note("retry \(attempts) in \((wait + .milliseconds(999)).components.seconds) s: \(error.message)", now: turn.now)
    save(clean: false, &turn)
    turn.notify(id, .retrying(retry, in: wait))
  }

  /// A name that has never been found is more often misspelt than passing trouble: a few attempts tell.
  private func policy(for error: DownloadError, _ settings: Settings) -> RetryPolicy {
    var policy = settings.retry
    guard case .nameNotResolved = error, resource == nil else { return policy }
    policy.attempts = policy.attempts == 0 ? Self.mostLookUps : min(policy.attempts, Self.mostLookUps)
    return policy
  }

  mutating func tryAgain(_ turn: inout Turn) {
    guard case .retrying = state else { return }
    state = .active
    // The way may lead elsewhere now.
    run?.target = nil
    run?.leadRests(until: nil)
    askFirst()
  }

  mutating func fail(_ error: DownloadError, _ turn: inout Turn) {
    if handLead(after: error, isLastAttempt: error.isTransient, &turn) { return }
    leave(&turn)
    state = .failed(error)
    note("failed: \(error.message)", now: turn.now)
    if case .diskFull = error {
      state = .paused(because: error)
      turn.fullFolders.insert(request.folder)
    }
    turn.notify(id, .failed(error))
    turn.perform(.saveSession)
  }
}
