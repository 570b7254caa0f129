// What an answer's head means for the download: the verdict is the resource's, the consequences are here.

extension Download {
  private static let mostRestarts = 5
  private static let firstSaveAfter = Duration.seconds(1)

  mutating func answered(_ id: TransferID, _ head: ResponseHead, _ turn: inout Turn) {
    guard let run, let index = index(of: id), !run.transfers[index].isAccepted else { return }
    switch Resource.judge(head, asked: run.transfers[index].asked, known: resource) {
    case .goOn(let seen, let body): goOn(index, seen, body: body, head, &turn)
    case .startOver(let seen, let why): startOver(id, seen, why: why, head, &turn)
    case .askAgain(let why): askAgain(why: why, &turn)
    case .empty(let seen): takeEmpty(id, seen, head, &turn)
    case .refuse(let error): lose(id, error, retryAfter: head.retryAfter, stop: true, &turn)
    }
  }

  private mutating func goOn(_ index: Int, _ seen: Resource, body: ByteRange, _ head: ResponseHead, _ turn: inout Turn)
  {
    guard let run else { return }
    let id = run.transfers[index].id
    let isFirst = resource == nil
    // A whole body although only a stretch was asked for: of use to a lone transfer, which then skips what is there already.
    if !isFirst, !seen.sendsRanges, run.transfers.count > 1 {
      return lose(id, .badAnswer("the server ignored the range"), retryAfter: nil, stop: true, &turn)
    }
    resource = seen
    if isFirst { learnSize(seen.total, index) }
    switch run.phase {
    case .asking(partIsOpen: false): create(for: id, body: body, head, &turn)
    case .asking(partIsOpen: true):
      if isFirst { turn.perform(.emptyPart(run.part, total: seen.total)) }
      accept(index, body: body, &turn)
    case .flowing: accept(index, body: body, &turn)
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

  mutating func accept(_ index: Int, body: ByteRange, _ turn: inout Turn) {
    guard let run else { return }
    if case .asking = run.phase { startFlowing(&turn) }
    let claim = acceptedClaim(run.transfers[index], body: body, turn.settings)
    self.run?.transfers[index].isAccepted = true
    self.run?.transfers[index].lastProgress = turn.now
    self.run?.transfers[index].claim = claim
    let (id, part) = (run.transfers[index].id, run.part)
    turn.perform(.accept(id, part, body: body, claim: claim))
  }

  private mutating func startFlowing(_ turn: inout Turn) {
    run?.phase = .flowing
    run?.saveAt = turn.now + Self.firstSaveAfter
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
    guard transfer.asked.range.upperBound == .max, isSplittable, let run else { return start..<end }
    let length = segmentLength(end - start, pieces: run.connectionLimit - run.transfers.count + 1)
    return start..<min(end, start + max(length, settings.minSplit))
  }

  private mutating func startOver(
    _ id: TransferID, _ seen: Resource, why: String, _ head: ResponseHead, _ turn: inout Turn
  ) {
    guard countRestart(why: why, &turn) else { return }
    stopTransfers(except: id, &turn)
    forgetResource()
    run?.phase = .asking(partIsOpen: partName != nil)
    run?.transfers[0].claim = Self.everything
    goOn(0, seen, body: 0..<(seen.total ?? .max), head, &turn)
  }

  private mutating func askAgain(why: String, _ turn: inout Turn) {
    guard countRestart(why: why, &turn) else { return }
    stopTransfers(&turn)
    forgetResource()
    run?.phase = .asking(partIsOpen: partName != nil)
  }

  private mutating func countRestart(why: String, _ turn: inout Turn) -> Bool {
    restarts += 1
    note("starts over: \(why)", now: turn.now)
    guard restarts <= Self.mostRestarts else {
      fail(.changed(why), &turn)
      return false
    }
    turn.notify(id, .restarted(why))
    return true
  }

  private mutating func takeEmpty(_ id: TransferID, _ seen: Resource, _ head: ResponseHead, _ turn: inout Turn) {
    stopTransfers(&turn)
    resource = seen
    missing = ByteRangeSet()
    if case .asking(partIsOpen: true) = run?.phase { return verify(&turn) }
    create(for: id, body: 0..<0, head, &turn)
  }

  /// From here on nothing is known about the file; what is on the disk stays there until a new answer is accepted.
  mutating func forgetResource() {
    resource = nil
    foundEnd = nil
    missing = ByteRangeSet(Self.everything)
    run?.saveAt = nil
  }
}
