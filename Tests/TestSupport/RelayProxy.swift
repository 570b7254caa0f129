import Foundation
import Glibc
import Synchronization

/// A proxy inside the test process: HTTP, with and without CONNECT, and SOCKS5. It knows no names: whatever host it is asked for, it
/// goes to that port of the loopback.
package final class RelayProxy: Sendable {
  /// How it treats what goes through.
  package struct Manners: Sendable {
    /// `name:password` that it wants to hear.
    package var credentials: String?
    /// Cuts every connection after so many bytes from the other side.
    package var cutsAfter: Int?
    /// Takes the Range out of plain requests.
    package var stripsRange = false
    package init() {}
  }

  /// What it was asked for.
  package struct Asked: Sendable, Equatable {
    /// `CONNECT`, `GET` or `SOCKS`.
    package let way: String
    /// As the client named it.
    package let host: String
    package let port: UInt16

    package init(way: String, host: String, port: UInt16) { (self.way, self.host, self.port) = (way, host, port) }
  }

  private let server: RawServer
  private let record: Record

  package init(_ manners: Manners = Manners()) throws {
    let record = Record(manners)
    self.record = record
    server = try RawServer { record.serve($0) }
  }

  package var port: UInt16 { server.port }
  package var asked: [Asked] { record.asked.withLock { $0 } }
}

private final class Record: Sendable {
  let manners: RelayProxy.Manners
  let asked = Mutex<[RelayProxy.Asked]>([])

  init(_ manners: RelayProxy.Manners) { self.manners = manners }

  func serve(_ connection: Connection) {
    guard var rest = connection.receive(), let first = rest.first else { return }
    if first == 5 { return socks(connection, &rest) }
    while let head = connection.readHead(&rest), let request = ReceivedRequest(head: head, connection: 0) {
      guard isWelcome(request) else {
        let lines = ["Proxy-Authenticate: Basic realm=\"proxy\""]
        connection.respond(407, headers: lines, body: "who are you?\n")
        continue
      }
      return request.method == "CONNECT" ? tunnel(request, connection) : forward(request, connection)
    }
  }

  // MARK: HTTP

  private func isWelcome(_ request: ReceivedRequest) -> Bool {
    guard let credentials = manners.credentials else { return true }
    return request["proxy-authorization"] == "Basic " + Data(credentials.utf8).base64EncodedString()
  }

  private func tunnel(_ request: ReceivedRequest, _ connection: Connection) {
    guard let peer = connect(way: "CONNECT", request.target) else { return connection.respond(502) }
    connection.send("HTTP/1.1 200 Connected\r\n\r\n")
    relay(connection, peer)
  }

  private func forward(_ request: ReceivedRequest, _ connection: Connection) {
    let address = request.target.dropFirst("http://".count)
    let authority = address.prefix { $0 != "/" }
    guard let peer = connect(way: request.method, String(authority)) else { return connection.respond(502) }
    let dropped = ["proxy-authorization", "proxy-connection"] + (manners.stripsRange ? ["range", "if-range"] : [])
    let lines =
      ["\(request.method) \(address.dropFirst(authority.count)) HTTP/1.1", "Connection: close"]
      + request.headers.filter { !dropped.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
    _ = sendAll(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), to: peer)
    relay(connection, peer)
  }

  private func connect(way: String, _ authority: String) -> Int32? {
    let halves = authority.split(separator: ":")
    guard let port = UInt16(halves.count > 1 ? halves[1] : "80") else { return nil }
    asked.withLock { $0.append(RelayProxy.Asked(way: way, host: String(halves[0]), port: port)) }
    return try? connectToLoopback(port)
  }

  // MARK: SOCKS5 (RFC 1928, RFC 1929)

  private func socks(_ connection: Connection, _ rest: inout [UInt8]) {
    guard let count = take(2, &rest, connection)?.last, let methods = take(Int(count), &rest, connection) else {
      return
    }
    let wanted: UInt8 = manners.credentials == nil ? 0 : 2
    guard methods.contains(wanted) else { return _ = connection.send([5, 0xFF]) }
    connection.send([5, wanted])
    if let credentials = manners.credentials {
      let isRight = readCredentials(&rest, connection) == credentials
      connection.send([1, isRight ? 0 : 1])
      guard isRight else { return }
    }
    guard let head = take(4, &rest, connection), let host = readHost(head[3], &rest, connection),
      let port = take(2, &rest, connection).map({ UInt16($0[0]) << 8 | UInt16($0[1]) })
    else { return }
    asked.withLock { $0.append(RelayProxy.Asked(way: "SOCKS", host: host, port: port)) }
    let peer = try? connectToLoopback(port)
    connection.send([5, peer == nil ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0])
    if let peer { relay(connection, peer) }
  }

  private func readCredentials(_ rest: inout [UInt8], _ connection: Connection) -> String? {
    guard take(1, &rest, connection) != nil, let name = readText(&rest, connection),
      let password = readText(&rest, connection)
    else { return nil }
    return name + ":" + password
  }

  private func readHost(_ kind: UInt8, _ rest: inout [UInt8], _ connection: Connection) -> String? {
    guard kind != 3 else { return readText(&rest, connection) }
    let bytes = take(kind == 4 ? 16 : 4, &rest, connection)
    return bytes.map { $0.map(String.init).joined(separator: ".") }
  }

  private func readText(_ rest: inout [UInt8], _ connection: Connection) -> String? {
    guard let count = take(1, &rest, connection)?.first else { return nil }
    return take(Int(count), &rest, connection).map { String(decoding: $0, as: UTF8.self) }
  }

  private func take(_ count: Int, _ rest: inout [UInt8], _ connection: Connection) -> [UInt8]? {
    while rest.count < count {
      guard let more = connection.receive() else { return nil }
      rest += more
    }
    defer { rest.removeFirst(count) }
    return Array(rest[..<count])
  }

  // MARK: Bytes

  private func relay(_ connection: Connection, _ peer: Int32) {
    defer { close(peer) }
    var left = manners.cutsAfter ?? .max
    while let client = connection.descriptor, left > 0 {
      var ready = [client, peer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&ready, 2, -1) > 0 else { return }
      if ready[0].revents != 0 {
        guard let bytes = connection.receive(), sendAll(bytes, to: peer) else { return }
      }
      if ready[1].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: min(left, 1 << 16))
        let count = recv(peer, &bytes, bytes.count, 0)
        guard count > 0, connection.send(Array(bytes[..<count])) else { return }
        left -= count
      }
    }
  }
}
