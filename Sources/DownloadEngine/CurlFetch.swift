import CCurl
import DownloadCore
import Glibc

/// Fetches small files into memory, one after the other over one connection. Each call blocks its thread.
final class CurlFetch {
  private static let largest = 4 << 20
  private static let patience = 20_000
  private let handle: UnsafeMutableRawPointer
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var bytes: [UInt8] = []
  private var head = ResponseHead(status: 0, url: "")
  private var limit = CurlFetch.largest

  init?() {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
  }

  deinit {
    curl_easy_cleanup(handle)
    words.deallocate()
  }

  /// Head and body of the answer to one question, whatever it is; of the body no more than was asked for.
  func answer(
    _ request: Request, _ asked: Asked, _ settings: Settings
  ) throws(DownloadError) -> (head: ResponseHead, bytes: [UInt8]) {
    limit = asked.range.map { Int(clamping: $0.upperBound - $0.lowerBound) } ?? Self.largest
    let code = perform(request, asked, settings)
    var dates = CurlDates()
    CurlOptions.complete(&head, from: handle, &dates)
    // Whoever sends more than was asked for is not listened to any longer.
    guard code == CURLE_OK || code == CURLE_WRITE_ERROR && head.status != 0 else {
      throw CurlFault.error(code, String(cString: words), handle)
    }
    return (head, bytes)
  }

  /// The body of a good answer; nil for everything else. What may be secret in `request` goes to its own origin only: then no redirect is followed.
  func body(_ request: Request, _ settings: Settings) -> [UInt8]? {
    limit = Self.largest
    guard perform(request, Asked(nil), settings) == CURLE_OK else { return nil }
    var status = 0
    guard ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK else { return nil }
    return CurlFiles.isHTTP(request.url) && status != 200 ? nil : bytes
  }

  private func perform(_ request: Request, _ asked: Asked, _ settings: Settings) -> CURLcode {
    let plan = TransferPlan(download: DownloadID(0), request: request, asked: asked, usesNetrc: true)
    let headers = CurlOptions.headers(plan)
    defer { curl_slist_free_all(headers) }
    curl_easy_reset(handle)
    CurlOptions.apply(plan, settings, headers: headers, readSize: 64 << 10, to: handle)
    ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, Self.patience)
    ccurl_set_long(handle, CURLOPT_MAXREDIRS, 5)
    ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, request == request.withoutSecrets ? 1 : 0)
    ccurl_set_string(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_set_sink(handle, CURLOPT_WRITEFUNCTION, takeBody)
    ccurl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_set_sink(handle, CURLOPT_HEADERFUNCTION, takeHeader)
    words.pointee = 0
    ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, words)
    (bytes, head) = ([], ResponseHead(status: 0, url: request.url))
    return curl_easy_perform(handle)
  }

  /// A status line begins a new head: what came before was a proxy's, a redirect's or an interim one.
  fileprivate func header(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "HTTP/".utf8) {
      head = ResponseHead(status: 0, url: head.url)
    } else {
      head.add(line: Array(line))
    }
  }

  fileprivate func take(_ piece: UnsafeRawBufferPointer) -> Int {
    guard bytes.count + piece.count <= limit else {
      bytes += piece.prefix(limit - bytes.count)
      return 0
    }
    bytes += piece
    return piece.count
  }
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let fetch = Unmanaged<CurlFetch>.fromOpaque(context).takeUnretainedValue()
  return fetch.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  Unmanaged<CurlFetch>.fromOpaque(context).takeUnretainedValue()
    .header(UnsafeRawBufferPointer(start: bytes, count: size * count))
  return size * count
}
