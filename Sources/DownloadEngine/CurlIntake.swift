import CCurl
import CLinux
import Glibc

/// How much may lie between the server and a transfer: what waits in the kernel or in libcurl has passed the line already, so that no limit
/// on our side can hold it back. A limited transfer gets half a second's worth of its share; all others what the kernel thinks best.
struct CurlIntake: Equatable {
  private static let readSizes = 1 << 10...16 << 10
  private static let windows = 4 << 10...256 << 10

  /// The buffer that libcurl reads into (CURLOPT_BUFFERSIZE(3)).
  let readSize: Int
  /// The socket's receive buffer, of which the kernel makes twice as much (socket(7)); nil leaves it to the kernel.
  let window: Int?

  /// `share` is in bytes per second; nil is no limit.
  init(share: Int64?, unlimited readSize: Int) {
    self.readSize = share.map { Self.bounded($0 / 8, Self.readSizes) } ?? readSize
    window = share.map { Self.bounded($0 / 4, Self.windows) }
  }

  private static func bounded(_ size: Int64, _ range: ClosedRange<Int>) -> Int {
    min(max(Int(size), range.lowerBound), range.upperBound)
  }

  /// For a transfer that is to begin.
  func apply(to handle: UnsafeMutableRawPointer) {
    ccurl_set_long(handle, CURLOPT_BUFFERSIZE, readSize)
    guard let window else { return }
    ccurl_set_socket_setup(handle, setUpSocket)
    ccurl_set_pointer(handle, CURLOPT_SOCKOPTDATA, UnsafeMutableRawPointer(bitPattern: window))
  }

  /// For the connection that a transfer has already.
  func adjustSocket(of handle: UnsafeMutableRawPointer) {
    var socket: curl_socket_t = -1
    guard ccurl_get_socket(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK, socket >= 0 else { return }
    Self.set(window, on: socket)
  }

  fileprivate static func set(_ window: Int?, on socket: Int32) {
    guard let window else { return _ = clinux_free_buffers(socket) }
    var size = Int32(window)
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// libcurl's socket callback (CURLOPT_SOCKOPTFUNCTION(3)); the context is the window.
private func setUpSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _: curlsocktype) -> Int32 {
  CurlIntake.set(Int(bitPattern: context), on: socket)
  return CURL_SOCKOPT_OK
}
