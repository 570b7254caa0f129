import DownloadCore
import Glibc

/// Where a new file can go without touching anything that is there.
struct NewPart {
  let part: PartFile
  /// The final name that it is meant for.
  let name: String
}

extension PartFile {
  private static let mostNumbers = 10_000

  enum Creation {
    case open(NewPart)
    case skipped(name: String)
  }

  /// Makes the folder if it is missing and creates a part file for the first final name that nobody has or wants.
  static func create(_ wanted: CreatePart) throws(DownloadError) -> Creation {
    do throws(SystemFault) { try FileSystem.makeFolder(wanted.folder) } catch {
      throw .cannotMakeFolder(path: wanted.folder, why: error.text)
    }
    for number in 0..<mostNumbers {
      let name = FileName.numbered(wanted.name, number)
      let path = wanted.folder + "/" + name
      if FileSystem.isTaken(path) {
        switch wanted.ifExists {
        case .rename: continue
        case .fail: throw .fileExists(path: path)
        case .skip:
          guard wanted.total == nil || FileSystem.size(ofFile: path) == wanted.total else {
            throw .fileExists(path: path)
          }
          return .skipped(name: name)
        case .overwrite: break  // replaced when the new one is complete, not before
        }
      }
      if let part = try create(for: name, in: wanted) { return .open(NewPart(part: part, name: name)) }
    }
    throw .fileExists(path: wanted.folder + "/" + wanted.name)
  }

  /// Nil when another download, at work or paused, is going to have this name. A part file that nobody describes is left alone.
  private static func create(for name: String, in wanted: CreatePart) throws(DownloadError) -> PartFile? {
    for number in 0..<mostNumbers {
      let partName = FileName.part(of: FileName.numbered(name, number))
      let path = wanted.folder + "/" + partName
      if let part = try create(folder: wanted.folder, name: partName) {
        try prepare(part, wanted)
        return part
      }
      if FileSystem.isTaken(wanted.folder + "/" + FileName.sidecar(ofPart: partName)) || isLocked(path) { return nil }
    }
    return nil
  }

  private static func prepare(_ part: PartFile, _ wanted: CreatePart) throws(DownloadError) {
    guard wanted.preallocate, let total = wanted.total else { return }
    do throws(DownloadError) { try part.reserve(total) } catch {
      unlink(part.path)
      throw error
    }
  }

  private static func isLocked(_ path: String) -> Bool {
    do throws(DownloadError) {
      _ = try open(
        folder: FileSystem.folder(of: path), name: String(path.dropFirst(FileSystem.folder(of: path).count + 1)))
      return false
    } catch {
      if case .alreadyDownloading = error { return true }
      return false
    }
  }

  // MARK: Finishing

  /// Gives the file its final name, durably: sync, verify, rename without replacing, sync the folder, remove the sidecar.
  func finish(_ wanted: FinishPart, isCancelled: () -> Bool) throws(DownloadError) -> FinishedFile {
    try checkSize(wanted.total)
    try sync()
    if let checksum = wanted.checksum {
      let sum = try Digest.hex(of: self, checksum.algorithm, isCancelled: isCancelled)
      guard sum == checksum.hex else { throw .checksumMismatch(expected: checksum.hex, got: sum) }
    }
    let name = try moveIntoPlace(wanted)
    do throws(SystemFault) {
      try FileSystem.syncFolder(folder)
      try SidecarStore.remove(ofPart: path)
    } catch {
      throw .cannotWrite(path: folder, why: error.text)
    }
    let sizeWasPromised: Verification = wanted.total == nil ? .nothing : .size
    return FinishedFile(name: name, verification: wanted.checksum.map { .checksum($0.algorithm) } ?? sizeWasPromised)
  }

  private func checkSize(_ total: Int64?) throws(DownloadError) {
    guard let total else { return }
    let size = try size()
    if size > total { try truncate(to: total) }
    if size < total { throw .incomplete(missing: total - size) }
  }

  private func moveIntoPlace(_ wanted: FinishPart) throws(DownloadError) -> String {
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

  /// Removes the part with its sidecar.
  func discard() throws(DownloadError) {
    do throws(SystemFault) {
      try FileSystem.remove(path)
      try SidecarStore.remove(ofPart: path)
    } catch {
      throw .cannotWrite(path: path, why: error.text)
    }
  }
}
