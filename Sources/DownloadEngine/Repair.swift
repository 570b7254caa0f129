import DownloadCore
import Glibc

/// Makes a whole file unfinished again, so that what is wrong in it is fetched once more and nothing else. Its bytes stay where they are; only
/// its name changes, until it is finished again.
package enum Repair {
  /// The file that `path` means: itself, or what a repair that a crash ended has left of it.
  package static func file(meantBy path: String) -> String {
    let part = FileName.part(of: path)
    return !FileSystem.isTaken(path) && FileSystem.isTaken(part) ? part : path
  }

  /// Removes what a crash at the very end left beside a file that is right: a sidecar without its part.
  package static func tidyUp(after path: String) throws(DownloadError) {
    let part = FileName.part(of: path)
    guard !FileSystem.isTaken(part), FileSystem.isTaken(FileName.sidecar(ofPart: part)) else { return }
    do throws(SystemFault) { try SidecarStore.remove(ofPart: part) } catch {
      throw .cannotWrite(path: FileName.sidecar(ofPart: part), why: error.text)
    }
  }

  /// Lets `request`, whose folder and name lead to the file at `path`, go on with it as if `wrong` were missing of its `total` bytes.
  package static func begin(
    _ path: String, for request: Request, lacking wrong: ByteRangeSet, of total: Int64
  ) throws(DownloadError) {
    guard let name = request.name else { throw .other("it has no name: \(path)") }
    let partName = FileName.part(of: name)
    let partPath = request.folder + "/" + partName
    if path != partPath { try rename(path, to: partPath) }
    let part = try PartFile.open(folder: request.folder, name: partName)
    var done = wrong.complement(in: 0..<total)
    done.remove(try part.size()..<Int64.max)
    var sidecar = Sidecar(
      request: request, name: name, resource: Resource(total: total, sendsRanges: true), done: done)
    // Whoever the bytes are from, nobody's validators are kept: a server first has to show that it has the same file.
    (sidecar.source, sidecar.isOverlapOnly, sidecar.clean) = ("", true, true)
    try SidecarStore.save(sidecar, part)
    if let fault = PartFile.syncFolder(request.folder) { throw fault }
  }

  /// Only a plain file that nobody else is at work on. A name that is taken is not replaced.
  private static func rename(_ path: String, to partPath: String) throws(DownloadError) {
    let (folder, name) = FileSystem.split(path)
    let file = try PartFile.open(folder: folder, name: name)
    do throws(SystemFault) { try FileSystem.renameNew(file.path, partPath) } catch {
      throw error.number == EEXIST ? .fileExists(path: partPath) : .cannotWrite(path: path, why: error.text)
    }
    file.unlock()
  }
}
