import Glibc
import Synchronization

/// One accepted connection, in the hands of the handler on its own thread. It can send anything, legal or not, and end in
/// every way a socket can. If a handler neither calls `keepAlive` nor ends it, it is closed cleanly afterwards.
package final class Connection: Sendable {
  /// Counted from 1 in the order of acceptance.
  package let number: Int
  let record: OriginRecord
  /// Nil once closed. Other threads may only shut it down, under the lock, so that the number is never one of a later socket.
  private let socket: Mutex<Int32?>
  private let rate = Mutex<Int?>(nil)
  private let reuse = Atomic(false)

  init(number: Int, socket: Int32, record: OriginRecord) {
    self.number = number
    self.socket = Mutex(socket)
    self.record = record
  }

  /// Bytes per second for all that is sent from now on; nil is as fast as it goes.
  package func throttle(to bytesPerSecond: Int?) { rate.withLock { $0 = bytesPerSecond } }

  /// Requests in progress on the whole origin, this one included.
  package var requestsInProgress: Int { record.counters.requestsInProgress }

  /// After this answer another request may come on the connection.
  package func keepAlive() { reuse.store(true, ordering: .relaxed) }

  /// Sends all bytes. False when the peer has gone or the origin was stopped.
  @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { all in
      var left = all[...]
      while !left.isEmpty {
        let pace = rate.withLock { $0 }
        let chunk = left.prefix(pace.map { max(1, $0 / 20) } ?? left.count)
        guard write(UnsafeRawBufferPointer(rebasing: chunk)) else { return false }
        if let pace { sleep(.seconds(Double(chunk.count) / Double(max(1, pace)))) }
        left = left.dropFirst(chunk.count)
      }
      return true
    }
  }

  @discardableResult package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// A whole answer with a length, after which the connection may be used again.
  package func respond(_ status: Int, headers: [String] = [], body: String = "") {
    let lines = ["HTTP/1.1 \(status) \(reason(status))"] + headers + ["Content-Length: \(body.utf8.count)"]
    send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    keepAlive()
  }

  /// Sleeps, but not longer than peer and origin live.
  package func sleep(_ duration: Duration) { hold(until: .now + duration, orOpen: nil) }

  /// Says nothing until the gate opens, the peer goes or the origin stops.
  package func hold(_ gate: Gate? = nil) { hold(until: nil, orOpen: gate) }

  /// Ends with RST: what the peer has not read yet may be lost to it.
  package func reset() {
    guard let descriptor else { return }
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    closeSocket()
  }

  /// Sends FIN and still reads.
  package func halfClose() {
    if let descriptor { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  /// Ends with FIN after everything sent has had its chance to arrive.
  package func close() {
    guard let descriptor else { return }
    halfClose()
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, 1000) > 0, drain(descriptor) {}
    closeSocket()
  }

  package var isOpen: Bool { descriptor != nil }

  // MARK: For the origin

  var descriptor: Int32? { socket.withLock { $0 } }

  /// Whether the handler wanted another request; asking resets it.
  func takeKeepAlive() -> Bool { isOpen && reuse.exchange(false, ordering: .relaxed) }

  /// From another thread: wakes whatever the handler waits for.
  func interrupt() {
    socket.withLock { if let descriptor = $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  /// The next head, up to the blank line; nil at the end of the stream or beyond 1 MiB.
  func readHead(_ rest: inout [UInt8]) -> [UInt8]? { read(&rest, upTo: [13, 10, 13, 10]) }

  /// The next line, CRLF included.
  package func readLine(_ rest: inout [UInt8]) -> String? {
    read(&rest, upTo: [13, 10]).map { String(decoding: $0, as: UTF8.self) }
  }

  private func read(_ rest: inout [UInt8], upTo mark: [UInt8]) -> [UInt8]? {
    var searched = 0
    while rest.count < 1 << 20 {
      if let end = end(of: mark, in: rest, from: searched) {
        let head = Array(rest[..<end])
        rest.removeFirst(end)
        return head
      }
      searched = max(0, rest.count - mark.count + 1)
      guard let more = receive() else { return nil }
      rest += more
    }
    return nil
  }

  private func closeSocket() {
    socket.withLock {
      if let descriptor = $0 { _ = Glibc.close(descriptor) }
      $0 = nil
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var left = bytes[...]
    while !left.isEmpty {
      guard let descriptor, !record.isStopped else { return false }
      let part = UnsafeRawBufferPointer(rebasing: left)
      let count = Glibc.send(descriptor, part.baseAddress, min(part.count, record.pieceSize), Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      record.sent(count)
      left = left.dropFirst(count)
    }
    return true
  }

  /// What has come, at most 16 KiB; nil at the end of the stream.
  package func receive() -> [UInt8]? {
    guard let descriptor else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, filled in
      filled = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  private func drain(_ descriptor: Int32) -> Bool {
    var waste = [UInt8](repeating: 0, count: 1 << 14)
    return recv(descriptor, &waste, waste.count, Int32(MSG_DONTWAIT)) > 0
  }

  private func hold(until end: ContinuousClock.Instant?, orOpen gate: Gate?) {
    while let descriptor, !record.isStopped, gate?.isOpen != true {
      let left = end.map { $0 - .now } ?? .seconds(1)
      guard left > .zero else { return }
      let step = min(20, Int32(left / .milliseconds(1)) + 1)
      var hangUp = pollfd(fd: descriptor, events: peerHungUp, revents: 0)
      if poll(&hangUp, 1, step) > 0 { return }
    }
  }
}

/// POLLRDHUP of poll(2), which the Glibc module does not offer.
private let peerHungUp: Int16 = 0x2000

/// The position after the first mark at or behind `start`.
private func end(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
  var index = start
  while index + mark.count <= bytes.count {
    if bytes[index] == mark[0], bytes[index..<index + mark.count].elementsEqual(mark) { return index + mark.count }
    index += 1
  }
  return nil
}

/// The usual words for the status codes that tests send.
func reason(_ status: Int) -> String {
  let known = [
    200: "OK", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 412: "Precondition Failed", 416: "Range Not Satisfiable",
    429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
  ]
  return known[status] ?? "Status"
}
