import CCurl
import DownloadCore
import Glibc

/// From a plan to curl's options, from curl's facts to ours.
enum CurlOptions {
  // MARK: The request

  static func apply(
    _ plan: TransferPlan, _ settings: Settings, headers: UnsafeMutablePointer<curl_slist>?, readSize: Int,
    to handle: UnsafeMutableRawPointer
  ) {
    let request = plan.request
    ccurl_set_string(handle, CURLOPT_URL, request.url)
    ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, CurlFiles.scheme(of: request.url))
    if !CurlFiles.isHTTP(request.url) {
      CurlFiles.apply(plan.asked, request.url, isInsecure: settings.network.insecure, to: handle)
    }
    ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    ccurl_set_string(handle, CURLOPT_USERAGENT, request.userAgent ?? settings.userAgent)
    if let referer = request.referer { ccurl_set_string(handle, CURLOPT_REFERER, referer) }
    if let credentials = request.credentials {
      ccurl_set_string(handle, CURLOPT_USERPWD, credentials)
      ccurl_set_long(handle, CURLOPT_HTTPAUTH, ccurl_basic_or_digest)
    }
    ccurl_set_long(handle, CURLOPT_BUFFERSIZE, readSize)
    applyManners(settings, to: handle)
    apply(settings.network, usesNetrc: plan.usesNetrc, to: handle)
    CurlProxy.apply(settings.network, for: request.url, to: handle)
  }

  /// What is the same for every request.
  private static func applyManners(_ settings: Settings, to handle: UnsafeMutableRawPointer) {
    // Also what is offered to a TLS server (ALPN): each segment is to have a connection, and a paused stream would be buffered.
    ccurl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    ccurl_set_long(handle, CURLOPT_HTTP09_ALLOWED, 0)
    ccurl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    // Whoever is stopped while the system looks for its host does not wait, and with it all others, until that has come to an end.
    ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
    ccurl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1)
    ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connectTimeout.seconds * 1000))
    // The empty name switches cookies on; those of a file are in the shared jar already.
    ccurl_set_string(handle, CURLOPT_COOKIEFILE, "")
  }

  private static func apply(
    _ network: Settings.Network, usesNetrc: Bool, to handle: UnsafeMutableRawPointer
  ) {
    let texts = [(CURLOPT_CAINFO, network.authorities), (CURLOPT_INTERFACE, network.interface)]
    for case (let option, let text?) in texts { ccurl_set_string(handle, option, text) }
    if let family = network.family {
      ccurl_set_long(handle, CURLOPT_IPRESOLVE, Int(family == .ipv4 ? CURL_IPRESOLVE_V4 : CURL_IPRESOLVE_V6))
    }
    if usesNetrc, let netrc = network.netrc {
      ccurl_set_long(handle, CURLOPT_NETRC, ccurl_netrc_optional)
      if !netrc.isEmpty { ccurl_set_string(handle, CURLOPT_NETRC_FILE, netrc) }
    }
    guard network.insecure else { return }
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
  }

  /// Range and If-Range are plain headers, so that nothing inside libcurl draws conclusions of its own from the answer.
  static func headers(_ plan: TransferPlan) -> UnsafeMutablePointer<curl_slist>? {
    var lines = ["Accept-Encoding: identity"]
    if let range = plan.asked.range {
      lines.append("Range: bytes=\(range.lowerBound)-\(range.upperBound == .max ? "" : String(range.upperBound - 1))")
      if let ifRange = plan.asked.ifRange { lines.append("If-Range: \(ifRange)") }
    }
    return (lines + plan.request.headers).reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
  }

  // MARK: The answer

  /// Adds what libcurl knows: status, final address, and dates in seconds.
  static func complete(
    _ head: inout ResponseHead, from handle: UnsafeMutableRawPointer, _ dates: inout CurlDates
  ) {
    var status = 0
    if ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK { head.status = status }
    var url: UnsafeMutablePointer<CChar>?
    if ccurl_get_string(handle, CURLINFO_EFFECTIVE_URL, &url) == CURLE_OK, let url { head.url = String(cString: url) }
    head.location = redirect(head)
    head.lastModified = head.value("last-modified").flatMap { dates.seconds($0) }
    head.date = head.value("date").flatMap { dates.seconds($0) }
    head.retryAfter = head.value("retry-after").flatMap { retryAfter($0, sent: head.date) }
    head.digest = DigestField.digest(of: head)
    head.mirrors = head.digest == nil ? [] : mirrors(head)
  }

  /// IP address and port at the other end of its connection.
  static func peer(of handle: UnsafeMutableRawPointer) -> String? {
    var address: UnsafeMutablePointer<CChar>?
    var port = 0
    guard ccurl_get_string(handle, CURLINFO_PRIMARY_IP, &address) == CURLE_OK, let address, address.pointee != 0,
      ccurl_get_long(handle, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK
    else { return nil }
    let host = String(cString: address)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Credentials in it are left out: a server has none to give away.
  private static func redirect(_ head: ResponseHead) -> ResponseHead.Location? {
    guard 300...399 ~= head.status, head.status != 304, let location = head.value("location"), !location.isEmpty
    else { return nil }
    do throws(CurlURL.Problem) {
      return .address(try CurlURL(ascii(location), base: head.url).url)
    } catch {
      return .unusable(location)
    }
  }

  /// The addresses of its `Link` fields. Only servers' own protocols count, and no credentials.
  private static func mirrors(_ head: ResponseHead) -> [String] {
    let fields = head.fields.filter { $0.name == "link" }.map(\.value)
    return MirrorLink.parse(fields).compactMap { link in
      guard let url = try? CurlURL(link.reference, base: head.url), ["http", "https"].contains(url.scheme),
        url.credentials == nil
      else { return nil }
      return url.url
    }
  }

  /// Bytes beyond ASCII percent-encoded as they are, whatever characters they are meant to be.
  private static func ascii(_ bytes: String) -> String {
    bytes.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isASCII { text.unicodeScalars.append(scalar) } else { text += "%" + String(scalar.value, radix: 16) }
    }
  }

  /// Seconds, or a date that is measured from the server's own clock (RFC 9110 §10.2.3). Never longer than a day; what is neither says nothing.
  static func retryAfter(_ text: String, sent: Int64?) -> Duration? {
    let longest: Int64 = 86_400
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      return .seconds(min(Int64(text) ?? longest, longest))
    }
    // A number in some other form is no date, whatever libcurl would make of it.
    guard text.contains(where: \.isLetter) else { return nil }
    return CurlDates.seconds(text).map { .seconds(min(max(0, $0 - (sent ?? SystemClock.wall)), longest)) }
  }
}
