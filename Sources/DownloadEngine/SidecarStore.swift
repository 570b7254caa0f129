import DownloadCore
import FoundationEssentials
import Glibc
import Synchronization

/// Sidecars on the disk: one JSON file beside each part file, replaced all at once, with the copy before it kept.
package enum SidecarStore {
  private static let largest = 64 << 20
  private static let suffix = ".part.json"
  /// What a sidecar takes on the disk, hardly ever more.
  private static let mostNews: Int64 = 512 << 10

  /// - Throws: `badSidecar` when there is one that cannot be used. Nil when there is none.
  static func read(ofPart partPath: String) throws(DownloadError) -> Sidecar? {
    do throws(DownloadError) {
      if let sidecar = try readOne(FileName.sidecar(ofPart: partPath)) { return sidecar }
    } catch {
      let before = Result { () throws(DownloadError) in try readOne(FileName.previousSidecar(ofPart: partPath)) }
      if case .success(let previous?) = before { return previous }
      throw error
    }
    return nil
  }

  private static func readOne(_ path: String) throws(DownloadError) -> Sidecar? {
    let bytes: [UInt8]
    do throws(SystemFault) { bytes = try FileSystem.read(path, limit: largest) } catch {
      if error.number == ENOENT { return nil }
      throw .badSidecar(path: path, why: error.text)
    }
    let sidecar: Sidecar
    do { sidecar = try JSONDecoder().decode(Sidecar.self, from: Data(bytes)) } catch {
      throw .badSidecar(path: path, why: "it is not the JSON that was expected")
    }
    if let fault = sidecar.fault { throw .badSidecar(path: path, why: fault) }
    return sidecar
  }

  /// Syncs the part, then describes it: a sidecar never claims a byte that is not on the disk. One that claims none, of a new part that
  /// nothing depends on, is not synced: it only keeps the part from lying there for ever when the program is killed in its first seconds.
  static func save(_ sidecar: Sidecar, _ part: PartFile) throws(DownloadError) {
    let isDurable = mustLast(sidecar, part)
    if isDurable { try part.sync() }
    do throws(DownloadError) { try write(sidecar, part, isDurable: isDurable) } catch {
      guard case .diskFull = error, sidecar.clean else { throw error }
      try saveOnFullDisk(sidecar, part)
    }
  }

  /// Nobody writes to the part any more: what is reserved for missing bytes makes room for the news of those that are there. If there is none,
  /// the last of these do: without the news all would be lost.
  private static func saveOnFullDisk(_ sidecar: Sidecar, _ part: PartFile) throws(DownloadError) {
    let whole = 0..<max(try part.size(), sidecar.resource.total ?? 0)
    try part.release(sidecar.doneRanges.complement(in: whole))
    do throws(DownloadError) { try write(sidecar, part, isDurable: true) } catch {
      guard case .diskFull = error else { throw error }
      let shorter = sidecar.lackingLast(mostNews)
      try part.release(shorter.doneRanges.complement(in: whole))
      try write(shorter, part, isDurable: true)
    }
  }

  /// Whether it has to be there after a power cut too.
  static func mustLast(_ sidecar: Sidecar, _ part: PartFile) -> Bool {
    !sidecar.done.isEmpty || part.record.withLock { $0.hasCompany }
  }

  /// The first half of a save, for a part that has just been synced: what is written now has to be on the disk before `put`. False when
  /// there is nothing to put.
  static func stage(_ sidecar: Sidecar, _ part: PartFile) throws(DownloadError) -> Bool {
    guard let full = try completed(sidecar, part) else { return false }
    try writeFresh(full, part, isDurable: false)
    return true
  }

  /// The second half; the folder still has to be synced.
  static func put(_ part: PartFile) throws(DownloadError) {
    let path = FileName.sidecar(ofPart: part.path)
    do throws(SystemFault) {
      try FileSystem.putFresh(path, previous: FileName.previousSidecar(ofPart: part.path))
    } catch {
      throw .cannotWrite(path: path, why: error.text)
    }
  }

  /// With what only the disk can tell. Nil for a part that will have its name before that is read; but that may come to nothing, and then what
  /// is clean is said last.
  private static func completed(_ sidecar: Sidecar, _ part: PartFile) throws(DownloadError) -> Sidecar? {
    var sidecar = sidecar
    let (sums, created) = try part.record.withLock { record throws(DownloadError) -> ([[Int64]]?, Int64) in
      record.hasCompany = true
      let sums = try record.sums.update(part, done: sidecar.doneRanges, total: sidecar.resource.total) {
        sidecar.clean || !part.isDirect || !part.isEnding.load(ordering: .relaxed)
      }
      return (sums, record.created)
    }
    guard let sums else { return nil }
    (sidecar.sums, sidecar.created) = (sums, created)
    (sidecar.partSize, sidecar.partTouched) = try part.measure()
    (sidecar.partInode, sidecar.partBorn) = part.identity.map { ($0.inode, $0.born) } ?? (nil, nil)
    sidecar.updated = SystemClock.wall
    return sidecar
  }

  private static func write(_ sidecar: Sidecar, _ part: PartFile, isDurable: Bool) throws(DownloadError) {
    guard let full = try completed(sidecar, part) else { return }
    try writeFresh(full, part, isDurable: isDurable)
    try put(part)
    if isDurable, let fault = PartFile.syncFolder(part.folder) { throw fault }
  }

  private static func writeFresh(_ sidecar: Sidecar, _ part: PartFile, isDurable: Bool) throws(DownloadError) {
    let path = FileName.sidecar(ofPart: part.path)
    do {
      try FileSystem.writeFresh(path, Array(try encoder.encode(sidecar)), isDurable: isDurable)
    } catch let fault as SystemFault {
      throw fault.isDiskFull ? .diskFull(path: path) : .cannotWrite(path: path, why: fault.text)
    } catch {
      throw .cannotWrite(path: path, why: "\(error)")
    }
  }

  /// The newest copy goes last: while it is there, a crash is understood.
  static func remove(ofPart partPath: String) throws(SystemFault) {
    try FileSystem.remove(FileName.previousSidecar(ofPart: partPath))
    // Something else of this name, a folder perhaps, is not ours.
    unlink(FileSystem.unfinished(FileName.sidecar(ofPart: partPath)))
    try FileSystem.remove(FileName.sidecar(ofPart: partPath))
  }

  static func move(ofPart old: String, to new: String) throws(SystemFault) {
    guard FileSystem.isTaken(FileName.sidecar(ofPart: old)) else { return }
    try FileSystem.renameNew(FileName.sidecar(ofPart: old), FileName.sidecar(ofPart: new))
    try FileSystem.remove(FileName.previousSidecar(ofPart: old))
  }

  /// The part files in a folder that have a sidecar, with what reading it gave.
  package static func scan(_ folder: String) -> [(partName: String, sidecar: Result<Sidecar, DownloadError>)] {
    FileSystem.names(in: folder).filter { $0.hasSuffix(suffix) }.sorted().map { name in
      let partName = String(name.dropLast(5))
      let sidecar = Result { () throws(DownloadError) in
        guard let sidecar = try read(ofPart: folder + "/" + partName) else {
          throw DownloadError.badSidecar(path: folder + "/" + name, why: "it vanished")
        }
        return sidecar
      }
      return (partName, sidecar)
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension Sidecar {
  /// Claims `count` bytes less, or half of the last stretch if that is shorter.
  fileprivate func lackingLast(_ count: Int64) -> Sidecar {
    var (copy, ranges) = (self, doneRanges)
    guard let last = ranges.ranges.last else { return copy }
    ranges.remove(
      max(last.upperBound - count, last.lowerBound + (last.upperBound - last.lowerBound) / 2)..<last.upperBound)
    copy.done = ranges.ranges.map { [$0.lowerBound, $0.upperBound] }
    return copy
  }
}
