/// What happened outside. Answers name the transfer or part they are about; one that is no longer known is late and means nothing.
package enum Event: Sendable {
  /// The answer to `.findPart`; nil when there is nothing to go on with.
  case found(PartID, Result<FoundPart?, DownloadError>)
  /// The answer to `.createPart`.
  case created(PartID, Result<CreatedPart, DownloadError>)
  /// The final answer's head; the body waits for `.accept` or `.stop`.
  case head(TransferID, ResponseHead)
  /// So many more bytes of the transfer's claim are written. Zero says that the rate limit alone holds it back.
  case received(TransferID, Int64)
  case ended(TransferID, TransferEnd)
  case saved(PartID, DownloadError?)
  /// The answer to `.finish`: the file has its final name.
  case finished(PartID, Result<FinishedFile, DownloadError>)
  /// Some deadline may have passed.
  case timePassed
}

/// An unfinished part file that is open and locked now.
package struct FoundPart: Sendable {
  package var partName: String
  package var sidecar: Sidecar
  /// The stretches to trust; no more than the sidecar claims.
  package var done: ByteRangeSet

  package init(partName: String, sidecar: Sidecar, done: ByteRangeSet) {
    self.partName = partName
    self.sidecar = sidecar
    self.done = done
  }
}

package enum CreatedPart: Sendable {
  case open(partName: String, name: String)
  /// The final name was taken by a file of the wanted size, and the user had asked to skip such files.
  case skipped(name: String)
}

package struct FinishedFile: Sendable, Equatable {
  package var name: String
  package var verification: Verification
  package init(name: String, verification: Verification) {
    self.name = name
    self.verification = verification
  }
}

package enum TransferEnd: Sendable {
  /// The server sent everything that it had announced, and its framing ended well.
  case complete
  /// The claim is full; the rest was not wanted.
  case filled
  case failed(DownloadError, retryAfter: Duration?)
}

/// What to do outside. The engine performs these in order and answers with events.
package enum Effect: Sendable, Equatable {
  case findPart(PartID, FindPart)
  case createPart(PartID, CreatePart)
  case startTransfer(TransferID, TransferPlan)
  /// The body holds `body` of the file: skip what lies before `claim`, store up to its end.
  case accept(TransferID, PartID, body: ByteRange, claim: ByteRange)
  /// The claim now ends earlier.
  case cut(TransferID, end: Int64)
  case stop(TransferID)
  /// Empties the part: what is in it belongs to another version of the file.
  case emptyPart(PartID, total: Int64?)
  case save(PartID, Sidecar)
  case finish(PartID, FinishPart)
  case closePart(PartID)
  /// Deletes the open part with its sidecar.
  case discardPart(PartID)
  /// Deletes a part that nobody has open, with its sidecar.
  case deletePart(folder: String, partName: String)
  case notify(Notice)
  /// Order, settings or a state changed: the session file is out of date.
  case saveSession
}

package struct FindPart: Sendable, Equatable {
  package var folder: String
  package var url: String
  /// The name the user chose: only a part of that name will do.
  package var name: String?
  /// The part that this download had last time.
  package var partName: String?
}

package struct CreatePart: Sendable, Equatable {
  package var folder: String
  package var name: String
  package var total: Int64?
  package var preallocate: Bool
  package var ifExists: Settings.IfExists
}

package struct FinishPart: Sendable, Equatable {
  package var folder: String
  package var name: String
  /// The promised size; nil when there was no promise.
  package var total: Int64?
  package var checksum: Checksum?
  package var ifExists: Settings.IfExists
}

package struct TransferPlan: Sendable, Equatable {
  package var download: DownloadID
  package var request: Request
  package var asked: Asked
}
