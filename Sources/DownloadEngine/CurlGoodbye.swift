import CCurl
import Synchronization

/// Whether the peers of TLS connections have said goodbye. A body that ends with its connection is whole only then (RFC 9112 §9.8), but
/// libcurl 7.88 takes any end of a TLS connection for a good one.
enum CurlGoodbye {
  /// By the address of OpenSSL's session, for those that a transfer reads from: whether the close alert has come.
  fileprivate static let sessions = Mutex<[UInt: Bool]>([:])

  static func watch(_ handle: UnsafeMutableRawPointer) { ccurl_set_context_hook(handle, prepareContext) }

  /// The session that the handle reads from, watched from now on; nil for a plain connection. Only to be asked from a callback.
  static func session(of handle: UnsafeMutableRawPointer) -> UInt? {
    guard let session = ccurl_tls_session(handle) else { return nil }
    let address = UInt(bitPattern: session)
    sessions.withLock { $0[address] = $0[address] ?? false }
    return address
  }

  static func isSaid(in session: UInt) -> Bool { sessions.withLock { $0[session] ?? false } }
  static func forget(_ session: UInt) { sessions.withLock { $0[session] = nil } }
}

/// CURLOPT_SSL_CTX_FUNCTION(3): every new connection has a context of its own.
private func prepareContext(
  _ handle: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ user: UnsafeMutableRawPointer?
) -> CURLcode {
  ccurl_watch_alerts(context, hearAlert)
  return CURLE_OK
}

/// SSL_CTX_set_info_callback(3).
private func hearAlert(_ session: OpaquePointer?, _ kind: Int32, _ value: Int32) {
  guard ccurl_is_close_alert(kind, value) != 0, let session else { return }
  CurlGoodbye.sessions.withLock { sessions in
    let address = UInt(bitPattern: session)
    if sessions[address] != nil { sessions[address] = true }
  }
}
