// What an answer's head means for the download: the verdict is the resource's, the consequences are here.

extension Download {
  private static let mostRestarts = 5

  mutating func answered(_ id: TransferID, _ head: ResponseHead, _ turn: inout Turn) {
    guard let index = index(of: id), let transfer = run?.transfers[index], !transfer.isAccepted else { return }
    run?.transfers[index].peer = head.peer
    server = head.value("server") ?? server
    if let location = head.location { return follow(index, to: location, &turn) }
    if isExpired(transfer, head) { return lookUpAgain(index, &turn) }
    guard transfer.source == run?.lead else { return mirrorAnswered(index, head, &turn) }
    switch Resource.judge(head, asked: transfer.asked, known: resource, former: run?.former) {
    case .goOn(let seen, let body): goOn(index, seen, body: body, head, &turn)
    case .startOver(let seen, let why): startOver(id, seen, why: why, head, &turn)
    case .compare(let why): compare(id, why: why, &turn)
    case .askAgain(let why): askAgain(why: why, &turn)
    case .askPlainly(let why): askPlainly(id, why: why, &turn)
    case .empty(let seen): takeEmpty(id, seen, head, &turn)
    case .end(let end): takeEnd(end, &turn)
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
    if let fault = seen.total.flatMap(faultInSize) { return lose(id, fault, retryAfter: nil, stop: true, &turn) }
    if let total = seen.total, resource?.total == nil {
      guard resource == nil || completedBytes <= total else {
        return askAgain(why: "its size is \(total), and more is on the disk", &turn)
      }
      learnSize(total, index)
    }
    if needsProof(run.lead) {
      self.run?.sources[run.lead].resource = seen.validated(by: Resource(describing: head))
    } else if resource == nil {
      self.run?.sources[run.lead].standing = .original
    }
    if run.lead == 0 { learnMirrors(from: head, now: turn.now) }
    resource = seen
    if missing.isEmpty { return verify(&turn) }
    if !seen.sendsRanges { joinGaps(index) }
    switch run.phase {
    case .asking(partIsOpen: false): create(for: id, body: body, head, &turn)
    case .asking(partIsOpen: true) where run.holdsOtherBytes:
      replacePart(for: id, body: body, &turn)
    case .asking(partIsOpen: true), .flowing: accept(index, body: body, &turn)
    case .finding, .creating: break  // no transfer that could be answered exists then
    }
  }

  /// The first answer may have said nothing about it.
  private mutating func learnSize(_ total: Int64, _ index: Int) {
    missing.remove(total..<Int64.max)
    if let claim = run?.transfers[index].claim { run?.transfers[index].claim = claim.clamped(to: 0..<total) }
  }

  /// A server without ranges would send everything once more for each gap: the first one is made to reach to the end instead.
  private mutating func joinGaps(_ index: Int) {
    guard let total, missing.ranges.count > 1, let start = run?.transfers[index].claim.lowerBound else { return }
    takeBack(ByteRangeSet(start..<total))
    run?.transfers[index].claim = start..<total
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
    run?.holdsOtherBytes = false
    run?.hasSidecar = false
    run?.phase = .creating(id, body: body)
    turn.perform(.replacePart(part, total: resource?.total))
  }

  mutating func accept(_ index: Int, body: ByteRange, _ turn: inout Turn) {
    guard let run else { return }
    let transfer = run.transfers[index]
    if transfer.hops > 0 { self.run?.sources[transfer.source].target = transfer.address }
    self.run?.sources[transfer.source].hops = 0
    self.run?.latency = min(run.latency, turn.now - transfer.startedAt)
    if case .asking = run.phase { startFlowing(&turn) }
    let claim = acceptedClaim(transfer, body: body, turn.settings)
    self.run?.transfers[index].isAccepted = true
    self.run?.transfers[index].isAlive(now: turn.now)
    self.run?.transfers[index].claim = claim
    let overlap = overlap(of: transfer, body)
    self.run?.transfers[index].overlap = overlap
    let wanted = Acceptance(
      part: run.part, body: body, overlap: overlap, claim: claim, isReadAgain: isReadAgain(turn.settings))
    turn.perform(.accept(transfer.id, wanted))
  }

  /// What comes once more although nobody asked for it can as well be compared.
  private func overlap(of transfer: Transfer, _ body: ByteRange) -> Int64 {
    let start = transfer.claim.lowerBound
    return max(transfer.asked.overlap, min(onDisk(before: start), start - body.lowerBound))
  }

  private mutating func startFlowing(_ turn: inout Turn) {
    run?.phase = .flowing
    let latency = run?.latency ?? .zero
    run?.pace?.begin(latency: latency, now: turn.now)
    run?.saveAt = turn.now + Self.saveEvery
    note(
      "\(completedBytes > 0 ? "goes on from \(ByteCount.text(completedBytes))" : "started"): \(answer)", now: turn.now)
    turn.notify(
      id,
      .started(
        path: request.folder + "/" + name, total: total, completed: completedBytes,
        resumability: resource?.resumability ?? .unknown))
  }

  /// What the server has said, in words.
  private var answer: String {
    let size = total.map(ByteCount.text) ?? "size unknown"
    let ranges = resource?.sendsRanges == true ? "ranges" : "no ranges"
    return "\(size), \(ranges), \(resource?.validator.kind ?? "")"
  }

  /// The claim that the body can fill. What the probe claimed beyond its share becomes free for others.
  private func acceptedClaim(_ transfer: Transfer, body: ByteRange, _ settings: Settings) -> ByteRange {
    let start = transfer.claim.lowerBound
    let end = max(start, min(transfer.claim.upperBound, body.upperBound))
    guard let range = transfer.asked.range, range.upperBound == .max, isSplittable, let run else { return start..<end }
    let length = segmentLength(end - start, pieces: run.allowed - run.transfers.count + 1)
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
    let isElsewhere = isElsewhere
    let isFree = turn.settings.ifChanged == .restart && !isElsewhere
    guard isFree || trust.acceptsChange || completedBytes == 0, trust.restarts <= Self.mostRestarts else {
      isElsewhere ? refuseAddress("at the new address, \(why)", &turn) : fail(.changed(why), &turn)
      return false
    }
    mostCompleted = 0
    note("starts over: \(why)", now: turn.now)
    turn.notify(id, .restarted(why))
    return true
  }

  /// The next request fetches bytes again that are on the disk; where there are none it asks anew.
  private mutating func compare(_ id: TransferID, why: String, _ turn: inout Turn) {
    if run?.transfers.count == 1 { trust.comparesAlways = true }
    lose(id, .badAnswer(why), retryAfter: nil, stop: true, canGoOn: trust.comparesAlways, &turn)
    if completedBytes == 0, run?.transfers.isEmpty != false { forgetResource() }
  }

  private mutating func askPlainly(_ id: TransferID, why: String, _ turn: inout Turn) {
    if run?.transfers.count == 1 { trust.asksPlainly = true }
    lose(id, .badAnswer(why), retryAfter: nil, stop: true, canGoOn: trust.asksPlainly, &turn)
  }

  /// An address that a redirect gave may have expired: the original one is asked again, once for all, and no byte is given up.
  private mutating func refuse(_ id: TransferID, _ error: DownloadError, _ head: ResponseHead, _ turn: inout Turn) {
    let isExpired = [401, 403, 404, 410].contains(head.status) && run?.target != nil && run?.target?.url == head.url
    if isExpired { run?.target = nil }
    lose(id, error, retryAfter: head.retryAfter, stop: true, canGoOn: isExpired, &turn)
  }

  private mutating func takeEmpty(_ id: TransferID, _ seen: Resource, _ head: ResponseHead, _ turn: inout Turn) {
    stopTransfers(&turn)
    resource = seen
    resource?.total = 0
    missing = ByteRangeSet()
    switch run?.phase {
    case .asking(partIsOpen: true) where run?.holdsOtherBytes == true:
      replacePart(for: id, body: 0..<0, &turn)
    case .asking(partIsOpen: true): verify(&turn)
    case .asking(partIsOpen: false): create(for: id, body: 0..<0, head, &turn)
    case .finding, .creating, .flowing, nil: break  // only a first answer can say that there is nothing
    }
  }

  /// Only one transfer can ask so: where the size is unknown there is never a second.
  private mutating func takeEnd(_ end: Int64, _ turn: inout Turn) {
    stopTransfers(&turn)
    resource?.total = end
    missing.remove(end..<Int64.max)
    if missing.isEmpty { verify(&turn) }
  }

  /// From here on nothing is known about the file; what is on the disk stays there until a new answer is accepted.
  mutating func forgetResource() {
    if completedBytes > 0 { run?.holdsOtherBytes = true }
    if let resource { run?.former = resource }
    resource = nil
    foundEnd = nil
    missing = ByteRangeSet(Self.everything)
    trust.suspects = []
    trust.isOverlapOnly = false
    trust.comparesAlways = false
    run?.forgetProofs()
    run?.saveAt = nil
    if case .flowing = run?.phase { run?.phase = .asking(partIsOpen: true) }
  }
}
