import Glibc

/// A port of the loopback where no connection ever comes about: a listener whose queue is full leaves every further handshake unanswered.
package final class DeadAddress: Sendable {
  private let sockets: [Int32]
  package let port: UInt16

  /// `address` is `127.0.0.x` or `::1`; port 0 lets the kernel choose.
  package init(_ address: String, port: UInt16 = 0) throws {
    let (listener, port) = try openListener(on: address, port: port, queue: 0)
    var sockets = [listener]
    while sockets.count < 16 {
      let socket = try beginConnecting(to: address, port)
      sockets.append(socket)
      if !isConnected(socket) { break }
    }
    (self.sockets, self.port) = (sockets, port)
    guard sockets.count < 16 else { throw ToolFailed(description: "a full queue still takes connections here") }
  }

  deinit { for socket in sockets { close(socket) } }
}

/// Whether this machine has the address ::1.
package let hasIPv6: Bool = {
  guard let (socket, _) = try? openListener(on: "::1") else { return false }
  close(socket)
  return true
}()

private func beginConnecting(to address: String, _ port: UInt16) throws -> Int32 {
  try withAddress(address, port) { family, target, size in
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, kind, 0)
    connect(descriptor, target, size)
    return descriptor
  }
}

/// Within a fifth of a second: on the loopback it takes none.
private func isConnected(_ socket: Int32) -> Bool {
  var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
  return poll(&ready, 1, 200) > 0
}
