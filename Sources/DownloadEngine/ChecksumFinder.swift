import DownloadCore
import Glibc

/// Looks for the sum of a file in lists beside it: on its server, or in its folder.
package enum ChecksumFinder {
  package struct Finding: Sendable {
    package let checksum: Checksum
    /// The address or path of the list.
    package let source: String
  }

  private static let largest = 4 << 20

  /// In the folder of the file at `path`.
  /// - Throws: when there is a list that cannot be read.
  package static func find(beside path: String) throws(DownloadError) -> Finding? {
    let (folder, name) = split(path)
    for listName in ChecksumList.names(for: name) {
      guard let bytes = try list(folder + listName) else { continue }
      if let sum = sum(of: name, in: bytes, listName) { return Finding(checksum: sum, source: folder + listName) }
    }
    return nil
  }

  /// Nil when there is none.
  private static func list(_ path: String) throws(DownloadError) -> [UInt8]? {
    do throws(SystemFault) { return try FileSystem.read(path, limit: largest) } catch {
      if error.number == ENOENT { return nil }
      throw .cannotRead(path: path, why: error.text)
    }
  }

  /// On the server that `request` asks, beside the file. Blocks until it has been asked for each list that there may be.
  static func find(beside request: Request, _ settings: Settings) throws(DownloadError) -> Finding? {
    guard let fetch = CurlFetch(), !CurlFiles.isLocal(request.url) else {
      guard let path = CurlFiles.localPath(request.url) else { return nil }
      return try find(beside: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    let plain = String(request.url.prefix { $0 != "?" && $0 != "#" })
    let (folder, name) = split(plain)
    for listName in ChecksumList.names(for: name) {
      var asking = request
      asking.url = folder + listName
      guard let bytes = fetch.body(asking, settings) else { continue }
      let decoded = FileName.suggested(by: nil, url: plain)
      let sum = sum(of: name, in: bytes, listName) ?? sum(of: decoded, in: bytes, listName)
      if let sum { return Finding(checksum: sum, source: asking.url) }
    }
    return nil
  }

  private static func sum(of name: String, in bytes: [UInt8], _ listName: String) -> Checksum? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return ChecksumList.checksum(for: name, in: text, isForOneFile: listName.hasPrefix(name))
  }

  /// At the last slash, which stays with the folder.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    let start = path.utf8.index(after: slash)
    return (String(path[..<start]), String(path[start...]))
  }
}
