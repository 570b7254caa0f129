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
    let url: String
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
    guard let sidecar, sidecar.request.url == wanted.url else { return .nothing(warning: nil) }
    var isThere = FileSystem.isTaken(path)
    if !isThere { isThere = try Self.takeBack(partName, sidecar, wanted.folder, isCancelled) }
    guard isThere else { return .nothing(warning: "the part file is gone: \(path)") }
    let part = try PartFile.open(folder: wanted.folder, name: partName)
    return .leftover(part, sidecar, done: try Self.trusted(part, sidecar, isCancelled: isCancelled))
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

  /// After a crash between the renaming and its book-keeping the finished file gets its part's name back, so that it is finished once more.
  private static func takeBack(
    _ partName: String, _ sidecar: Sidecar, _ folder: String, _ isCancelled: () -> Bool
  ) throws(DownloadError) -> Bool {
    let path = folder + "/" + sidecar.name
    guard let total = sidecar.resource.total, sidecar.resource.coding == nil, FileSystem.size(ofFile: path) == total,
      let file = try? PartFile.open(folder: folder, name: sidecar.name)
    else { return false }
    let good = try BlockSums.verified(file, sidecar.sums, isCancelled: isCancelled)
    return good.contains(0..<total) && (try? FileSystem.renameNew(path, folder + "/" + partName)) != nil
  }

  private mutating func partName(for wanted: FindPart) -> String? {
    if let partName = wanted.partName { return partName }
    return parts(in: wanted.folder).filter { part in
      part.url == wanted.url && (wanted.name == nil || part.name == wanted.name)
    }.max { $0.updated < $1.updated }?.partName
  }

  private mutating func parts(in folder: String) -> [Part] {
    if let known = folders[folder], SystemClock.now - known.readAt < Self.lifetime { return known.parts }
    let parts = SidecarStore.scan(folder).compactMap { partName, sidecar -> Part? in
      guard case .success(let sidecar) = sidecar else { return nil }
      return Part(partName: partName, url: sidecar.request.url, name: sidecar.name, updated: sidecar.updated)
    }
    folders[folder] = (SystemClock.now, parts)
    return parts
  }
}
