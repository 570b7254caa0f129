import DownloadCore

/// Looks for the part file that a download can go on with, and opens it. Belongs to the disk worker's thread.
struct PartFinder {
  private static let lifetime = Duration.seconds(2)
  /// What a folder's sidecars said a moment ago: a thousand downloads into one folder must not read it a thousand times.
  private var folders: [String: (readAt: Duration, parts: [Part])] = [:]

  private struct Part {
    let partName: String
    let url: String
    let name: String
  }

  /// Nil when there is nothing to go on with.
  /// - Throws: `alreadyDownloading` when another process, or another download of this one, is at work on it.
  mutating func find(_ wanted: FindPart) throws(DownloadError) -> (PartFile, FoundPart)? {
    guard let partName = try partName(for: wanted) else { return nil }
    let path = wanted.folder + "/" + partName
    guard let sidecar = try SidecarStore.read(ofPart: path), sidecar.url == wanted.url, FileSystem.isTaken(path) else {
      return nil
    }
    let part = try PartFile.open(folder: wanted.folder, name: partName)
    let size = try part.size()
    var done = sidecar.doneRanges
    done.remove(size..<Int64.max)
    return (part, FoundPart(partName: partName, sidecar: sidecar, done: done))
  }

  private mutating func partName(for wanted: FindPart) throws(DownloadError) -> String? {
    if let partName = wanted.partName { return partName }
    return parts(in: wanted.folder).first { part in
      part.url == wanted.url && (wanted.name == nil || part.name == wanted.name)
    }?.partName
  }

  private mutating func parts(in folder: String) -> [Part] {
    if let known = folders[folder], SystemClock.now - known.readAt < Self.lifetime { return known.parts }
    let parts = SidecarStore.scan(folder).compactMap { partName, sidecar -> Part? in
      guard case .success(let sidecar) = sidecar else { return nil }
      return Part(partName: partName, url: sidecar.url, name: sidecar.name)
    }
    folders[folder] = (SystemClock.now, parts)
    return parts
  }
}
