import CCurl
import DownloadCore

/// A local file is read in stretches, each a request of its own: libcurl goes through one to its end without looking up, so that it could be
/// neither paused nor limited, and other transfers would wait meanwhile.
extension CurlTransfer {
  /// The file that the address names, as it was when the head was told.
  struct Source {
    let path: [CChar]
    let file: LocalFile
    /// Where the last stretch ends.
    var asked: Int64
  }

  /// A stretch where nothing limits it, in bytes.
  private static let longestStretch: Int64 = 4 << 20

  /// Looks at the file and tells its head.
  func openSource() throws(DownloadError) {
    guard let path = CurlFiles.localPath(head.url) else { throw .badAnswer("no path that a file can have") }
    source = Source(path: path, file: try LocalFile(path), asked: asked.range?.lowerBound ?? 0)
    tellHead()
  }

  /// What to ask for next, at most `limit` bytes; nil when there is nothing more.
  /// - Throws: when the file is not the one any more whose head was told.
  func nextStretch(limit: Int?) throws(DownloadError) -> ByteRange? {
    guard let source, case .storing(let store) = body else { return nil }
    guard try LocalFile(source.path) == source.file else {
      throw .connectionLost(why: "the file was written to while it was read")
    }
    let (next, size) = (store.position - store.skip, source.file.size)
    // A stretch that came short is an end, whatever the file's size may be.
    guard store.position < store.end, next == source.asked, next < size else { return nil }
    return next..<min(size, next + (limit.map { Int64($0) } ?? Self.longestStretch))
  }

  func ask(for stretch: ByteRange) {
    source?.asked = stretch.upperBound
    ccurl_set_string(handle, CURLOPT_RANGE, "\(stretch.lowerBound)-\(stretch.upperBound - 1)")
  }
}
