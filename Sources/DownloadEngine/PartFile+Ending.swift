import DownloadCore
import Glibc
import Synchronization

// How a part file ends: it becomes the file, it makes room for another version, or it goes away.

extension PartFile {
  /// Gives the file its final name, durably: sync, verify, rename without replacing, sync the folder, remove the sidecar.
  func finish(_ wanted: FinishPart, _ isCancelled: () -> Bool) throws(DownloadError) -> FinishedFile {
    try checkWhole(wanted)
    try sync()
    let whole = wanted.coding == nil ? self : try decoded(isCancelled: isCancelled)
    try verify(wanted, whole, isCancelled)
    let name = try whole.moveIntoPlace(wanted)
    if let fault = Self.syncFolder(folder) { throw fault }
    if whole !== self { try remove() }
    try leaveNothing(keepsOld: wanted.keepsOld)
    whole.setModified(wanted.modified)
    return FinishedFile(name: name, verification: wanted.verification)
  }

  /// Sums of the whole come first. Those of its pieces count where no sum of the whole was asked for, and else tell which bytes are wrong.
  private func verify(_ wanted: FinishPart, _ whole: PartFile, _ isCancelled: () -> Bool) throws(DownloadError) {
    do throws(DownloadError) {
      if let digest = wanted.digest { try check(digest, isCancelled) }
      if let checksum = wanted.checksum { try whole.check(checksum, isCancelled) }
    } catch {
      if case .checksumMismatch = error, let pieces = wanted.pieces { try whole.check(pieces, isCancelled) }
      throw error
    }
    if wanted.checksum == nil, let pieces = wanted.pieces { try whole.check(pieces, isCancelled) }
  }

  /// - Throws: `wrongPieces` with all that are wrong.
  private func check(_ pieces: PieceSums, _ isCancelled: () -> Bool) throws(DownloadError) {
    let wrong = try Digest.wrongPieces(of: self, pieces, isCancelled: isCancelled)
    if !wrong.isEmpty { throw .wrongPieces(wrong, of: pieces.sums.count) }
  }

  func checkWhole(_ wanted: FinishPart) throws(DownloadError) {
    guard try isInPlace() else { throw .cannotOpen(path: path, why: "it was removed or exchanged") }
    guard let total = wanted.total else { return }
    let size = try size()
    if size > total { try truncate(to: total) }
    if size < total { throw .incomplete(missing: total - size) }
  }

  private func check(_ wanted: Checksum, _ isCancelled: () -> Bool) throws(DownloadError) {
    let sum = try Digest.hex(of: self, wanted.algorithm, isCancelled: isCancelled)
    guard sum == wanted.hex else { throw .checksumMismatch(expected: wanted.hex, got: sum) }
  }

  private func decoded(isCancelled: () -> Bool) throws(DownloadError) -> PartFile {
    let name = self.name + ".decoded"
    unlink(folder + "/" + name)
    guard let plain = try PartFile.create(folder: folder, name: name) else {
      throw .fileExists(path: folder + "/" + name)
    }
    do throws(DownloadError) {
      try Inflater.inflate(self, into: plain, isCancelled: isCancelled)
      try plain.sync()
      return plain
    } catch {
      unlink(plain.path)
      throw error
    }
  }

  func moveIntoPlace(_ wanted: FinishPart) throws(DownloadError) -> String {
    for number in 0..<Self.mostNumbers {
      let name = FileName.numbered(wanted.name, number)
      let target = wanted.folder + "/" + name
      do throws(SystemFault) {
        switch wanted.ifExists {
        case .overwrite: try retrying { rename(path, target) }
        case .rename, .skip, .fail: try FileSystem.renameNew(path, target)
        }
        return name
      } catch {
        guard error.number == EEXIST, wanted.ifExists == .rename || wanted.ifExists == .skip else {
          throw error.number == EEXIST ? .fileExists(path: target) : .cannotCreate(path: target, why: error.text)
        }
      }
    }
    throw .fileExists(path: wanted.folder + "/" + wanted.name)
  }

  /// Makes the new names durable, before what would allow to start again is removed.
  static func syncFolder(_ folder: String) -> DownloadError? {
    do throws(SystemFault) { try FileSystem.syncFolder(folder) } catch {
      return .cannotWrite(path: folder, why: error.text)
    }
    return nil
  }

  /// Whether everything dirty on the file systems of these parts is on the disk now. False where that cannot be told.
  static func syncFileSystems(of parts: some Sequence<PartFile>) -> Bool {
    var synced: Set<UInt64> = []
    for part in parts {
      guard let device = part.device else { return false }
      if synced.insert(device).inserted, !part.syncFileSystem() { return false }
    }
    return true
  }

  private func remove() throws(DownloadError) {
    do throws(SystemFault) { try FileSystem.remove(path) } catch { throw .cannotWrite(path: path, why: error.text) }
  }

  /// Removes what would allow to start again.
  func leaveNothing(keepsOld: Bool) throws(DownloadError) {
    guard record.withLock({ $0.hasCompany }) else { return }
    do throws(SystemFault) {
      if !keepsOld { try removeOld() }
      try SidecarStore.remove(ofPart: path)
    } catch {
      throw .cannotWrite(path: folder, why: error.text)
    }
  }

  // MARK: Older bytes

  private var oldPath: String { folder + "/" + FileName.old(ofPart: name) }

  private func removeOld() throws(SystemFault) {
    guard FileSystem.isTaken(oldPath) else { return }
    try FileSystem.remove(oldPath)
    try SidecarStore.remove(ofPart: oldPath)
  }

  /// Sets this part aside and returns an empty one of the same name. Where older bytes wait already, the larger of the two stays.
  func replaced(total: Int64?, preallocate: Bool) throws(DownloadError) -> PartFile {
    do throws(SystemFault) {
      if FileSystem.isTaken(oldPath), Self.worth(path) <= Self.worth(oldPath) {
        try FileSystem.remove(path)
        try SidecarStore.remove(ofPart: path)
      } else {
        try FileSystem.remove(oldPath)
        try SidecarStore.remove(ofPart: oldPath)
        try FileSystem.renameNew(path, oldPath)
        try SidecarStore.move(ofPart: path, to: oldPath)
      }
    } catch {
      throw .cannotWrite(path: path, why: error.text)
    }
    guard let fresh = try PartFile.create(folder: folder, name: name) else { throw .fileExists(path: path) }
    if preallocate, let total { try fresh.reserve(total) }
    return fresh
  }

  private static func worth(_ path: String) -> Int64 {
    switch Result(catching: { () throws(DownloadError) in try SidecarStore.read(ofPart: path) }) {
    case .success(let sidecar?): sidecar.doneRanges.count
    case .success(nil), .failure: 0
    }
  }

  /// Removes the part with its sidecar, and older bytes too unless they are to take its place again.
  func discard(restoringOld: Bool) throws(DownloadError) {
    do throws(SystemFault) {
      try FileSystem.remove(path)
      try SidecarStore.remove(ofPart: path)
      guard FileSystem.isTaken(oldPath) else { return }
      guard restoringOld else { return try removeOld() }
      try FileSystem.renameNew(oldPath, path)
      try SidecarStore.move(ofPart: oldPath, to: path)
    } catch {
      throw .cannotWrite(path: path, why: error.text)
    }
  }

  func removeSidecar() throws(DownloadError) {
    do throws(SystemFault) { try SidecarStore.remove(ofPart: path) } catch {
      throw .cannotWrite(path: path, why: error.text)
    }
  }
}
