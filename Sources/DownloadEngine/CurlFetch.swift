import CCurl
import DownloadCore
import Glibc

/// Fetches small files into memory, one after the other over one connection. Each call blocks its thread.
final class CurlFetch {
  private static let largest = 4 << 20
  private static let patience = 20_000
  private let handle: UnsafeMutableRawPointer
  fileprivate var bytes: [UInt8] = []

  init?() {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
  }

  deinit { curl_easy_cleanup(handle) }

  /// The body of a good answer; nil for everything else. What may be secret in `request` goes to its own origin only: then no redirect is followed.
  func body(_ request: Request, _ settings: Settings) -> [UInt8]? {
    let plan = TransferPlan(download: DownloadID(0), request: request, asked: Asked(nil), usesNetrc: true)
    let headers = CurlOptions.headers(plan)
    defer { curl_slist_free_all(headers) }
    curl_easy_reset(handle)
    CurlOptions.apply(plan, settings, headers: headers, readSize: 64 << 10, to: handle)
    ccurl_set_long(handle, CURLOPT_FAILONERROR, 1)
    ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, Self.patience)
    ccurl_set_long(handle, CURLOPT_MAXREDIRS, 5)
    ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, request == request.withoutSecrets ? 1 : 0)
    ccurl_set_string(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_set_sink(handle, CURLOPT_WRITEFUNCTION, takeBody)
    bytes = []
    guard curl_easy_perform(handle) == CURLE_OK else { return nil }
    var status = 0
    ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    return CurlFiles.isHTTP(request.url) && status != 200 ? nil : bytes
  }

  fileprivate func take(_ piece: UnsafeRawBufferPointer) -> Int {
    guard bytes.count + piece.count <= Self.largest else { return 0 }
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
