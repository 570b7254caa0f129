// All bytes are there, and sums say that some are wrong. Who gave them is left, and only they are fetched again; where several gave of what is
// wrong, the leading source alone gives what it has not given yet, so that it is known the next time. Each round leaves a source, or is the one
// in which a source is asked alone or once more: it comes to an end.

extension Download {
  /// Fetches what is wrong again, from elsewhere where that can be. False when there is nobody left to ask.
  mutating func repair(after error: DownloadError, _ turn: inout Turn) -> Bool {
    guard let run, let total, resource?.coding == nil else { return false }
    let stretches = wrongStretches(error, total)
    guard !stretches.isEmpty, run.sources.count > 1 || error.isOfPieces else { return false }
    let wrong = ByteRangeSet(stretches)
    let (culprits, isUnclear) = blame(for: stretches)
    if culprits.contains(run.lead) { self.run?.forgiveDiffering() }
    guard culprits.isEmpty else { return replace(culprits, wrong, error, &turn) }
    guard isUnclear else { return fetchAgain(wrong, error, &turn) }
    guard !run.isAlone else { return false }
    self.run?.isAlone = true
    return fetchAgain(wrong.subtracting(run.sources[run.lead].given.ranges), error, &turn)
  }

  /// The sources still in use that gave a whole wrong stretch, and whether there is one that nobody gave alone.
  private func blame(for wrong: [ByteRange]) -> (culprits: Set<Int>, isUnclear: Bool) {
    guard let run, run.sources.count > 1 else { return ([0], false) }
    let givers = wrong.map { stretch in run.sources.indices.first { run.sources[$0].given.contains(stretch) } }
    return (Set(givers.compactMap(\.self).filter { !run.sources[$0].isDropped }), givers.contains(nil))
  }

  /// They are left, unless there is nobody else: then one of them is asked once more, for pieces, which are not many bytes.
  private mutating func replace(
    _ culprits: Set<Int>, _ wrong: ByteRangeSet, _ error: DownloadError, _ turn: inout Turn
  ) -> Bool {
    guard let run else { return false }
    if run.sources.indices.contains(where: { !culprits.contains($0) && !run.sources[$0].isDropped }) {
      for source in culprits.sorted() where source != run.lead { drop(source, error, &turn) }
      guard fetchAgain(wrong, error, &turn), culprits.contains(run.lead) else { return true }
      return passLead(after: error, &turn)
    }
    guard error.isOfPieces, culprits.contains(run.lead), !run.sources[run.lead].hasGivenWrong else { return false }
    self.run?.sources[run.lead].hasGivenWrong = true
    self.run?.isAlone = true
    return fetchAgain(wrong, error, &turn)
  }

  private mutating func fetchAgain(_ bytes: ByteRangeSet, _ error: DownloadError, _ turn: inout Turn) -> Bool {
    let words = "\(error.message): \(ByteCount.text(bytes.count)) are fetched again"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
    takeBack(bytes)
    state = .active
    run?.phase = .asking(partIsOpen: true)
    save(clean: false, &turn)
    return true
  }

  /// The stretches that cannot be right as they are, each of which has a sum of its own.
  private func wrongStretches(_ error: DownloadError, _ total: Int64) -> [ByteRange] {
    if error.condemnsBytes { return total > 0 ? [0..<total] : [] }
    guard case .wrongPieces(let pieces, _) = error else { return [] }
    return pieces.joined().compactMap { request.pieces?.range(of: $0, total: total) }
  }

  /// What is missing if the file cannot be finished for this reason.
  func condemned(by error: DownloadError) -> ByteRangeSet {
    let condemnsAll = error.condemnsBytes || error.isOfPieces && resource?.coding != nil
    guard let total, !condemnsAll else { return condemnsAll ? ByteRangeSet(0..<(total ?? .max)) : missing }
    return ByteRangeSet(missing.ranges + wrongStretches(error, total))
  }
}

extension Download.Run {
  /// What was compared with wrong bytes may be right.
  fileprivate mutating func forgiveDiffering() {
    for index in sources.indices where sources[index].standing == .differing { sources[index].standing = .unproven }
  }
}

extension DownloadError {
  fileprivate var isOfPieces: Bool { if case .wrongPieces = self { true } else { false } }
}
