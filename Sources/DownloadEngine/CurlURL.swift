import CCurl

/// An address taken apart by libcurl, the same code that will fetch it, so that both read it alike.
package struct CurlURL: Hashable, Sendable {
  package let scheme: String
  package let host: String
  /// The scheme's own where the address names none.
  let port: String?
  /// Percent-encoded as it was typed.
  let path: String
  /// Without credentials and fragment, non-ASCII characters of path and query percent-encoded.
  package let url: String
  /// `name:password`, percent-decoded; nil when the address has none.
  package let credentials: String?

  /// Why an address cannot be taken apart, in libcurl's words or ours.
  package struct Problem: Error, Hashable, Sendable {
    package let why: String
  }

  /// Reads an address as curl(1) does; one without a scheme is `http`.
  package init(_ text: String) throws(Problem) { try self.init(text, base: nil) }

  /// Where a reference such as a redirect's Location leads from `base` (RFC 3986 §5).
  init(_ text: String, base: String?) throws(Problem) {
    guard let handle = curl_url() else { throw Problem(why: "out of memory") }
    defer { curl_url_cleanup(handle) }
    if let base { try Self.set(handle, CURLUPART_URL, base, Self.reading) }
    try Self.set(handle, CURLUPART_URL, text, base == nil ? Self.reading : Self.reference)
    scheme = try base == nil ? Self.plainScheme(handle, text) : Self.get(handle, CURLUPART_SCHEME) ?? "http"
    host = try Self.get(handle, CURLUPART_HOST) ?? ""
    port = try Self.get(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
    path = try Self.get(handle, CURLUPART_PATH) ?? "/"
    credentials = try Self.takeCredentials(handle)
    try Self.set(handle, CURLUPART_FRAGMENT, nil)
    url = try Self.get(handle, CURLUPART_URL) ?? ""
  }

  private static let reading = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
  private static let reference = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
  private static let decoded = UInt32(CURLU_URLDECODE)

  /// libcurl guesses `ftp` from a host called `ftp.…`; a scheme that was not typed is `http` here.
  private static func plainScheme(_ handle: OpaquePointer, _ text: String) throws(Problem) -> String {
    let scheme = try get(handle, CURLUPART_SCHEME)?.lowercased() ?? "http"
    if text.lowercased().hasPrefix(scheme + ":") { return scheme }
    try set(handle, CURLUPART_SCHEME, "http")
    return "http"
  }

  private static func takeCredentials(_ handle: OpaquePointer) throws(Problem) -> String? {
    let user = try get(handle, CURLUPART_USER, decoded)
    let password = try get(handle, CURLUPART_PASSWORD, decoded)
    try set(handle, CURLUPART_USER, nil)
    try set(handle, CURLUPART_PASSWORD, nil)
    guard user != nil || password != nil else { return nil }
    guard user?.contains(":") != true else { throw Problem(why: "a colon in the user name") }
    return "\(user ?? ""):\(password ?? "")"
  }

  private static func set(
    _ handle: OpaquePointer, _ part: CURLUPart, _ text: String?, _ flags: UInt32 = 0
  ) throws(Problem) {
    let code = curl_url_set(handle, part, text, flags)
    guard code == CURLUE_OK else { throw Problem(why: words(code)) }
  }

  /// Nil when the address has no such part.
  private static func get(
    _ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0
  ) throws(Problem) -> String? {
    var bytes: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, part, &bytes, flags)
    defer { curl_free(bytes) }
    if absences.contains(code.rawValue) { return nil }
    guard code == CURLUE_OK, let bytes else { throw Problem(why: words(code)) }
    guard let text = String(validatingCString: bytes) else { throw Problem(why: "not UTF-8") }
    return text
  }

  private static let absences = [
    CURLUE_NO_SCHEME, CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_HOST, CURLUE_NO_PORT, CURLUE_NO_FRAGMENT,
  ].map(\.rawValue)

  private static func words(_ code: CURLUcode) -> String {
    guard let text = curl_url_strerror(code) else { return "error \(code.rawValue)" }
    let words = String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}
