// The same file at several addresses. One source leads: its word on what the file is counts, and its validators guard the ranges. The others
// help with one request at a time each (RFC 6249 §7), bounded together with the leading one's by the download's connections. Nothing ties the
// bytes of two servers to each other but the bytes themselves (equal ETags of different addresses prove nothing, RFC 9110 §8.8.1): a source
// first has to send some that are on the disk already, and those before each of its stretches are compared, too. Who sends others is left, and
// what it gave is fetched again; who fails rests, and where the leading one fails another one leads.

extension Download.Run {
  /// Where redirects led the leading source's first accepted answer.
  var target: Address? {
    get { sources[lead].target }
    set { sources[lead].target = newValue }
  }

  mutating func leadRests(until end: Duration?) { sources[lead].restsUntil = end }

  /// Nothing is known about the file any more.
  mutating func forgetProofs() {
    for index in sources.indices {
      if !sources[index].isDropped { sources[index].standing = .unproven }
      sources[index].resource = nil
      sources[index].given = ByteRangeSet()
    }
  }
}

extension Download {
  private static let networkRest = Duration.seconds(2)
  /// Nobody waits for a mirror, so it need not be tried at every moment, whatever is wanted of attempts.
  private static let shortestRest = Duration.milliseconds(500)
  /// So many bytes have to be missing before it is worth to ask a mirror whether it has the file.
  private static let worthProving: Int64 = 2 << 20

  // MARK: Who may be asked

  /// Whether one more transfer may be started there, as far as the download goes.
  func mayStart(at source: Int) -> Bool {
    guard case .active = state, let run else { return false }
    switch run.phase {
    case .finding, .creating: return false
    case .asking: return source == run.lead && run.transfers.isEmpty
    case .flowing: break
    }
    guard isSplittable else { return source == run.lead && run.transfers.isEmpty }
    guard run.transfers.count < run.allowed, joins(source), !isLookingUp(source) else { return false }
    let own = run.transfers.count { $0.source == source }
    guard own < share(of: source) else { return false }
    return run.sources[source].isProven || own == 0 && missing.count >= Self.worthProving && proofEnd != nil
  }

  /// Without a validator of its own it cannot go on in the middle of the file: it waits until it may lead.
  private func joins(_ source: Int) -> Bool {
    guard let run, run.sources[source].isUsable else { return false }
    if source == run.lead { return true }
    return !run.isAlone && (!run.sources[source].isProven || known(at: source)?.isProvable == true)
  }

  /// The first address has what the mirrors do not need; those get one request at a time.
  private func share(of source: Int) -> Int {
    guard source == 0, let run else { return 1 }
    return max(1, run.allowed - run.sources.indices.dropFirst().count(where: joins))
  }

  var hasMirrors: Bool { run?.sources.count ?? 1 > 1 }

  /// The hosts of those sources besides the leading one that a transfer may be started at.
  var mirrorHosts: [String] {
    guard hasMirrors, let run else { return [] }
    return run.sources.indices.filter { $0 != run.lead && mayStart(at: $0) }.map { run.sources[$0].next.host }
  }

  /// Whether a mirror has only waited for bytes on the disk that it can be compared with.
  var canProveMirror: Bool {
    guard hasMirrors, let run, run.transfers.count < run.allowed else { return false }
    return run.sources.indices.contains { $0 != run.lead && !run.sources[$0].isProven && mayStart(at: $0) }
  }

  /// What is known of the file where that source is concerned.
  func known(at source: Int) -> Resource? {
    guard let run, source != run.lead else { return resource }
    return run.sources[source].resource ?? resource?.withoutValidators
  }

  // MARK: Proofs

  /// Whether it first has to show that it has the bytes that are on the disk.
  func needsProof(_ source: Int) -> Bool { resource != nil && run?.sources[source].isProven == false }

  /// Where a stretch ends that is long enough to compare a source by, and that no mirror gave as long as there is such a one.
  var proofEnd: Int64? {
    guard let run, let total else { return nil }
    let done = missing.complement(in: 0..<total)
    let mirrors = run.sources.indices.filter { $0 != run.lead && run.sources[$0].standing != .original }
    let mirrored = mirrors.flatMap { run.sources[$0].given.ranges }
    return Self.proofEnd(in: done.subtracting(mirrored)) ?? (needsProof(run.lead) ? Self.proofEnd(in: done) : nil)
  }

  private static func proofEnd(in done: ByteRangeSet) -> Int64? {
    done.ranges.first { $0.upperBound - $0.lowerBound >= proof }?.upperBound
  }

  /// All bytes that were asked for to compare are those on the disk.
  mutating func proven(_ source: Int, _ turn: inout Turn) {
    guard let run, case .unproven = run.sources[source].standing else { return }
    self.run?.sources[source].standing = .compared
    if source == run.lead { resource = run.sources[source].resource ?? resource }
    note("\(name(of: source)) has the same file", now: turn.now)
  }

  /// A transfer brought bytes that are others than those on the disk. The source that more hangs on is believed, and in doubt none.
  mutating func differs(_ index: Int, _ turn: inout Turn) {
    guard let run, let transfer = self.run?.transfers.remove(at: index) else { return }
    let why = "the bytes on the disk are not those that the server has"
    let compared = transfer.claim.lowerBound - transfer.overlap..<transfer.claim.lowerBound
    // What was taken back in the meantime says nothing.
    if missing.ranges.contains(where: { $0.overlaps(compared) }) { return }
    let givers = run.sources.indices.filter { $0 != transfer.source && gave($0, in: compared) }
    let own = run.sources[transfer.source].standing.weight
    let weight = givers.map { run.sources[$0].standing.weight }.max() ?? Source.Standing.original.weight
    let isLead = transfer.source == run.lead
    if givers.isEmpty, isLead { return askAgain(why: why, &turn) }
    for giver in givers where own > weight || own == weight && giver != run.lead {
      if giver == run.lead { lead(by: transfer.source, &turn) }
      expel(giver, .changed("other bytes than another source"), &turn)
    }
    guard own <= weight, !(isLead && own == weight) else { return }
    guard isLead else { return expel(transfer.source, .changed(why), &turn) }
    guard passLead(after: .changed(why), &turn) else { return askAgain(why: why, &turn) }
    expel(transfer.source, .changed(why), &turn)
  }

  /// Whether bytes of that stretch came from there.
  private func gave(_ source: Int, in stretch: ByteRange) -> Bool {
    run?.sources[source].given.ranges.contains { $0.overlaps(stretch) } ?? false
  }

  /// Bytes on the disk that cannot be trusted are missing again.
  mutating func takeBack(_ bytes: ByteRangeSet) {
    for range in bytes.ranges {
      missing.insert(range)
      for source in run?.sources.indices ?? 0..<0 { run?.sources[source].given.remove(range) }
    }
  }

  // MARK: Answers of mirrors

  /// The head of an answer of a source that does not lead. It has to fit to what is known; nothing else than leaving the source comes of it.
  mutating func mirrorAnswered(_ index: Int, _ head: ResponseHead, _ turn: inout Turn) {
    guard let transfer = run?.transfers[index], let known = known(at: transfer.source) else { return }
    switch Resource.judge(head, asked: transfer.asked, known: known) {
    case .goOn(let seen, let body) where seen.sendsRanges:
      if run?.sources[transfer.source].resource == nil {
        run?.sources[transfer.source].resource = seen.validated(by: Resource(describing: head))
      }
      accept(index, body: body, &turn)
    case .startOver(let seen, let why) where known.difference(to: seen) != nil:
      expel(transfer.source, .changed(why), &turn)
    case .goOn, .startOver: leave(transfer, .badAnswer("the server ignored the range"), &turn)
    case .askAgain(let why): expel(transfer.source, .changed(why), &turn)
    case .compare(let why), .askPlainly(let why): leave(transfer, .badAnswer(why), &turn)
    case .empty, .end: leave(transfer, .badAnswer("an empty body instead of the file"), &turn)
    case .refuse(let error): lose(transfer.id, error, retryAfter: head.retryAfter, stop: true, &turn)
    }
  }

  private mutating func leave(_ transfer: Transfer, _ error: DownloadError, _ turn: inout Turn) {
    lose(transfer.id, error, retryAfter: nil, stop: true, &turn)
  }

  // MARK: Leaving

  /// A mirror's transfer is gone: it rests, longer each time, or is dropped if it cannot be hoped to do better.
  mutating func loseMirror(_ source: Int, _ error: DownloadError, _ retryAfter: Duration?, _ turn: inout Turn) {
    guard error.isTransient else { return drop(source, error, &turn) }
    rest(source, error, retryAfter, &turn)
    guard run?.sources[source].failures == 1 else { return }
    let words = "\(name(of: source)) is left for a while: \(error.message)"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
  }

  mutating func rest(_ source: Int, _ error: DownloadError, _ retryAfter: Duration?, _ turn: inout Turn) {
    var policy = turn.settings.retry
    policy.attempts = 0
    run?.sources[source].target = nil
    guard error != .networkDown else {
      run?.sources[source].restsUntil = turn.now + Self.networkRest
      return
    }
    run?.sources[source].failures += 1
    let failures = run?.sources[source].failures ?? 1
    let wait = policy.wait(before: failures, jitter: turn.numbers.jitter(), retryAfter: retryAfter)
    run?.sources[source].restsUntil = turn.now + max(wait ?? .zero, Self.shortestRest)
  }

  mutating func drop(_ source: Int, _ error: DownloadError, _ turn: inout Turn) {
    guard let run, !run.sources[source].isDropped else { return }
    self.run?.sources[source].standing = error.isChange ? .differing : .dropped
    for transfer in run.transfers where transfer.source == source {
      self.run?.transfers.removeAll { $0.id == transfer.id }
      turn.perform(.stop(transfer.id))
    }
    let words = "\(name(of: source)) is left, \(error.ofMirror)"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
  }

  /// It has another file, so nothing stays of what it gave.
  mutating func expel(_ source: Int, _ error: DownloadError, _ turn: inout Turn) {
    drop(source, error, &turn)
    guard let given = run?.sources[source].given, !given.isEmpty else { return }
    note("\(ByteCount.text(given.count)) that it gave are fetched again", now: turn.now)
    takeBack(given)
    // After a crash nobody would know whose they are.
    save(clean: false, &turn)
  }

  mutating func endRests(_ now: Duration) {
    for index in run?.sources.indices ?? 0..<0 where run?.sources[index].restsUntil.map({ $0 <= now }) == true {
      run?.sources[index].restsUntil = nil
    }
  }

  /// When a source may be asked again, while that makes a difference.
  var firstEndOfRest: Duration? {
    guard hasMirrors, let run else { return nil }
    return run.sources.compactMap { $0.isDropped ? nil : $0.restsUntil }.min()
  }

  /// The address of the source that the transfer asks.
  func address(of transfer: TransferID) -> String? {
    run?.transfers.first { $0.id == transfer }.flatMap { run?.sources[$0.source].address.url }
  }

  func name(of source: Int) -> String {
    let host = run?.sources[source].address.host ?? ""
    return source == 0 ? host : "the mirror \(host)"
  }
}

extension DownloadError {
  /// Why a mirror is left.
  var ofMirror: String {
    if case .changed(let why) = self { "it has another file: \(why)" } else { message }
  }
}
