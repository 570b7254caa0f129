import CCurl
import CLinux
import Glibc

/// The sockets that libcurl has open, idle ones in its pool too, so that their buffers can follow a limit that changes while they live.
/// (libcurl 7.88 tells a transfer's socket only after its end.)
final class CurlSockets {
  private var open: Set<Int32> = []

  /// Has libcurl tell of every socket that it opens for a transfer and closes afterwards. `window` is that of new ones.
  func watch(_ handle: UnsafeMutableRawPointer, _ opening: Opening) {
    ccurl_set_socket_setup(handle, setUpSocket)
    ccurl_set_pointer(handle, CURLOPT_SOCKOPTDATA, Unmanaged.passUnretained(opening).toOpaque())
    ccurl_set_socket_closing(handle, closeSocket)
    ccurl_set_pointer(handle, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
  }

  /// What a transfer's new sockets get; it lives as long as the transfer.
  final class Opening {
    unowned let sockets: CurlSockets
    let window: Int?
    init(_ sockets: CurlSockets, window: Int?) { (self.sockets, self.window) = (sockets, window) }
  }

  /// The receive buffer of every open socket; nil lets the kernel choose again.
  func setWindow(_ window: Int?) { for socket in open { Self.setWindow(window, on: socket) } }

  private static func setWindow(_ window: Int?, on socket: Int32) {
    guard let window else { return _ = clinux_free_buffers(socket) }
    var size = Int32(window)
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  fileprivate func opened(_ socket: Int32, _ window: Int?) {
    open.insert(socket)
    if let window { Self.setWindow(window, on: socket) }
  }

  fileprivate func closed(_ socket: Int32) {
    open.remove(socket)
    close(socket)
  }
}

/// libcurl's CURLOPT_SOCKOPTFUNCTION(3).
private func setUpSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _: curlsocktype) -> Int32 {
  guard let context else { return CURL_SOCKOPT_OK }
  let opening = Unmanaged<CurlSockets.Opening>.fromOpaque(context).takeUnretainedValue()
  opening.sockets.opened(socket, opening.window)
  return CURL_SOCKOPT_OK
}

/// libcurl's CURLOPT_CLOSESOCKETFUNCTION(3).
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
  guard let context else { return close(socket) }
  Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().closed(socket)
  return 0
}
