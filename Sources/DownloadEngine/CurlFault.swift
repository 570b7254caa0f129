import CCurl
import DownloadCore

/// What libcurl's failures mean.
enum CurlFault {
  /// `words` is what libcurl says about this very case (CURLOPT_ERRORBUFFER), if it says anything.
  static func error(_ code: CURLcode, _ words: String, _ handle: UnsafeMutableRawPointer) -> DownloadError {
    let url = text(CURLINFO_EFFECTIVE_URL, handle) ?? "?"
    let host = host(of: url)
    let general = String(cString: curl_easy_strerror(code)).lowercasedFirst
    if isConnectFault(code), !NetworkInterfaces.canReach(host) { return .networkDown }
    if let error = refusalByProxy(code, words, host, handle) { return error }
    if !CurlFiles.isHTTP(url) {
      let reply = number(CURLINFO_RESPONSE_CODE, handle)
      if let error = CurlFiles.error(code, reply: reply, url: url, host: host) { return error }
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved(host: host)
    case CURLE_COULDNT_RESOLVE_PROXY:
      return .nameNotResolved(host: "proxy " + (words.split(separator: " ").last ?? "?"))
    case CURLE_COULDNT_CONNECT:
      return .cannotConnect(host: peer(in: words) ?? host, why: connectFault(handle) ?? general)
    case CURLE_OPERATION_TIMEDOUT: return .timedOut
    case CURLE_SSL_CONNECT_ERROR where isLost(words), CURLE_SSH: return .connectionLost(why: plain(words) ?? general)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return .connectionLost(why: general)
    case CURLE_ABORTED_BY_CALLBACK: return .connectionLost(why: "bytes were left on it that nobody had asked for")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return .tls(why: plain(words) ?? general)
    case CURLE_UNSUPPORTED_PROTOCOL: return notHTTP(handle)
    case CURLE_URL_MALFORMAT: return .other(general)
    // The only bound that memory can run into here is libcurl's own on a line of the head.
    case CURLE_OUT_OF_MEMORY: return .badAnswer("a line of its head is too long")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: return .badAnswer(general)
    default: return .other(plain(words) ?? general)
    }
  }

  private static func isConnectFault(_ code: CURLcode) -> Bool {
    [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT]
      .contains(code)
  }

  /// What a proxy said instead of leading to the host.
  private static func refusalByProxy(
    _ code: CURLcode, _ words: String, _ host: String, _ handle: UnsafeMutableRawPointer
  ) -> DownloadError? {
    if code == CURLE_PROXY { return refusalBySOCKS(words, host, handle) }
    let answer = number(CURLINFO_HTTP_CONNECTCODE, handle)
    switch (code, answer) {
    case (CURLE_OK, _), (_, ..<400): return nil
    case (_, 407): return .unauthorized(status: answer)
    case (_, 500...): return .cannotConnect(host: host, why: "the proxy answers \(answer)")
    default: return .badAnswer("the proxy refuses to connect to \(host): \(answer)")
    }
  }

  /// CURLINFO_PROXY_ERROR(3).
  private static func refusalBySOCKS(
    _ words: String, _ host: String, _ handle: UnsafeMutableRawPointer
  ) -> DownloadError {
    switch number(CURLINFO_PROXY_ERROR, handle) {
    case Int(CURLPX_NO_AUTH.rawValue), Int(CURLPX_USER_REJECTED.rawValue): .unauthorized(status: 407)
    case Int(CURLPX_RESOLVE_HOST.rawValue): .nameNotResolved(host: host)
    default: .cannotConnect(host: host, why: plain(words) ?? "the proxy refuses")
    }
  }

  private static func connectFault(_ handle: UnsafeMutableRawPointer) -> String? {
    let errno = number(CURLINFO_OS_ERRNO, handle)
    return errno == 0 ? nil : SystemFault(number: Int32(truncatingIfNeeded: errno)).text
  }

  /// `Failed to connect to HOST port NUMBER after …`: the proxy, where there is one.
  private static func peer(in words: String) -> String? {
    let parts = words.split(separator: " ").map(String.init)
    guard parts.count > 6, parts[..<4] == ["Failed", "to", "connect", "to"], parts[5] == "port" else { return nil }
    return "\(parts[4]):\(parts[6])"
  }

  /// Whether the connection broke before the two could agree on anything: no verdict on the peer.
  private static func isLost(_ words: String) -> Bool {
    ["SSL_connect: ", "unexpected eof", "Recv failure", "Send failure"].contains { words.contains($0) }
  }

  /// Without OpenSSL's numbers, `error:0A00010B:SSL routines::wrong version number`. Nil when nothing is said.
  private static func plain(_ words: String) -> String? {
    var text = words[...]
    if text.hasPrefix("error:"), let mark = text.firstRange(of: "::") { text = text[mark.upperBound...] }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text.isEmpty ? nil : String(text).lowercasedFirst
  }

  /// On a connection that was used before, what came may be a left-over of the answer before: another connection can do better.
  private static func notHTTP(_ handle: UnsafeMutableRawPointer) -> DownloadError {
    number(CURLINFO_NUM_CONNECTS, handle) == 0
      ? .connectionLost(why: "what came was not HTTP") : .badAnswer("it is not HTTP")
  }

  private static func host(of url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    return String(rest.prefix { !"/?#".contains($0) })
  }

  private static func number(_ info: CURLINFO, _ handle: UnsafeMutableRawPointer) -> Int {
    var number = 0
    return ccurl_get_long(handle, info, &number) == CURLE_OK ? number : 0
  }

  private static func text(_ info: CURLINFO, _ handle: UnsafeMutableRawPointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard ccurl_get_string(handle, info, &text) == CURLE_OK, let text else { return nil }
    return String(cString: text)
  }
}
