import Glibc
import Synchronization

/// Ports below those that the kernel gives away, each handed out once: a server that starts a moment later, or again, finds its port free.
private let ports = 10_000..<UInt16(32_000)
private let nextPort = Mutex(UInt16.random(in: ports))

/// A listening socket on an address of this machine, and its port: for 0 one that no other test has. `queue` is listen(2)'s backlog.
func openListener(
  on address: String = "127.0.0.1", port: UInt16 = 0, queue: Int32 = 1024
) throws -> (socket: Int32, port: UInt16) {
  guard port == 0 else { return try listener(on: address, port, queue) }
  for _ in 0..<1000 {
    let candidate = nextPort.withLock { next in
      next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound
      return next
    }
    do { return try listener(on: address, candidate, queue) } catch let error as SystemError {
      guard error.code == EADDRINUSE else { throw error }
    }
  }
  throw ToolFailed(description: "no free port on \(address)")
}

private func listener(on address: String, _ port: UInt16, _ queue: Int32) throws -> (socket: Int32, port: UInt16) {
  try withAddress(address, port) { family, target, size in
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    guard descriptor >= 0, bind(descriptor, target, size) == 0, listen(descriptor, queue) == 0 else {
      let error = SystemError("listen on \(address)")
      close(descriptor)
      throw error
    }
    return (descriptor, port)
  }
}

/// Lends a numeric address with a port as the system's calls want it: family, address, size.
func withAddress<Result>(
  _ address: String, _ port: UInt16, _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) throws -> Result
) throws -> Result {
  var hints = addrinfo()
  (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST, Int32(SOCK_STREAM.rawValue))
  var found: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let first = found?.pointee, let target = first.ai_addr
  else { throw ToolFailed(description: "not an address: \(address)") }
  defer { freeaddrinfo(found) }
  return try body(first.ai_family, target, first.ai_addrlen)
}

/// A port that nobody listens on at the moment: for servers that cannot be handed a socket, and for refused connections.
package func freePort() throws -> UInt16 {
  let (socket, port) = try openListener()
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
