import CCurl
import CLinux
import Glibc

/// The sockets that libcurl has open, idle ones in its pool too: so that their buffers can follow a limit that changes while they live, and so
/// that a connection is only used again if nothing lies on it. Bytes that a server sent after an answer's end must not be taken for the next
/// answer; libcurl looks at an idle connection only to see whether it is closed. (It tells a transfer's socket only after its end.)
final class CurlSockets {
  /// Those that are open.
  private var sockets: [curl_socket_t: Facts] = [:]

  private struct Facts {
    /// The port at this end; nil until it is known.
    var port: Int32?
    /// Whether a request has gone over it.
    var isUsed = false
  }

  /// Has libcurl tell of every socket that it opens for a transfer, uses and closes afterwards.
  func watch(_ handle: UnsafeMutableRawPointer, _ opening: Opening) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_socket_setup(handle, setUpSocket)
    ccurl_set_pointer(handle, CURLOPT_SOCKOPTDATA, Unmanaged.passUnretained(opening).toOpaque())
    ccurl_set_before_request(handle, beforeRequest)
    ccurl_set_pointer(handle, CURLOPT_PREREQDATA, context)
    ccurl_set_close_socket(handle, closeSocket)
    ccurl_set_pointer(handle, CURLOPT_CLOSESOCKETDATA, context)
  }

  /// What a transfer's new sockets get; it lives as long as the transfer.
  final class Opening {
    unowned let sockets: CurlSockets
    let window: Int?
    /// Those that it had libcurl open.
    fileprivate var opened: [Int32] = []
    init(_ sockets: CurlSockets, window: Int?) { (self.sockets, self.window) = (sockets, window) }
  }

  /// The receive buffer of every open socket; nil lets the kernel choose again.
  func setWindow(_ window: Int?) { for socket in sockets.keys { Self.setWindow(window, on: socket) } }

  /// The same for those that one transfer has opened; one that it shares with an earlier transfer stays as it is.
  func setWindow(_ window: Int?, of opening: Opening) {
    for socket in opening.opened where sockets[socket] != nil { Self.setWindow(window, on: socket) }
  }

  /// Bytes that lie in all open sockets, or in those of one transfer, as far as they are more than `window` in each.
  func waiting(beyond window: Int, of opening: Opening? = nil) -> Int {
    sockets.keys.filter { opening?.opened.contains($0) ?? true }.reduce(0) { sum, socket in
      var count: Int32 = 0
      return ioctl(socket, UInt(FIONREAD), &count) == 0 ? sum + max(0, Int(count) - window) : sum
    }
  }

  private static func setWindow(_ window: Int?, on socket: Int32) {
    guard let window else { return _ = clinux_free_buffers(socket) }
    var size = Int32(window)
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  fileprivate func opened(_ socket: Int32, _ window: Int?) {
    sockets[socket] = Facts()
    if let window { Self.setWindow(window, on: socket) }
  }

  fileprivate func closed(_ socket: Int32) {
    sockets[socket] = nil
    close(socket)
  }

  /// Whether the connection from this local port may carry a request. One that carried another before must have nothing on it; what lies
  /// there is only looked at, never taken away. (On a fresh one that may be the handshake's.)
  fileprivate func mayCarryRequest(from localPort: Int32) -> Bool {
    for (socket, facts) in sockets {
      let port = facts.port ?? Self.localPort(of: socket)
      if facts.port == nil { sockets[socket]?.port = port }
      guard port == localPort else { continue }
      sockets[socket]?.isUsed = true
      var byte: UInt8 = 0
      if facts.isUsed, recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 { return false }
    }
    return true
  }

  /// Nil while it is not connected.
  private static func localPort(of socket: curl_socket_t) -> Int32? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.baseAddress.map { getsockname(socket, $0.assumingMemoryBound(to: sockaddr.self), &length) } ?? -1
    }
    // The port stands at the same place in IPv4's and IPv6's addresses.
    return result == 0 && address.sin6_port != 0 ? Int32(UInt16(bigEndian: address.sin6_port)) : nil
  }
}

/// CURLOPT_SOCKOPTFUNCTION(3).
private func setUpSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _: curlsocktype) -> Int32 {
  guard let context else { return CURL_SOCKOPT_OK }
  let opening = Unmanaged<CurlSockets.Opening>.fromOpaque(context).takeUnretainedValue()
  opening.opened.append(socket)
  opening.sockets.opened(socket, opening.window)
  return CURL_SOCKOPT_OK
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

/// CURLOPT_CLOSESOCKETFUNCTION(3).
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
  guard let context else { return close(socket) }
  Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().closed(socket)
  return 0
}
