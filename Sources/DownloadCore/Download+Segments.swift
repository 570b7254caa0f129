// Resume, retry, splitting and stealing are one question: which stretch of the missing bytes does the next transfer claim?

extension Download {
  /// Segment borders lie on multiples of this, so that writes stay aligned.
  private static let grain: Int64 = 64 << 10

  func wantedConnections(_ settings: Settings) -> Int { max(1, min(32, request.connections ?? settings.connections)) }

  /// Starts as many transfers as the download may have; `slots` is what its host still allows.
  mutating func startTransfers(slots: inout Int, _ turn: inout Turn) {
    guard case .active = state else { return }
    while slots > 0, mayStartTransfer, let claim = claimSegment(turn.settings, &turn) {
      startTransfer(claim, &turn)
      slots -= 1
    }
  }

  private var mayStartTransfer: Bool {
    guard let run else { return false }
    switch run.phase {
    case .finding, .creating: return false
    case .asking: return run.transfers.isEmpty
    case .flowing: return run.transfers.count < (isSplittable ? run.connectionLimit : 1)
    }
  }

  private mutating func startTransfer(_ claim: ByteRange, _ turn: inout Turn) {
    let id = TransferID(turn.numbers.next())
    let asked = Asked(claim, ifRange: claim.lowerBound == 0 && resource == nil ? nil : resource?.validator.ifRange)
    run?.transfers.append(Transfer(id: id, asked: asked, claim: claim, now: turn.now))
    turn.perform(.startTransfer(id, TransferPlan(download: self.id, request: request, asked: asked)))
  }

  /// A free gap (its fair share where several transfers may come), else half of what the longest claim still lacks.
  private mutating func claimSegment(_ settings: Settings, _ turn: inout Turn) -> ByteRange? {
    guard let run else { return nil }
    if let resource, resource.validator.ifRange == nil, run.transfers.isEmpty { startFromZero(&turn) }
    let free = missing.subtracting(run.transfers.map(\.claim))
    guard let gap = free.first else { return steal(settings, &turn) }
    guard isSplittable, gap.upperBound < .max else { return gap }
    let length = segmentLength(gap.upperBound - gap.lowerBound, pieces: run.connectionLimit - run.transfers.count)
    return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + max(length, settings.minSplit))
  }

  /// Without a strong validator nothing could show that later bytes belong to those on the disk.
  private mutating func startFromZero(_ turn: inout Turn) {
    if completedBytes > 0 { note("starts over: nothing proves that the file is still the same", now: turn.now) }
    resource = nil
    foundEnd = nil
    missing = ByteRangeSet(Self.everything)
    if case .flowing = run?.phase { run?.phase = .asking(partIsOpen: true) }
  }

  private mutating func steal(_ settings: Settings, _ turn: inout Turn) -> ByteRange? {
    guard isSplittable, let run,
      let victim = run.transfers.indices.filter({ run.transfers[$0].isAccepted })
        .max(by: { run.transfers[$0].remaining < run.transfers[$1].remaining }),
      run.transfers[victim].remaining >= 2 * max(settings.minSplit, Self.grain)
    else { return nil }
    let claim = run.transfers[victim].claim
    let middle = claim.lowerBound + segmentLength(run.transfers[victim].remaining, pieces: 2)
    self.run?.transfers[victim].claim = claim.lowerBound..<middle
    turn.perform(.cut(run.transfers[victim].id, end: middle))
    return middle..<claim.upperBound
  }

  func segmentLength(_ length: Int64, pieces: Int) -> Int64 {
    let share = length / Int64(max(1, pieces))
    return max(Self.grain, (share + Self.grain - 1) / Self.grain * Self.grain)
  }
}
