import Foundation
import Glibc
import Synchronization

/// An HTTP origin inside the test process: a raw socket on a free loopback port, one thread a connection, and a handler that
/// may send anything at all and can be swapped while it runs. It logs every request. It stops when it is released.
package final class ScriptedOrigin: Sendable {
  package typealias Handler = @Sendable (ReceivedRequest, Connection) -> Void

  package let port: UInt16
  private let listener: Int32
  private let record: OriginRecord

  /// `sendBuffer` bounds in bytes what the kernel takes ahead of the peer's reading; nil leaves it to the kernel, as 0 does the port.
  package init(
    on address: String = "127.0.0.1", port: UInt16 = 0, sendBuffer: Int32? = nil,
    _ handler: @escaping Handler = { $1.respond(404) }
  ) throws {
    (listener, self.port) = try openListener(on: address, port: port)
    record = OriginRecord(handler, pieceSize: sendBuffer.map(Int.init) ?? 1 << 18)
    Thread.detachNewThread { [listener, record] in
      accept(on: listener, sendBuffer, record) { converse($0, record) }
    }
  }

  package convenience init(_ file: ServedFile) throws { try self.init(file.handler) }

  deinit { stop() }

  /// `http://127.0.0.1:PORT/path`.
  package func url(_ path: String = "/file.bin") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Answers the requests that come from now on.
  package func serve(_ handler: @escaping Handler) { record.handle(with: handler) }
  package func serve(_ file: ServedFile) { serve(file.handler) }

  /// One file a path; anything else is 404.
  package func serve(paths: [String: ServedFile]) {
    serve { request, connection in
      guard let file = paths[request.path] else { return connection.respond(404, body: "no such file\n") }
      file.answer(request, connection)
    }
  }

  package func serve(inTurn handlers: [Handler]) { serve(Self.inTurn(handlers)) }

  /// One handler a request, in turn; the last one answers all further requests.
  package static func inTurn(_ handlers: [Handler]) -> Handler {
    let next = Atomic(0)
    return { request, connection in
      let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard let last = handlers.last else { return connection.respond(404) }
      (turn < handlers.count ? handlers[turn] : last)(request, connection)
    }
  }

  /// All requests so far, oldest first.
  package var requests: [ReceivedRequest] { record.requests }
  package var counters: Counters { record.counters }

  /// Forgets the requests logged so far; the counters go on.
  package func clearRequests() { record.clearRequests() }

  /// Refuses new connections and cuts the open ones. Done by itself at the end of the origin's life.
  package func stop() {
    guard record.stop() else { return }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Sums over the life of an origin.
  package struct Counters: Sendable {
    package var connectionsAccepted = 0
    package var connectionsOpen = 0
    package var mostConnectionsOpen = 0
    package var requestsInProgress = 0
    package var mostRequestsInProgress = 0
    /// Bytes that the kernel took from the handlers, heads included.
    package var bytesSent: Int64 = 0
  }
}

/// What an origin and the threads of its connections share.
final class OriginRecord: Sendable {
  private struct State {
    var handler: ScriptedOrigin.Handler
    var requests: [ReceivedRequest] = []
    var counters = ScriptedOrigin.Counters()
    var open: [Int: Connection] = [:]
    var stopped = false
  }
  private let state: Mutex<State>
  /// How much is handed to the kernel at once, and so counted at once.
  let pieceSize: Int

  init(_ handler: @escaping ScriptedOrigin.Handler, pieceSize: Int = 1 << 18) {
    state = Mutex(State(handler: handler))
    self.pieceSize = pieceSize
  }

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }
  var counters: ScriptedOrigin.Counters { state.withLock { $0.counters } }
  var isStopped: Bool { state.withLock { $0.stopped } }
  func handle(with handler: @escaping ScriptedOrigin.Handler) { state.withLock { $0.handler = handler } }
  func clearRequests() { state.withLock { $0.requests = [] } }
  func sent(_ count: Int) { state.withLock { $0.counters.bytesSent += Int64(count) } }

  /// False when it was stopped before.
  func stop() -> Bool {
    state.withLock { state in
      defer { state.stopped = true }
      for connection in state.open.values { connection.interrupt() }
      return !state.stopped
    }
  }

  func opened(_ socket: Int32) -> Connection {
    state.withLock { state in
      state.counters.connectionsAccepted += 1
      state.counters.connectionsOpen += 1
      let connection = Connection(number: state.counters.connectionsAccepted, socket: socket, record: self)
      state.open[connection.number] = connection
      // One that the peer has closed may still be in the hands of a handler that has not noticed.
      let living = state.open.values.count { !$0.hasHungUp }
      state.counters.mostConnectionsOpen = max(state.counters.mostConnectionsOpen, living)
      return connection
    }
  }

  func closed(_ connection: Connection) {
    state.withLock { state in
      state.counters.connectionsOpen -= 1
      state.open[connection.number] = nil
    }
  }

  func began(_ request: ReceivedRequest) -> ScriptedOrigin.Handler {
    state.withLock { state in
      state.requests.append(request)
      state.counters.requestsInProgress += 1
      state.counters.mostRequestsInProgress =
        max(state.counters.mostRequestsInProgress, state.counters.requestsInProgress)
      return state.handler
    }
  }

  func ended() { state.withLock { $0.counters.requestsInProgress -= 1 } }
}

/// Takes connections until the record says stop; `serve` has each of them on a thread of its own.
func accept(
  on listener: Int32, _ sendBuffer: Int32?, _ record: OriginRecord, _ serve: @escaping @Sendable (Connection) -> Void
) {
  while !record.isStopped {
    var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, -1) > 0 else { continue }
    let socket = inheritance.withLock { _ in
      let socket = Glibc.accept(listener, nil, nil)
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      return socket
    }
    guard socket >= 0 else { continue }
    prepare(socket, sendBuffer)
    let connection = record.opened(socket)
    Thread.detachNewThread {
      serve(connection)
      if record.isStopped { connection.reset() } else { connection.close() }
      record.closed(connection)
    }
  }
  close(listener)
}

private func prepare(_ socket: Int32, _ sendBuffer: Int32?) {
  var yes: Int32 = 1
  setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
  if var sendBuffer { setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sendBuffer, 4) }
}

/// Reads requests and answers them until the handler or the peer ends it.
private func converse(_ connection: Connection, _ record: OriginRecord) {
  var rest: [UInt8] = []
  while !record.isStopped, let head = connection.readHead(&rest),
    let request = ReceivedRequest(head: head, connection: connection.number)
  {
    record.began(request)(request, connection)
    record.ended()
    guard connection.takeKeepAlive() else { break }
  }
}
