// All bytes are there: what is checked before the file gets its name, and what becomes of it.

extension Download {
  mutating func verify(_ turn: inout Turn) {
    guard let part = run?.part else { return }
    stopTransfers(&turn)
    if let fault = total.flatMap(faultInSize) {
      (missing, foundEnd) = (ByteRangeSet(Self.everything), nil)
      return fail(fault, &turn)
    }
    let wanted = finishPart(turn.settings)
    // What takes long must not cost what came since the last save if it ends in a crash.
    if run?.hasSidecar == true, isReadAgain(turn.settings) { save(clean: false, &turn) }
    run?.saveAt = nil
    state = .verifying
    turn.notify(id, .verifying)
    turn.perform(.finish(part, wanted))
  }

  private func finishPart(_ settings: Settings) -> FinishPart {
    FinishPart(
      folder: request.folder, name: name, total: total, coding: resource?.coding, checksum: request.checksum,
      pieces: request.pieces, sumsFor: findsChecksum ? leadRequest : nil, digest: resource?.digest,
      otherwise: otherwiseVerified, ifExists: settings.ifExists,
      modified: settings.remoteTime ? resource?.lastModifiedSeconds : nil, keepsOld: trust.keepsOld)
  }

  /// Whether the complete file has to be read before it gets its name.
  func isReadAgain(_ settings: Settings) -> Bool { findsChecksum || finishPart(settings).isRead }

  /// As it asks the source that leads.
  private var leadRequest: Request { request.addressed(to: run.map { $0.sources[$0.lead].address.url } ?? request.url) }

  /// Why a file of that size cannot be the one that was asked for.
  func faultInSize(_ total: Int64) -> DownloadError? {
    if let size = request.size, size != total { return .badAnswer("its size is \(total), wanted is \(size)") }
    guard request.pieces?.fits(total: total) == false else { return nil }
    return .badAnswer("its size is \(total), which is not that of its pieces")
  }

  private var findsChecksum: Bool { request.findsChecksum == true && request.checksum == nil }

  private var otherwiseVerified: Verification {
    if trust.isOverlapOnly { return .overlap }
    return resource?.total == nil ? .nothing : .size
  }

  mutating func finished(_ result: Result<FinishedFile, DownloadError>, _ turn: inout Turn) {
    guard case .verifying = state else { return }
    switch result {
    case .success(let file):
      endRun(.close, &turn)
      complete(file, &turn)
    case .failure(let error):
      if repair(after: error, &turn) { return }
      missing = condemned(by: error)
      // What is on the disk is kept, whatever it is worth: it is no empty successor of something else.
      run?.hasSidecar = true
      run?.former = nil
      run?.phase = .flowing
      fail(error, &turn)
    }
  }

  mutating func complete(_ file: FinishedFile, _ turn: inout Turn) {
    name = file.name
    partName = nil
    state = .completed(file.verification)
    note("complete: \(file.verification.sentence)", now: turn.now)
    if let remark = file.remark {
      note(remark, now: turn.now)
      turn.notify(id, .warning(remark))
    }
    let seconds = (turn.now - (startedAt ?? turn.now)).seconds
    turn.notify(
      id,
      .completed(
        path: request.folder + "/" + name, total: completedBytes, seconds: seconds, verification: file.verification))
    turn.perform(.saveSession)
  }
}
