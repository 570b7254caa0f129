import DownloadCore
import Synchronization

/// Looks for the part file that a download can go on with, opens it, and finds out which of its bytes can be trusted. Belongs to the disk
/// worker's thread.
struct PartFinder {
  private static let lifetime = Duration.seconds(2)
  /// What a folder's sidecars said a moment ago: a thousand downloads into one folder must not read it a thousand times.
  private var folders: [String: (readAt: Duration, parts: [Part])] = [:]

  private struct Part {
    let partName: String
    let urls: [String]
    let name: String
    let updated: Int64
  }

  enum Finding {
    case nothing(warning: String?)
    case leftover(PartFile, Sidecar, done: ByteRangeSet)
  }

  /// - Throws: `alreadyDownloading` when another process, or another download of this one, is at work on it.
  mutating func find(_ wanted: FindPart, isCancelled: () -> Bool) throws(DownloadError) -> Finding {
    guard let partName = partName(for: wanted) else { return .nothing(warning: nil) }
    let path = wanted.folder + "/" + partName
    let sidecar: Sidecar?
    do throws(DownloadError) { sidecar = try SidecarStore.read(ofPart: path) } catch {
      return .nothing(warning: "\(error.message); what it describes stays where it is")
    }
    guard let sidecar, Self.isMeant(sidecar.addresses, wanted) else { return .nothing(warning: nil) }
    if FileSystem.isTaken(path) {
      let part = try PartFile.open(folder: wanted.folder, name: partName)
      return .leftover(part, sidecar, done: try Self.trusted(part, sidecar, isCancelled: isCancelled))
    }
    guard let whole = try Self.takeBack(sidecar, wanted.folder, partName, isCancelled: isCancelled) else {
      return .nothing(warning: "the part file is gone: \(path)")
    }
    return .leftover(whole, sidecar, done: ByteRangeSet(0..<(sidecar.resource.total ?? 0)))
  }

  /// A crash between the last two steps of finishing leaves the file under its final name, and a sidecar without a part. If it is that part, which
  /// was whole when it was renamed, or every byte is as the sidecar says, its name is given back, so that it can be finished once more.
  private static func takeBack(
    _ sidecar: Sidecar, _ folder: String, _ partName: String, isCancelled: () -> Bool
  ) throws(DownloadError) -> PartFile? {
    guard let total = sidecar.resource.total, total > 0,
      FileSystem.size(ofFile: folder + "/" + sidecar.name) == total
    else { return nil }
    let opened = Result { () throws(DownloadError) in try PartFile.open(folder: folder, name: sidecar.name) }
    // A file that is linked elsewhere or in use is nobody's leftover: the download begins afresh beside it.
    guard case .success(let file) = opened else { return nil }
    if !isPart(file, sidecar) {
      let good = try BlockSums.verified(file, sidecar.sums, isCancelled: isCancelled)
      guard good == ByteRangeSet(0..<total) else { return nil }
    }
    do throws(SystemFault) { try FileSystem.renameNew(file.path, folder + "/" + partName) } catch {
      throw .cannotWrite(path: file.path, why: error.text)
    }
    file.unlock()
    return try PartFile.open(folder: folder, name: partName)
  }

  /// Whether it is the very file that the sidecar was written for.
  private static func isPart(_ file: PartFile, _ sidecar: Sidecar) -> Bool {
    guard let identity = file.identity else { return false }
    return identity.inode == sidecar.partInode && identity.born == sidecar.partBorn
  }

  /// Everything that is claimed after a clean stop; after any other what its sums confirm; never more than the file is long.
  private static func trusted(
    _ part: PartFile, _ sidecar: Sidecar, isCancelled: () -> Bool
  ) throws(DownloadError) -> ByteRangeSet {
    let (size, touched) = try part.measure()
    var done = sidecar.doneRanges
    if !sidecar.clean || sidecar.partSize != size || sidecar.partTouched != touched {
      done = try BlockSums.verified(part, sidecar.sums, isCancelled: isCancelled)
    }
    done.remove(size..<Int64.max)
    let good = sidecar.sums.filter { done.contains($0[0]..<$0[1]) }
    part.record.withLock { $0 = PartFile.Record(sums: BlockSums(good), created: sidecar.created) }
    return done
  }

  private mutating func partName(for wanted: FindPart) -> String? {
    // After a crash the list may be older than what is in the folder.
    if let partName = wanted.partName, FileSystem.isTaken(FileName.sidecar(ofPart: wanted.folder + "/" + partName)) {
      return partName
    }
    return parts(in: wanted.folder).filter { part in
      Self.isMeant(part.urls, wanted) && (wanted.name == nil || part.name == wanted.name)
    }.max { $0.updated < $1.updated }?.partName
  }

  private static func isMeant(_ urls: [String], _ wanted: FindPart) -> Bool {
    urls.contains { wanted.urls.contains($0) }
  }

  private mutating func parts(in folder: String) -> [Part] {
    if let known = folders[folder], SystemClock.now - known.readAt < Self.lifetime { return known.parts }
    let parts = SidecarStore.scan(folder).compactMap { partName, sidecar -> Part? in
      guard case .success(let sidecar) = sidecar else { return nil }
      return Part(partName: partName, urls: sidecar.addresses, name: sidecar.name, updated: sidecar.updated)
    }
    folders[folder] = (SystemClock.now, parts)
    return parts
  }
}
