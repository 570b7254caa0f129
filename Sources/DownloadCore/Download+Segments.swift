// Resume, retry, splitting and stealing are one question: which stretch of the missing bytes does the next transfer claim?

extension Download {
  /// Segment borders lie on multiples of this, so that writes stay aligned.
  private static let grain: Int64 = 64 << 10
  /// How much is fetched again and compared where nothing else proves that the file is still the same.
  static let proof: Int64 = 64 << 10
  /// How much is compared where a connection broke, though the validator is good: the last bytes before a break may be garbage.
  private static let suspicion: Int64 = 4 << 10

  /// A turn in bytes: not so few that a fast server would get a request at every moment.
  private static let turn: ClosedRange<Double> = 0x1p20...0x1p24
  /// The rest of a slow transfer is worth sharing down to this part of the smallest split.
  private static let lastSplits: Int64 = 8
  /// Seconds that are not worth a request.
  private static let leastHelp = 0.02
  /// Seconds that the end may wait for a source, and how long a transfer runs before that is judged.
  private static let patience = 2.0
  private static let warmUp = Duration.seconds(2)

  func wantedConnections(_ settings: Settings) -> Int { max(1, min(32, request.connections ?? settings.connections)) }

  /// Whether transfers to the source that leads may be started.
  var isReadyForTransfers: Bool { run.map { mayStart(at: $0.lead) } ?? false }

  /// Starts as many transfers to the source that leads as the download may have; `slots` is what its host still allows.
  mutating func startTransfers(slots: inout Int, _ turn: inout Turn) {
    if let lead = run?.lead { startTransfers(at: lead, &slots, &turn) }
  }

  /// The same for the other sources that are at this host.
  mutating func startTransfers(atMirrorsOn host: String, slots: inout Int, _ turn: inout Turn) {
    for source in run?.sources.indices ?? 0..<0 where source != run?.lead && run?.sources[source].next.host == host {
      startTransfers(at: source, &slots, &turn)
    }
  }

  private mutating func startTransfers(at source: Int, _ slots: inout Int, _ turn: inout Turn) {
    while slots > 0, mayStart(at: source), let claim = claimSegment(for: source, &turn) {
      startTransfer(claim, at: source, &turn)
      slots -= 1
    }
  }

  private mutating func startTransfer(_ claim: ByteRange, at place: Int, _ turn: inout Turn) {
    guard let source = run?.sources[place] else { return }
    let asked = question(for: claim, at: place)
    let transfer = Transfer(
      id: TransferID(turn.numbers.next()), source: place, address: source.next,
      hops: source.target == nil ? 0 : source.hops, asked: asked, claim: claim, now: turn.now)
    run?.transfers.append(transfer)
    if run?.transfers.count == 2 { run?.pace?.anotherCame() }
    if let idle = run?.idle, idle > 0 { run?.idle = idle - 1 }
    send(transfer, &turn)
  }

  private mutating func question(for claim: ByteRange, at source: Int) -> Asked {
    guard !trust.asksPlainly else { return Asked(nil) }
    let overlap = overlap(before: claim, at: source)
    if !claim.isEmpty {
      if mustCompare && claim.lowerBound > 0 || run?.sources[source].standing == .compared {
        trust.isOverlapOnly = true
      }
      trust.suspects.remove(claim.lowerBound)
    }
    return Asked(
      claim.lowerBound - overlap..<claim.upperBound, ifRange: known(at: source)?.validator.ifRange, overlap: overlap)
  }

  /// How many bytes before a claim have to be compared; all of them are on the disk. An empty claim is a probe.
  private func overlap(before claim: ByteRange, at source: Int) -> Int64 {
    let start = claim.lowerBound
    guard resource != nil, start > 0 else { return 0 }
    if mustCompare || claim.isEmpty { return min(Self.proof, onDisk(before: start)) }
    let isSuspect = trust.suspects.contains(start) || source != run?.lead
    return isSuspect ? min(Self.suspicion, onDisk(before: start)) : 0
  }

  /// The length of the stretch on the disk that ends at `start`.
  func onDisk(before start: Int64) -> Int64 {
    start - (missing.ranges.last { $0.lowerBound < start }.map { min($0.upperBound, start) } ?? 0)
  }

  /// A free gap (its fair share where several transfers may come), else half of what the longest claim still lacks.
  private mutating func claimSegment(for source: Int, _ turn: inout Turn) -> ByteRange? {
    if run?.transfers.isEmpty == true, !canGoOn {
      if trust.isAtNewAddress {
        refuseAddress("nothing proves that the file at the new address is the same one", &turn)
        return nil
      }
      if completedBytes > 0 { note("starts over: nothing could prove that it is the same file", now: turn.now) }
      // The part that came is all that such a server gives at a time, and the next one cannot be tied to it.
      if case .flowing = run?.phase { trust.asksPlainly = true }
      forgetResource()
    }
    guard let run else { return nil }
    if needsProof(source) { return proofEnd.map { $0..<$0 } }
    let free = missing.subtracting(run.transfers.map(\.claim))
    guard let gap = free.first else { return steal(&turn) ?? relieve(source, &turn) ?? takeOver(at: source, &turn) }
    guard isSplittable, gap.upperBound < .max else { return gap }
    let length = segmentLength(gap.upperBound - gap.lowerBound, pieces: run.allowed - run.transfers.count)
    return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + max(length, turn.settings.minSplit))
  }

  /// Whether later bytes can be tied to those on the disk: by a validator, or by comparing what was fetched in one piece.
  private var canGoOn: Bool {
    guard let run, let resource, completedBytes > 0 else { return true }
    if needsProof(run.lead) { return proofEnd != nil }
    if !mustCompare, resource.coding == nil { return true }
    guard resource.sendsRanges, let total = resource.total, resource.coding == nil, !trust.asksPlainly else {
      return false
    }
    if run.sources.count > 1 { return missing.ranges.allSatisfy { onDisk(before: $0.lowerBound) >= Self.proof } }
    return missing.ranges == [completedBytes..<total] && completedBytes >= Self.proof
  }

  /// The transfer that would be the last to end, if another request can still help it.
  private func slowest(_ run: Run, _ turn: Turn) -> Int? {
    run.transfers.indices.filter { isWorthSharing(run.transfers[$0], run, turn) }.max { first, second in
      let (a, b) = (run.transfers[first], run.transfers[second])
      return (a.secondsLeft(turn.now), a.remaining) < (b.secondsLeft(turn.now), b.remaining)
    }
  }

  /// A large rest always is; a small one of a large file if it is known to come so slowly that another request is there in time.
  private func isWorthSharing(_ transfer: Transfer, _ run: Run, _ turn: Turn) -> Bool {
    let split = 2 * max(turn.settings.minSplit, Self.grain)
    guard transfer.isAccepted, transfer.remaining < split else { return transfer.isAccepted }
    guard let total, total >= split, transfer.remaining >= max(split / Self.lastSplits, 2 * Self.grain) else {
      return false
    }
    let left = transfer.secondsLeft(turn.now)
    return left.isFinite && left > max(2 * run.latency.seconds, Self.leastHelp)
  }

  /// Takes half of what it still lacks from the transfer that would end last, so that a download never waits for a slow connection.
  private mutating func steal(_ turn: inout Turn) -> ByteRange? {
    guard isSplittable, let run, run.pace == nil, let victim = slowest(run, turn) else { return nil }
    let claim = run.transfers[victim].claim
    let middle = claim.lowerBound + segmentLength(run.transfers[victim].remaining, pieces: 2)
    self.run?.transfers[victim].claim = claim.lowerBound..<middle
    turn.perform(.cut(run.transfers[victim].id, end: middle))
    return middle..<claim.upperBound
  }

  /// Takes what it still lacks from the slowest transfer to another source, however little: a slow mirror does not hold up the end.
  private mutating func relieve(_ source: Int, _ turn: inout Turn) -> ByteRange? {
    guard let run, run.sources.count > 1, run.sources[source].isProven else { return nil }
    let victim = run.transfers.filter { $0.source != source && $0.isAccepted && $0.remaining > 0 }
      .max { $0.secondsLeft(turn.now) < $1.secondsLeft(turn.now) }
    guard let victim, victim.startedAt + Self.warmUp <= turn.now,
      victim.secondsLeft(turn.now) > max(Self.patience, 2 * seconds(for: victim.remaining, at: source, turn.now))
    else { return nil }
    self.run?.transfers.removeAll { $0.id == victim.id }
    turn.perform(.stop(victim.id))
    rest(victim.source, .stalled(seconds: Int(Self.patience)), nil, &turn)
    note(
      "\(name(of: victim.source)) is slow: its last \(ByteCount.text(victim.remaining)) go to another", now: turn.now)
    return victim.claim
  }

  /// Takes what it still lacks from a transfer that has fallen silent at the end, too little to be shared: what is lost on the way comes
  /// sooner over a connection that works. A limit makes silence too.
  private mutating func takeOver(at source: Int, _ turn: inout Turn) -> ByteRange? {
    guard let run, run.idle > 0, turn.settings.rateLimit == nil,
      (request.rateLimit ?? turn.settings.rateLimitEach) == nil
    else { return nil }
    let victim = run.transfers.first {
      $0.isSilent && $0.source == source && $0.isAccepted && $0.remaining > 0 && !isWorthSharing($0, run, turn)
    }
    guard let victim else { return nil }
    self.run?.transfers.removeAll { $0.id == victim.id }
    self.run?.takeovers += 1
    turn.perform(.stop(victim.id))
    return victim.claim
  }

  /// So long may a transfer be silent while an idle connection could do its work; longer, the more often that was of no use.
  private func silence(_ run: Run) -> Duration {
    max(run.latency * 4, .seconds(Self.leastHelp)) * (1 << min(run.takeovers, 16))
  }

  /// When the next one has been silent for too long; nil as long as that changes nothing.
  var endOfSilence: Duration? {
    guard let run, run.idle > 0, run.transfers.count < run.allowed else { return nil }
    return run.transfers.lazy.filter { !$0.isSilent && $0.isAccepted }.map { $0.lastProgress + silence(run) }.min()
  }

  mutating func noticeSilence(_ now: Duration) {
    guard let run, let first = endOfSilence, first <= now else { return }
    let limit = silence(run)
    for index in run.transfers.indices where run.transfers[index].lastProgress + limit <= now {
      self.run?.transfers[index].isSilent = true
    }
  }

  /// How long that source would take, as far as that can be told.
  private func seconds(for bytes: Int64, at source: Int, _ now: Duration) -> Double {
    guard let run else { return .infinity }
    let present = run.transfers.filter { $0.source == source }.map { $0.meter.rate(now: now) }.max() ?? 0
    return run.latency.seconds + Double(bytes) / Double(max(run.sources[source].rate, present, 1))
  }

  /// Looks at whether one connection is still enough, or several are better than one.
  mutating func lookAtPace(_ turn: inout Turn) {
    guard case .flowing = run?.phase, let run, let due = run.pace?.due, due <= turn.now else { return }
    guard isSplittable else {
      self.run?.pace?.begin(latency: run.latency, now: turn.now)
      return
    }
    let remaining = missing.count
    switch self.run?.pace?.judge(remaining: remaining, latency: run.latency, now: turn.now) {
    case .wait, nil: break
    // What a second connection to one server brings says nothing about other servers.
    case .tryAnother(let length) where !hasMirrors: leave(max(length, turn.settings.minSplit), &turn)
    case .oneIsEnough(let rate): turn.sufficientHosts[origin.host] = rate
    case .all, .tryAnother: letAllCome(&turn)
    }
  }

  /// The first connection keeps its share, and the rest is free for the others.
  private mutating func letAllCome(_ turn: inout Turn) {
    run?.pace = nil
    guard let run, let remaining = run.transfers.first?.remaining else { return }
    leave(remaining - segmentLength(remaining, pieces: run.connectionLimit), &turn)
  }

  /// Takes so many bytes from the end of the first connection's claim, for others.
  private mutating func leave(_ length: Int64, _ turn: inout Turn) {
    guard let first = run?.transfers.first, first.isAccepted else { return }
    let kept = max(segmentLength(first.remaining - length, pieces: 1), turn.settings.minSplit)
    if kept < first.remaining { shorten(0, to: kept, &turn) }
  }

  /// Whether it has no connection and only waits for one.
  var isHungry: Bool {
    guard case .active = state, run?.transfers.isEmpty == true else { return false }
    switch run?.phase {
    case .asking, .flowing: return true
    case .finding, .creating, nil: return false
    }
  }

  /// Whether the transfer will make room by itself in a moment.
  static func isAboutToEnd(_ transfer: Transfer) -> Bool { transfer.isAccepted && transfer.remaining <= grain }

  /// Ends the longest of its claims after a few more bytes, so that somebody else gets the connection; what it gives up stays missing.
  mutating func makeRoom(at host: String, _ turn: inout Turn) {
    guard let run, run.transfers.count > 1,
      let longest = run.transfers.indices.filter({ run.transfers[$0].isAccepted && run.transfers[$0].host == host })
        .max(by: { run.transfers[$0].remaining < run.transfers[$1].remaining }),
      run.transfers[longest].remaining > 2 * Self.grain, run.transfers[longest].claim.upperBound < .max
    else { return }
    shorten(longest, to: Self.grain, &turn)
  }

  private mutating func shorten(_ index: Int, to length: Int64, _ turn: inout Turn) {
    guard let transfer = run?.transfers[index] else { return }
    let end = transfer.claim.lowerBound + length
    run?.transfers[index].claim = transfer.claim.lowerBound..<end
    turn.perform(.cut(transfer.id, end: end))
  }

  /// Whether somebody else may have its connection before its end. Bytes that come make it shorter.
  static func isLongerThanTurn(_ transfer: Transfer) -> Bool {
    transfer.isAccepted && transfer.claim.upperBound < .max && transfer.remaining / 2 > Int64(turn.lowerBound)
  }

  /// Others wait, and its host bears no more connections: after what comes over its only one in ten seconds it is somebody else's turn.
  mutating func endTurnSoon(at host: String, _ turn: inout Turn) {
    guard isSplittable, let index = run?.transfers.firstIndex(where: { $0.host == host && $0.isAccepted }),
      let transfer = run?.transfers[index]
    else { return }
    let pace = Double(transfer.meter.rate(now: turn.now))
    let length =
      pace > 0 ? Int64(min(max(pace * 10, Self.turn.lowerBound), Self.turn.upperBound)) : Int64(Self.turn.upperBound)
    guard transfer.claim.upperBound < .max, transfer.remaining / 2 > length else { return }
    shorten(index, to: length, &turn)
  }

  func segmentLength(_ length: Int64, pieces: Int) -> Int64 {
    let share = length / Int64(max(1, pieces))
    return max(Self.grain, (share + Self.grain - 1) / Self.grain * Self.grain)
  }
}
