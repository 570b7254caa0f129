import CCurl
import DownloadCore
import Glibc

/// Protocols that have no heads: FTP, SFTP and files of this machine. What libcurl tells about them is put into the words of HTTP, so that the same
/// laws hold: size and modification time are the file's (weak) identity, an offset is a range to the end.
enum CurlFiles {
  static func isHTTP(_ url: String) -> Bool { scheme(of: url).hasPrefix("http") }

  static func scheme(of url: String) -> String {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url.utf8[colon...].starts(with: "://".utf8) else {
      return "http"
    }
    return url[..<colon].lowercased()
  }

  static func isLocal(_ url: String) -> Bool { scheme(of: url) == "file" }

  /// The path in a `file:` address as the file system has it, ended by a zero; nil when no file can have it.
  static func localPath(_ url: String) -> [CChar]? {
    var count: Int32 = 0
    guard let address = try? CurlURL(url), let bytes = curl_easy_unescape(nil, address.path, 0, &count) else {
      return nil
    }
    defer { curl_free(bytes) }
    let path = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    return path.contains(0) ? nil : path + [0]
  }

  static func apply(_ asked: Asked, _ url: String, isInsecure: Bool, to handle: UnsafeMutableRawPointer) {
    // A local file is asked for in stretches.
    guard !isLocal(url) else { return }
    ccurl_set_offset(handle, CURLOPT_RESUME_FROM_LARGE, curl_off_t(asked.range?.lowerBound ?? 0))
    ccurl_set_long(handle, CURLOPT_FILETIME, 1)
    // An HTTP proxy that was asked for the file itself would answer in HTTP, errors included.
    ccurl_set_long(handle, CURLOPT_HTTPPROXYTUNNEL, 1)
    // libcurl takes any key of an SSH server where no such file is named.
    if !isInsecure { ccurl_set_string(handle, CURLOPT_SSH_KNOWNHOSTS, home + "/.ssh/known_hosts") }
  }

  private static var home: String { getenv("HOME").map { String(cString: $0) } ?? "" }

  /// The head that an HTTP server would have sent for the same file.
  static func describe(_ head: inout ResponseHead, _ asked: Asked, from handle: UnsafeMutableRawPointer) {
    let start = asked.range?.lowerBound ?? 0
    let rest = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, handle).flatMap { $0 < 0 ? nil : $0 }
    let modified = offset(CURLINFO_FILETIME_T, handle).flatMap { $0 < 0 ? nil : $0 }
    describe(&head, asked, total: rest.map { start + $0 }, modified.map { "\($0)" })
    head.lastModified = modified
  }

  /// The same for a local file, whose time is known more exactly.
  static func describe(_ head: inout ResponseHead, _ asked: Asked, _ file: LocalFile) {
    describe(&head, asked, total: file.size, "\(file.seconds).\(file.nanoseconds)")
    head.lastModified = file.seconds
  }

  private static func describe(_ head: inout ResponseHead, _ asked: Asked, total: Int64?, _ modified: String?) {
    let start = asked.range?.lowerBound ?? 0
    head = ResponseHead(status: asked.range == nil ? 200 : 206, url: head.url)
    if let modified { head.add(line: Array("Last-Modified: @\(modified)".utf8)) }
    // Without a size nobody can say what the bytes after an offset are: better to ask for all of them.
    guard let total else { return head.status = start == 0 ? 200 : 416 }
    head.add(line: Array("Content-Length: \(max(0, total - start))".utf8))
    guard head.status == 206, total > 0 else { return head.status = 200 }
    if start >= total { head.status = 416 }
    let span = start >= total ? "*" : "\(start)-\(total - 1)"
    head.add(line: Array("Content-Range: bytes \(span)/\(total)".utf8))
  }

  private static func offset(_ info: CURLINFO, _ handle: UnsafeMutableRawPointer) -> Int64? {
    var value: curl_off_t = 0
    return ccurl_get_offset(handle, info, &value) == CURLE_OK ? Int64(value) : nil
  }

  /// What a failure would have been in HTTP's numbers: the offset is refused, or lies beyond the end.
  static func status(_ code: CURLcode) -> Int? {
    switch code {
    case CURLE_FTP_COULDNT_USE_REST: 501
    case CURLE_BAD_DOWNLOAD_RESUME, CURLE_RANGE_ERROR: 416
    default: nil
    }
  }

  /// What a failure means, where that is not the same as over HTTP.
  static func error(_ code: CURLcode, reply: Int, url: String, host: String) -> DownloadError? {
    switch (code, reply) {
    case (_, 421): .overloaded(status: reply)
    case (CURLE_OK, _), (CURLE_PARTIAL_FILE, _): nil
    case (_, 400...499): .serverFault(status: reply)  // "the command may be repeated" (RFC 959 §4.2.1)
    case (CURLE_REMOTE_ACCESS_DENIED, 550): .notFound(status: reply)
    case (CURLE_REMOTE_FILE_NOT_FOUND, _), (CURLE_FTP_COULDNT_RETR_FILE, _):
      .notFound(status: 550)
    case (CURLE_LOGIN_DENIED, _), (CURLE_REMOTE_ACCESS_DENIED, _): .unauthorized(status: 530)
    case (CURLE_PEER_FAILED_VERIFICATION, _) where scheme(of: url) == "sftp": .unknownHostKey(host: host)
    default: nil
    }
  }
}
