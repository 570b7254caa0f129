import Glibc

/// A listening socket on 127.0.0.1 and the port that the kernel chose.
func listenOnLoopback() throws -> (socket: Int32, port: UInt16) {
  let descriptor = streamSocket()
  guard descriptor >= 0 else { throw SystemError("socket") }
  var address = loopback(port: 0)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let failed = withSocketAddress(&address) {
    bind(descriptor, $0, size) != 0 || listen(descriptor, 1024) != 0 || getsockname(descriptor, $0, &size) != 0
  }
  guard !failed else { throw SystemError("listen on loopback") }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// A port that nobody listens on at the moment: for servers that cannot be handed a socket, and for refused connections.
package func freePort() throws -> UInt16 {
  let (socket, port) = try listenOnLoopback()
  close(socket)
  return port
}

/// Whether somebody accepts connections on that port of the loopback.
package func accepts(_ port: UInt16) -> Bool {
  let descriptor = streamSocket()
  defer { close(descriptor) }
  var address = loopback(port: port)
  return withSocketAddress(&address) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
}

/// A connection to that port of the loopback.
func connectToLoopback(_ port: UInt16) throws -> Int32 {
  let descriptor = streamSocket()
  var address = loopback(port: port)
  guard withSocketAddress(&address, { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }) == 0 else {
    close(descriptor)
    throw SystemError("connect to loopback")
  }
  return descriptor
}

/// False when the peer has gone.
func sendAll(_ bytes: some Collection<UInt8>, to socket: Int32) -> Bool {
  var left = Array(bytes)[...]
  while !left.isEmpty {
    let count = left.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard count > 0 else { return false }
    left = left.dropFirst(count)
  }
  return true
}

private func streamSocket() -> Int32 {
  socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
}

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  return address
}

private func withSocketAddress<Result>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
}
