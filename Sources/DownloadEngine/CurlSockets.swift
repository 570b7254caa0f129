import CCurl
import Glibc

/// The sockets of libcurl's connections. A connection is used again only if nothing lies on it: bytes that a server sent after an answer's
/// end must not be taken for the next answer. libcurl looks at an idle connection only to see whether it is closed.
final class CurlSockets {
  /// Those that are open, and whether a request has gone over them.
  fileprivate var sockets: [curl_socket_t: Bool] = [:]

  func watch(_ handle: UnsafeMutableRawPointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_open_socket(handle, openSocket)
    ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context)
    ccurl_set_close_socket(handle, closeSocket)
    ccurl_set_pointer(handle, CURLOPT_CLOSESOCKETDATA, context)
    ccurl_set_before_request(handle, beforeRequest)
    ccurl_set_pointer(handle, CURLOPT_PREREQDATA, context)
  }

  /// Whether the connection from this local port may carry a request. One that carried another before must have nothing on it; what lies
  /// there is only looked at, never taken away. (On a fresh one that may be the handshake's.)
  fileprivate func mayCarryRequest(from localPort: Int32) -> Bool {
    for (socket, isUsed) in sockets where Self.localPort(of: socket) == localPort {
      sockets[socket] = true
      var byte: UInt8 = 0
      if isUsed, recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 { return false }
    }
    return true
  }

  private static func localPort(of socket: curl_socket_t) -> Int32? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.baseAddress.map { getsockname(socket, $0.assumingMemoryBound(to: sockaddr.self), &length) } ?? -1
    }
    // The port stands at the same place in IPv4's and IPv6's addresses.
    return result == 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
  }
}

/// CURLOPT_OPENSOCKETFUNCTION(3).
private func openSocket(
  _ context: UnsafeMutableRawPointer?, _: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address = address?.pointee else { return -1 }
  let made = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
  if made >= 0 { Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().sockets[made] = false }
  return made
}

/// CURLOPT_CLOSESOCKETFUNCTION(3).
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
  if let context { Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().sockets[socket] = nil }
  return close(socket)
}

/// CURLOPT_PREREQFUNCTION(3): the connection is chosen, the request is not sent yet.
private func beforeRequest(
  _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?, _: Int32,
  _ localPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_OK }
  let sockets = Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue()
  return sockets.mayCarryRequest(from: localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
