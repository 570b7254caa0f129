import CCurl
import DownloadCore
import Glibc

/// Protocols that have no heads: FTP and SFTP. What libcurl tells about them is put into the words of HTTP, so that the same
/// laws hold: size and modification time are the file's (weak) identity, an offset is a range to the end.
enum CurlFiles {
  static func isHTTP(_ url: String) -> Bool { url.lowercased().hasPrefix("http") }

  static func scheme(of url: String) -> String {
    url.firstRange(of: "://").map { url[..<$0.lowerBound].lowercased() } ?? "http"
  }

  static func apply(_ asked: Asked, isInsecure: Bool, to handle: UnsafeMutableRawPointer) {
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
    let count = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, handle).flatMap { $0 < 0 ? nil : $0 }
    let modified = offset(CURLINFO_FILETIME_T, handle).flatMap { $0 < 0 ? nil : $0 }
    head = ResponseHead(status: asked.range == nil ? 200 : 206, url: head.url)
    if let modified { head.add(line: Array("Last-Modified: @\(modified)".utf8)) }
    head.lastModified = modified
    // Without a size nobody can say what the bytes after an offset are: better to ask for all of them.
    guard let count else { return head.status = start == 0 ? 200 : 416 }
    head.add(line: Array("Content-Length: \(count)".utf8))
    guard head.status == 206, start + count > 0 else { return head.status = 200 }
    if count == 0 { head.status = 416 }
    let span = count == 0 ? "*" : "\(start)-\(start + count - 1)"
    head.add(line: Array("Content-Range: bytes \(span)/\(start + count)".utf8))
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
