// What an answer's head means for the download: the verdict is the resource's, the consequences are here.

extension Download {
  private static let mostRestarts = 5
  private static let firstSaveAfter = Duration.seconds(1)

  mutating func answered(_ id: TransferID, _ head: ResponseHead, _ turn: inout Turn) {
    guard let index = index(of: id), let transfer = run?.transfers[index], !transfer.isAccepted else { return }
    switch Resource.judge(head, asked: transfer.asked, known: resource).sparing(run?.otherBytes) {
    case .goOn(let seen, let body): goOn(index, seen, body: body, head, &turn)
    case .startOver(let seen, let why): startOver(id, seen, why: why, head, &turn)
    case .compare(let why): compare(id, why: why, &turn)
    case .askAgain(let why): askAgain(why: why, &turn)
    case .askPlainly(let why): askPlainly(id, why: why, &turn)
    case .empty(let seen): takeEmpty(id, seen, head, &turn)
    case .refuse(let error): refuse(id, error, head, &turn)
    }
  }

  private mutating func goOn(
    _ index: Int, _ seen: Resource, body: ByteRange, _ head: ResponseHead, _ turn: inout Turn
  ) {
    guard let run else { return }
    let id = run.transfers[index].id
    // A whole body although only a stretch was asked for: of use to a lone transfer, which then skips what is there already.
    if resource != nil, !seen.sendsRanges, run.transfers.count > 1 {
      return lose(id, .badAnswer("the server ignored the range"), retryAfter: nil, stop: true, &turn)
    }
    if resource == nil { learnSize(seen.total, index) }
    resource = seen
    switch run.phase {
    case .asking(partIsOpen: false): create(for: id, body: body, head, &turn)
    case .asking(partIsOpen: true) where run.otherBytes != nil:
      replacePart(for: id, body: body, &turn)
    case .asking(partIsOpen: true), .flowing: accept(index, body: body, &turn)
    case .finding, .creating: break  // no transfer that could be answered exists then
    }
  }

  private mutating func learnSize(_ total: Int64?, _ index: Int) {
    let whole = 0..<(total ?? .max)
    missing = ByteRangeSet(whole)
    if let claim = run?.transfers[index].claim { run?.transfers[index].claim = claim.clamped(to: whole) }
  }

  private mutating func create(for id: TransferID, body: ByteRange, _ head: ResponseHead, _ turn: inout Turn) {
    guard let part = run?.part else { return }
    name = request.name ?? FileName.suggested(by: head, url: request.url)
    run?.phase = .creating(id, body: body)
    turn.perform(
      .createPart(
        part,
        CreatePart(
          folder: request.folder, name: name, total: resource?.total, preallocate: turn.settings.preallocate,
          ifExists: turn.settings.ifExists)))
  }

  /// The old bytes stay beside the new ones until those are complete.
  private mutating func replacePart(for id: TransferID, body: ByteRange, _ turn: inout Turn) {
    guard let part = run?.part else { return }
    run?.otherBytes = nil
    run?.hasSidecar = false
    run?.phase = .creating(id, body: body)
    turn.perform(.replacePart(part, total: resource?.total))
  }

  mutating func accept(_ index: Int, body: ByteRange, _ turn: inout Turn) {
    guard let run else { return }
    if case .asking = run.phase { startFlowing(&turn) }
    let transfer = run.transfers[index]
    let claim = acceptedClaim(transfer, body: body, turn.settings)
    self.run?.transfers[index].isAccepted = true
    self.run?.transfers[index].lastProgress = turn.now
    self.run?.transfers[index].claim = claim
    turn.perform(
      .accept(transfer.id, Acceptance(part: run.part, body: body, overlap: transfer.asked.overlap, claim: claim)))
  }

  private mutating func startFlowing(_ turn: inout Turn) {
    run?.phase = .flowing
    run?.saveAt = turn.now + Self.firstSaveAfter
    note(completedBytes > 0 ? "goes on from \(ByteCount.text(completedBytes))" : "started", now: turn.now)
    turn.notify(
      id,
      .started(
        path: request.folder + "/" + name, total: total, completed: completedBytes,
        resumability: resource?.resumability ?? .unknown))
  }

  /// The claim that the body can fill. What the probe claimed beyond its share becomes free for others.
  private func acceptedClaim(_ transfer: Transfer, body: ByteRange, _ settings: Settings) -> ByteRange {
    let start = transfer.claim.lowerBound
    let end = max(start, min(transfer.claim.upperBound, body.upperBound))
    guard let range = transfer.asked.range, range.upperBound == .max, isSplittable, let run else { return start..<end }
    let length = segmentLength(end - start, pieces: run.connectionLimit - run.transfers.count + 1)
    return start..<min(end, start + max(length, settings.minSplit))
  }

  // MARK: Another file, or none

  private mutating func startOver(
    _ id: TransferID, _ seen: Resource, why: String, _ head: ResponseHead, _ turn: inout Turn
  ) {
    guard agreeToRestart(why: why, &turn) else { return }
    stopTransfers(except: id, &turn)
    forgetResource()
    run?.transfers[0].claim = Self.everything
    goOn(0, seen, body: 0..<(seen.total ?? .max), head, &turn)
  }

  /// The next request asks from the beginning.
  mutating func askAgain(why: String, _ turn: inout Turn) {
    guard agreeToRestart(why: why, &turn) else { return }
    stopTransfers(&turn)
    forgetResource()
  }

  private mutating func agreeToRestart(why: String, _ turn: inout Turn) -> Bool {
    trust.restarts += 1
    let mayRestart = turn.settings.ifChanged == .restart || trust.acceptsChange || completedBytes == 0
    guard mayRestart, trust.restarts <= Self.mostRestarts else {
      fail(.changed(why), &turn)
      return false
    }
    note("starts over: \(why)", now: turn.now)
    turn.notify(id, .restarted(why))
    return true
  }

  /// The next request fetches bytes again that are on the disk; where there are none it asks anew.
  private mutating func compare(_ id: TransferID, why: String, _ turn: inout Turn) {
    if run?.transfers.count == 1 { trust.comparesAlways = true }
    lose(id, .badAnswer(why), retryAfter: nil, stop: true, canGoOn: trust.comparesAlways, &turn)
    if completedBytes == 0 { forgetResource() }
  }

  private mutating func askPlainly(_ id: TransferID, why: String, _ turn: inout Turn) {
    if run?.transfers.count == 1 { trust.asksPlainly = true }
    lose(id, .badAnswer(why), retryAfter: nil, stop: true, canGoOn: trust.asksPlainly, &turn)
  }

  /// An address that a redirect gave may have expired: the original one is asked once more, and no byte is given up.
  private mutating func refuse(_ id: TransferID, _ error: DownloadError, _ head: ResponseHead, _ turn: inout Turn) {
    let mayBeExpired = [401, 403, 404, 410].contains(head.status) && head.url != request.url
    let asksForNewTarget = mayBeExpired && !trust.hasAskedForNewTarget && completedBytes > 0
    if asksForNewTarget { trust.hasAskedForNewTarget = true }
    lose(id, error, retryAfter: head.retryAfter, stop: true, canGoOn: asksForNewTarget, &turn)
  }

  private mutating func takeEmpty(_ id: TransferID, _ seen: Resource, _ head: ResponseHead, _ turn: inout Turn) {
    stopTransfers(&turn)
    resource = seen
    resource?.total = 0
    missing = ByteRangeSet()
    switch run?.phase {
    case .asking(partIsOpen: true) where run?.otherBytes != nil:
      replacePart(for: id, body: 0..<0, &turn)
    case .asking(partIsOpen: true): verify(&turn)
    case .asking(partIsOpen: false): create(for: id, body: 0..<0, head, &turn)
    case .finding, .creating, .flowing, nil: break  // only a first answer can say that there is nothing
    }
  }

  /// From here on nothing is known about the file; what is on the disk stays there until a new answer is accepted.
  mutating func forgetResource() {
    if completedBytes > 0 { run?.otherBytes = resource }
    resource = nil
    foundEnd = nil
    missing = ByteRangeSet(Self.everything)
    trust.suspects = []
    trust.isOverlapOnly = false
    trust.comparesAlways = false
    run?.saveAt = nil
    if case .flowing = run?.phase { run?.phase = .asking(partIsOpen: true) }
  }
}
