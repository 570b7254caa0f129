import DownloadCore
import Glibc
import Synchronization

/// Where a new file can go without touching anything that is there.
struct NewPart {
  let part: PartFile
  /// The final name that it is meant for.
  let name: String
}

extension PartFile {
  static let mostNumbers = 10_000

  enum Creation {
    case open(NewPart)
    case skipped(name: String)
  }

  /// Makes the folder if it is missing and creates a part file for the first final name that nobody has or wants.
  static func create(_ wanted: CreatePart, _ names: inout FolderNames) throws(DownloadError) -> Creation {
    do throws(DownloadError) { return try place(wanted, &names) } catch {
      guard names.forget(wanted.folder), !FileSystem.isTaken(wanted.folder) else { throw error }
      return try place(wanted, &names)
    }
  }

  private static func place(_ wanted: CreatePart, _ names: inout FolderNames) throws(DownloadError) -> Creation {
    do throws(SystemFault) { try names.look(into: wanted.folder) } catch {
      throw .cannotMakeFolder(path: wanted.folder, why: error.text)
    }
    var number = 0
    while number < mostNumbers {
      let name = FileName.numbered(wanted.name, number)
      if try !isFree(name, wanted, names) {
        if wanted.ifExists == .skip { return .skipped(name: name) }
      } else if let part = try create(for: name, in: wanted, names) {
        names.took(number, of: wanted.name, in: wanted.folder)
        return .open(NewPart(part: part, name: name))
      }
      number = names.next(after: number, wanted.folder, wanted.name)
    }
    throw .fileExists(path: wanted.folder + "/" + wanted.name)
  }

  /// - Throws: where a taken name is not to be replaced, skipped or numbered.
  private static func isFree(
    _ name: String, _ wanted: CreatePart, _ names: FolderNames
  ) throws(DownloadError) -> Bool {
    let path = wanted.folder + "/" + name
    guard FileSystem.isTaken(path) else {
      return wanted.ifExists != .rename || !names.hasTwin(wanted.folder, name)
    }
    switch wanted.ifExists {
    case .rename: return false
    case .fail: throw .fileExists(path: path)
    case .skip:
      guard wanted.total == nil || FileSystem.size(ofFile: path) == wanted.total else { throw .fileExists(path: path) }
      return false
    case .overwrite: return true  // replaced when the new one is complete, not before
    }
  }

  /// Nil when another download, at work or paused, is going to have this name. A part file that nobody describes is left alone.
  private static func create(
    for name: String, in wanted: CreatePart, _ names: FolderNames
  ) throws(DownloadError) -> PartFile? {
    for number in 0..<mostNumbers {
      let partName = FileName.part(of: FileName.numbered(name, number))
      if let part = try create(folder: wanted.folder, name: partName) {
        try prepare(part, wanted, names)
        return part
      }
      if isWanted(wanted.folder, partName) { return nil }
      if let part = emptyLeftover(wanted.folder, partName) {
        try prepare(part, wanted, names)
        return part
      }
    }
    return nil
  }

  /// A part that nobody describes and that holds nothing: a crash in its first moment left it.
  private static func emptyLeftover(_ folder: String, _ partName: String) -> PartFile? {
    let opened = Result { () throws(DownloadError) in
      let part = try open(folder: folder, name: partName)
      return try part.size() == 0 ? part : nil
    }
    // What cannot be opened belongs to somebody else: the next number is tried.
    guard case .success(let part) = opened else { return nil }
    return part
  }

  /// Whether somebody is at work on it, or a readable sidecar says that somebody will be.
  private static func isWanted(_ folder: String, _ partName: String) -> Bool {
    let path = folder + "/" + partName
    if case .success(.some) = Result(catching: { () throws(DownloadError) in try SidecarStore.read(ofPart: path) }) {
      return true
    }
    return isLocked(folder, partName)
  }

  private static func prepare(
    _ part: PartFile, _ wanted: CreatePart, _ names: FolderNames
  ) throws(DownloadError) {
    let hasCompany = names.mayHaveCompany(part.path)
    part.record.withLock { $0.hasCompany = hasCompany }
    do throws(DownloadError) {
      // What described a part of this name that is gone must not be taken for a description of this one.
      if hasCompany { try part.removeSidecar() }
      if wanted.preallocate, let total = wanted.total { try part.reserve(total) }
    } catch {
      unlink(part.path)
      throw error
    }
  }

  private static func isLocked(_ folder: String, _ partName: String) -> Bool {
    do throws(DownloadError) {
      _ = try open(folder: folder, name: partName)
      return false
    } catch {
      if case .alreadyDownloading = error { return true }
      return false
    }
  }
}
