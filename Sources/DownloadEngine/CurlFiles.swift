import CCurl
import DownloadCore
import Glibc

/// Protocols that have no heads: FTP, SFTP and local files. What libcurl tells about them is put into the words of HTTP, so that the same
/// laws hold: size and modification time are the file's (weak) identity, an offset is a range to the end.
enum CurlFiles {
  static func isHTTP(_ url: String) -> Bool { url.lowercased().hasPrefix("http") }

  static func scheme(of url: String) -> String {
    url.firstRange(of: "://").map { url[..<$0.lowerBound].lowercased() } ?? "http"
  }

  static func apply(_ asked: Asked, to handle: UnsafeMutableRawPointer) {
    ccurl_set_offset(handle, CURLOPT_RESUME_FROM_LARGE, curl_off_t(asked.range?.lowerBound ?? 0))
    ccurl_set_long(handle, CURLOPT_FILETIME, 1)
    guard let home = getenv("HOME") else { return }
    ccurl_set_string(handle, CURLOPT_SSH_KNOWNHOSTS, String(cString: home) + "/.ssh/known_hosts")
  }

  /// The head that an HTTP server would have sent for the same file.
  static func describe(_ head: inout ResponseHead, _ asked: Asked, from handle: UnsafeMutableRawPointer) {
    let start = asked.range?.lowerBound ?? 0
    let count = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, handle).flatMap { $0 < 0 ? nil : $0 }
    let modified = offset(CURLINFO_FILETIME_T, handle).flatMap { $0 < 0 ? nil : $0 }
    head = ResponseHead(status: asked.range == nil ? 200 : 206, url: head.url)
    if let modified { head.add(line: Array("Last-Modified: @\(modified)".utf8)) }
    head.lastModified = modified
    guard let count else { return head.status = 200 }
    head.add(line: Array("Content-Length: \(count)".utf8))
    guard count > 0, head.status == 206 else { return head.status = 200 }
    head.add(line: Array("Content-Range: bytes \(start)-\(start + count - 1)/\(start + count)".utf8))
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

  static func error(_ code: CURLcode) -> DownloadError? {
    switch code {
    case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_FTP_COULDNT_RETR_FILE, CURLE_FILE_COULDNT_READ_FILE: .notFound(status: 550)
    case CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED: .unauthorized(status: 530)
    default: nil
    }
  }
}
