/// What happened outside. Answers name the transfer or part they are about; one that is no longer known is late and means nothing.
package enum Event: Sendable {
  /// The answer to `.findPart`.
  case found(PartID, Result<FoundPart, DownloadError>)
  /// The answer to `.createPart`.
  case created(PartID, Result<CreatedPart, DownloadError>)
  /// The answer to `.replacePart`: an empty part, and its name.
  case replaced(PartID, Result<String, DownloadError>)
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
  /// The whole process stood still (stopped, or the machine slept): no silence in that time is anyone's fault.
  case stoodStill
}

package enum FoundPart: Sendable {
  /// There is nothing to go on with; `warning` says so when there was something that cannot be used.
  case nothing(warning: String?)
  /// An unfinished part file, open and locked now. `done` is what can be trusted of what its sidecar claims.
  case leftover(partName: String, Sidecar, done: ByteRangeSet)
}

package enum CreatedPart: Sendable {
  case open(partName: String, name: String)
  /// The final name was taken by a file of the wanted size, if one was known, and the user had asked to skip such files.
  case skipped(name: String)
}

package struct FinishedFile: Sendable, Equatable {
  package var name: String
  package var verification: Verification
  /// What there is to say about that, in words.
  package var remark: String?
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
  /// The bytes that were fetched again to compare are not those on the disk.
  case differs
  case failed(DownloadError, retryAfter: Duration?)
}

/// What to do outside. The engine performs these in order and answers with events.
package enum Effect: Sendable, Equatable {
  case findPart(PartID, FindPart)
  case createPart(PartID, CreatePart)
  case startTransfer(TransferID, TransferPlan)
  case accept(TransferID, Acceptance)
  /// The claim now ends earlier.
  case cut(TransferID, end: Int64)
  case stop(TransferID)
  /// The part's bytes belong to another version of the file: keeps them aside and makes an empty part.
  case replacePart(PartID, total: Int64?)
  case save(PartID, Sidecar)
  case finish(PartID, FinishPart)
  case closePart(PartID)
  /// Deletes the open part with its sidecar. Older bytes that were kept aside go too, or take its place again.
  case discardPart(PartID, restoringOld: Bool)
  /// Deletes a part that nobody has open, with its sidecar.
  case deletePart(folder: String, partName: String)
  /// Deletes a finished file, if it still is a plain file of that size (where one is given).
  case deleteFile(folder: String, name: String, size: Int64?)
  /// Bytes per second for the download's transfers, those in flight too; nil is no limit.
  case limit(DownloadID, Int64?)
  case notify(Notice)
  /// Order, settings or a state changed: the session file is out of date.
  case saveSession
}

/// What to do with the body of an answer that is accepted.
package struct Acceptance: Sendable, Equatable {
  package var part: PartID
  /// What of the file the body holds.
  package var body: ByteRange
  /// The last so many bytes before the claim must equal those on the disk; what lies before them is skipped.
  package var overlap: Int64
  /// What to store.
  package var claim: ByteRange
  /// Whether all of the file will be read once it is there: then it should be in the page cache.
  package var isReadAgain = false
}

package struct FindPart: Sendable, Equatable {
  package var folder: String
  /// The addresses that the file has or had: one of them is the part's.
  package var urls: [String]
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
  /// The size that was promised, or else found.
  package var total: Int64?
  /// The coding to undo: what is on the disk are the coded bytes.
  package var coding: String?
  /// What the user wants the file to be.
  package var checksum: Checksum?
  /// The sums of its pieces; the file without its coding is meant here, too.
  package var pieces: PieceSums?
  /// Whose sum is to be looked for in lists beside the file.
  package var sumsFor: Request?
  /// What the server promised that its bytes, coded as they are, would be.
  package var digest: Checksum?
  /// What the file counts as verified by when there is no sum.
  package var otherwise: Verification
  package var ifExists: Settings.IfExists
  /// The modification time that it gets, in seconds since 1970; nil leaves it.
  package var modified: Int64?
  /// Whether the bytes of an older version that were kept aside stay there.
  package var keepsOld: Bool

  /// What the file counts as verified by when it is finished.
  package var verification: Verification {
    if let checksum { return .checksum(checksum.algorithm) }
    if let pieces { return .pieces(pieces.algorithm, count: pieces.sums.count) }
    return digest.map { .checksum($0.algorithm) } ?? otherwise
  }

  /// Whether the bytes have to be read again before they are the file.
  package var isRead: Bool { coding != nil || checksum != nil || pieces != nil || digest != nil }
}

package struct TransferPlan: Sendable, Equatable {
  package var download: DownloadID
  package var request: Request
  package var asked: Asked
  /// Whether passwords from a netrc file may be sent there.
  package var usesNetrc: Bool

  package init(download: DownloadID, request: Request, asked: Asked, usesNetrc: Bool) {
    (self.download, self.request, self.asked, self.usesNetrc) = (download, request, asked, usesNetrc)
  }
}
