// How a download moves from state to state. Everything here is a reaction to one event: the state changes, effects are left in the turn.

extension Download {
  private static let worthDescribing: Int64 = 1 << 20
  static let saveEvery = Duration.seconds(5)

  // MARK: Starting

  mutating func start(_ turn: inout Turn) -> PartID {
    let part = PartID(turn.numbers.next())
    run = Run(
      part: part, sources: sources, connectionLimit: wantedConnections(turn.settings),
      meter: SpeedMeter(now: turn.now), history: SpeedHistory(now: turn.now), lastProgress: turn.now)
    let pace = ConnectionPace(enough: hasMirrors ? nil : turn.sufficientHosts[origin.host])
    if turn.settings.areConnectionsPaced, request.connections == nil { run?.pace = pace }
    state = .active
    startedAt = startedAt ?? turn.now
    let wanted = FindPart(folder: request.folder, urls: request.urls, name: request.name, partName: partName)
    turn.perform(.findPart(part, wanted))
    return part
  }

  mutating func found(_ result: Result<FoundPart, DownloadError>, _ turn: inout Turn) {
    guard case .finding = run?.phase else { return }
    switch result {
    case .failure(let error): fail(error, &turn)
    case .success(.nothing(let warning)): beginAfresh(warning, &turn)
    case .success(.leftover(let partName, let sidecar, let done)): goOn(with: partName, sidecar, done, &turn)
    }
  }

  private mutating func beginAfresh(_ warning: String?, _ turn: inout Turn) {
    forgetResource()
    partName = nil
    trust.isAtNewAddress = false
    run?.holdsOtherBytes = false
    run?.former = nil
    run?.phase = .asking(partIsOpen: false)
    guard let warning else { return }
    note(warning, now: turn.now)
    turn.notify(id, .warning(warning))
  }

  private mutating func goOn(with partName: String, _ sidecar: Sidecar, _ done: ByteRangeSet, _ turn: inout Turn) {
    // Where nothing is worth keeping, nothing has to fit to it; but what kind of file it was is known.
    resource = done.isEmpty ? nil : sidecar.resource
    learn(sidecar.learnedMirrors ?? [])
    chooseLead(by: sidecar, turn.settings)
    run?.former = sidecar.resource
    name = sidecar.name
    self.partName = partName
    request.checksum = request.checksum ?? sidecar.request.checksum
    request.pieces = request.pieces ?? sidecar.request.pieces
    request.size = request.size ?? sidecar.request.size
    foundEnd = nil
    missing = done.complement(in: 0..<(resource?.total ?? .max))
    trust.isOverlapOnly = sidecar.isOverlapOnly
    trust.suspects = Set(sidecar.suspects)
    run?.phase = .asking(partIsOpen: true)
    run?.hasSidecar = true
    let lost = sidecar.doneRanges.count - done.count
    if lost > 0 {
      note("\(ByteCount.text(lost)) on the disk were not what had been saved: fetched again", now: turn.now)
    }
    if missing.isEmpty { verify(&turn) }
  }

  mutating func created(_ result: Result<CreatedPart, DownloadError>, _ turn: inout Turn) {
    guard case .creating = run?.phase else { return }
    switch result {
    case .failure(let error): fail(error, &turn)
    case .success(.skipped(let name)): skip(name, &turn)
    case .success(.open(let partName, let name)):
      self.name = name
      opened(partName, &turn)
    }
  }

  mutating func replaced(_ result: Result<String, DownloadError>, _ turn: inout Turn) {
    guard case .creating = run?.phase else { return }
    switch result {
    case .failure(let error): fail(error, &turn)
    case .success(let partName): opened(partName, &turn)
    }
  }

  private mutating func opened(_ partName: String, _ turn: inout Turn) {
    guard case .creating(let transfer, let body) = run?.phase else { return }
    self.partName = partName
    run?.phase = .asking(partIsOpen: true)
    turn.perform(.saveSession)
    if missing.isEmpty { return verify(&turn) }
    describePart(&turn)
    if let index = index(of: transfer) { accept(index, body: body, &turn) }
  }

  /// A part that nobody describes would lie there for ever after a crash, and bytes that were set aside find their way back, or out, by
  /// the sidecar of those that took their place. A small new file is complete before its sidecar is written.
  private mutating func describePart(_ turn: inout Turn) {
    let isSmall = total.map { $0 < Self.worthDescribing } ?? false
    guard let part = run?.part, !isSmall || run?.former != nil else { return }
    if let sidecar = sidecar(clean: false) { turn.perform(.save(part, sidecar)) }
  }

  private mutating func skip(_ name: String, _ turn: inout Turn) {
    self.name = name
    turn.notify(id, .warning("skipped: the file exists"))
    let verification: Verification = resource?.total == nil ? .nothing : .size
    stopTransfers(&turn)
    endRun(.close, &turn)
    missing = ByteRangeSet()
    complete(FinishedFile(name: name, verification: verification), &turn)
  }

  // MARK: Bytes

  mutating func received(_ id: TransferID, _ count: Int64, now: Duration) {
    guard let written = run?.take(count, by: id, now: now) else { return }
    missing.remove(written)
    countProgress()
  }

  /// Single bytes do not give a new budget of attempts: it takes 16 KiB, or the whole of a smaller rest.
  private mutating func countProgress() {
    guard completedBytes > mostCompleted else { return }
    bytesSinceFailure += completedBytes - mostCompleted
    mostCompleted = completedBytes
    if bytesSinceFailure >= 16 << 10 { attempts = 0 }
  }

  mutating func ended(_ id: TransferID, _ end: TransferEnd, _ turn: inout Turn) {
    guard let index = index(of: id), let transfer = run?.transfers[index] else { return }
    switch end {
    case .failed(let error, _)
    where transfer.isAccepted && transfer.remaining == 0 && !transfer.isProbe && !error.isLocal:
      fulfilled(index, transfer, &turn)  // all that was wanted is there, however the connection ended
    case .failed(let error, let retryAfter): lose(id, error, retryAfter: retryAfter, stop: false, &turn)
    case .complete:
      run?.idle += 1
      fulfilled(index, transfer, &turn)
    case .filled: fulfilled(index, transfer, &turn)
    case .differs: differs(index, &turn)
    }
  }

  private mutating func fulfilled(_ index: Int, _ transfer: Transfer, _ turn: inout Turn) {
    if transfer.isAccepted, transfer.claim.upperBound == .max {
      if transfer.claim.lowerBound == 0, let fault = run?.former?.faultInSuccessor(Resource(total: 0)) {
        return lose(transfer.id, fault, retryAfter: nil, stop: false, &turn)
      }
      endHere(transfer.claim.lowerBound)
    }
    guard transfer.isAccepted, transfer.remaining == 0 || foundEnd != nil else {
      let error = DownloadError.incomplete(missing: transfer.claim.upperBound == .max ? 0 : transfer.remaining)
      return lose(transfer.id, error, retryAfter: nil, stop: false, &turn)
    }
    run?.transfers.remove(at: index)
    run?.sources[transfer.source].failures = 0
    if run?.sources.count != 1 { run?.sources[transfer.source].rate = transfer.meter.rate(now: turn.now) }
    if transfer.isProbe { return proven(transfer.source, &turn) }
    turn.contentHosts.append(transfer.host)
    if let limit = run?.connectionLimit, limit < wantedConnections(turn.settings) { run?.connectionLimit = limit + 1 }
    if missing.isEmpty, run?.transfers.allSatisfy(\.isProbe) == true { verify(&turn) }
  }

  private mutating func endHere(_ end: Int64) {
    missing.remove(end..<Int64.max)
    foundEnd = end
  }

  // MARK: Stopping

  mutating func pause(because reason: DownloadError? = nil, _ turn: inout Turn) {
    switch state {
    case .queued, .active, .retrying:
      leave(&turn)
      state = .paused(because: reason)
      note(reason.map { "paused: \($0.message)" } ?? "paused", now: turn.now)
      turn.notify(id, reason.map { .failed($0) } ?? .paused)
      turn.perform(.saveSession)
    case .verifying, .paused, .completed, .failed: break  // nothing is in flight that could be paused
    }
  }

  /// Stops in good order and waits in the queue, as it will after the next start of the program.
  mutating func suspend(_ turn: inout Turn) {
    guard run != nil else { return }
    leave(&turn)
    state = .queued
  }

  /// Stops all transfers; what is on the disk is saved, and a part that holds nothing is removed.
  mutating func leave(_ turn: inout Turn) {
    guard let phase = run?.phase else { return }
    stopTransfers(&turn)
    switch phase {
    case .finding, .asking(partIsOpen: false): endRun(.close, &turn)
    case .creating: endRun(.discard(restoringOld: true), &turn)
    case .asking(partIsOpen: true) where resource == nil: endRun(.close, &turn)
    case .asking(partIsOpen: true), .flowing:
      guard completedBytes > 0 || run?.hasSidecar == true && run?.former == nil else {
        return endRun(.discard(restoringOld: true), &turn)
      }
      save(clean: true, &turn)
      endRun(.close, &turn)
    }
  }

  enum PartEnding {
    case close
    case discard(restoringOld: Bool)
  }

  mutating func endRun(_ ending: PartEnding, _ turn: inout Turn) {
    guard let part = run?.part else { return }
    switch ending {
    case .close: turn.perform(.closePart(part))
    case .discard(let restoringOld): turn.perform(.discardPart(part, restoringOld: restoringOld))
    }
    run = nil
  }

  mutating func stopTransfers(except kept: TransferID? = nil, _ turn: inout Turn) {
    for transfer in run?.transfers ?? [] where transfer.id != kept { turn.perform(.stop(transfer.id)) }
    run?.transfers.removeAll { $0.id != kept }
  }

  // MARK: Saving and time

  mutating func save(clean: Bool, _ turn: inout Turn) {
    guard let part = run?.part, let sidecar = sidecar(clean: clean) else { return }
    run?.saveAt = nil
    run?.firstSave = .decided
    run?.hasSidecar = true
    turn.perform(.save(part, sidecar))
  }

  /// Nil when there is nothing worth keeping.
  private func sidecar(clean: Bool) -> Sidecar? {
    guard let resource, partName != nil else { return nil }
    let done = missing.complement(in: 0..<(total ?? missing.first?.lowerBound ?? 0))
    var sidecar = Sidecar(request: request, name: name, resource: resource, done: done)
    sidecar.clean = clean
    sidecar.source = describedSource
    sidecar.learnedMirrors = learnedMirrors
    sidecar.isOverlapOnly = trust.isOverlapOnly
    sidecar.suspects = trust.suspects.sorted()
    return sidecar
  }

  mutating func saved(_ error: DownloadError?, _ turn: inout Turn) {
    guard let error else { return }
    note(error.message, now: turn.now)
    if case .verifying = state { return }  // all bytes are there, and whether they become the file is told next
    if case .diskFull = error { return fail(error, &turn) }
    turn.notify(id, .warning(error.message))
  }

  /// Nobody is to blame for the silence while the process itself stood still.
  mutating func forgiveSilence(_ turn: inout Turn) {
    for index in run?.transfers.indices ?? 0..<0 { run?.transfers[index].isAlive(now: turn.now) }
  }

  mutating func passTime(_ turn: inout Turn) {
    saveIfDue(&turn)
    lookAtPace(&turn)
    noticeSilence(turn.now)
    endRests(turn.now)
    let limit = turn.settings.stallTimeout
    let stalled = (run?.transfers ?? []).filter { $0.lastProgress + limit <= turn.now }
    for transfer in stalled {
      lose(transfer.id, .stalled(seconds: Int(limit.components.seconds)), retryAfter: nil, stop: true, &turn)
    }
  }

  private mutating func saveIfDue(_ turn: inout Turn) {
    let rest = missing.count
    guard let due = run?.saveAt, due <= turn.now, run?.putsOffFirstSave(rest, turn.now) == false else { return }
    save(clean: false, &turn)
  }

  /// The next moment at which `passTime` has something to do.
  func deadline(stallTimeout: Duration) -> Duration? {
    guard let run else { return nil }
    let next = run.saveAt.earlier(run.pace?.due).earlier(firstEndOfRest).earlier(endOfSilence)
    return run.transfers.reduce(next) { $0.earlier($1.lastProgress + stallTimeout) }
  }
}

extension Download.Run {
  private static let worthSaving: Int64 = 64 << 20
  /// A file of less may be lost once to a crash.
  private static let little: Int64 = 4 << 20
  /// How much sooner so much is saved.
  private static let hurry = Duration.seconds(3)

  /// Bytes of a transfer are written. Returns which, unless there are none.
  fileprivate mutating func take(_ count: Int64, by id: TransferID, now: Duration) -> ByteRange? {
    guard let index = transfers.firstIndex(where: { $0.id == id }) else { return nil }
    let claim = transfers[index].claim
    let written = claim.lowerBound..<min(claim.upperBound, claim.lowerBound + max(0, count))
    transfers[index].claim = written.upperBound..<claim.upperBound
    transfers[index].progress(count, now: now)
    guard !written.isEmpty else { return nil }
    // Who gave what matters only where there are several.
    if sources.count > 1 { sources[transfers[index].source].given.insert(written) }
    transfers[index].meter.add(count, now: now)
    meter.add(count, now: now)
    history.add(count, now: now)
    pace?.add(count)
    lastProgress = now
    scheduleSave(count, now)
    return written
  }

  /// Once, where the rest will be there before it is due again: most such files never need a sidecar. A hurried one is as late as any other
  /// then, and only a small file's is later.
  fileprivate mutating func putsOffFirstSave(_ missing: Int64, _ now: Duration) -> Bool {
    let wait: Duration
    switch firstSave {
    case .counting(let came) where came + missing <= Self.little: wait = Download.saveEvery
    case .hurried: wait = Self.hurry
    case .counting, .decided: return false
    }
    guard Double(missing) < Double(meter.rate(now: now)) * wait.seconds else { return false }
    (firstSave, saveAt) = (.decided, now + wait)
    return true
  }

  /// Every few seconds; the first time sooner, when enough has come to be worth it.
  private mutating func scheduleSave(_ count: Int64, _ now: Duration) {
    let due = saveAt ?? now + Download.saveEvery
    saveAt = due
    guard case .counting(let before) = firstSave else { return }
    firstSave = .counting(before + count)
    guard before + count >= Self.worthSaving else { return }
    (firstSave, saveAt) = (.hurried, max(now, due - Self.hurry))
  }
}
