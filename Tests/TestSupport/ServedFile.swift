/// A file on an origin, and every way in which the origin may be good or bad at serving it. The plain value is a good origin:
/// strong ETag, dates, ranges, If-Range, keep-alive.
package struct ServedFile: Sendable {
  package var body: Body
  package var etag: String? = "\"v1\""
  package var lastModified: String? = "Mon, 01 Jan 2024 00:00:00 GMT"
  package var date: String? = "Wed, 03 Jan 2024 00:00:00 GMT"
  package var ranges: Ranges = .honoured
  /// Value of Accept-Ranges; nil leaves it out.
  package var acceptRanges: String? = "bytes"
  package var honoursIfRange = true
  package var framing: Framing = .length
  package var ending: Ending = .whole
  package var disposition: String?
  package var contentType = "application/octet-stream"
  /// More header lines, `Name: value`.
  package var headers: [String] = []
  /// Instead of 200 or 206.
  package var status: Int?
  /// Value of Content-Range instead of the true one; only sent with a 206.
  package var contentRange: String?
  /// Value of Content-Length instead of the true one.
  package var contentLength: String?
  /// For each connection.
  package var bytesPerSecond: Int?
  /// Silence before the first byte of the head.
  package var delay: Duration = .zero
  /// A request beyond so many at once gets a 503.
  package var requestLimit: Int?

  /// What becomes of a Range.
  package enum Ranges: Sendable {
    case honoured
    /// 200 and the whole body.
    case ignored
    /// This status and no body.
    case refused(Int)
    /// Every range starts so many bytes later than asked, truthfully labelled.
    case shifted(Int64)
  }

  /// How the end of the body is told.
  package enum Framing: Sendable {
    case length
    case chunked(Int)
    /// HTTP/1.1 without a length.
    case close
    /// The same as HTTP/1.0.
    case http10
  }

  /// How far the body goes, in body bytes of each answer, and what then happens.
  package enum Ending: Sendable {
    case whole
    case closed(after: Int64)
    case reset(after: Int64)
    /// Holds until the peer goes, the origin stops, or the gate opens; then sends the rest.
    case held(after: Int64, Gate)
  }

  package init(_ body: Body) { self.body = body }
  package init(_ bytes: [UInt8]) { self.init(Body(bytes)) }

  /// The same with some things changed: `file.with { $0.etag = nil }`.
  package func with(_ change: (inout ServedFile) -> Void) -> ServedFile {
    var copy = self
    change(&copy)
    return copy
  }

  package var handler: ScriptedOrigin.Handler { { request, connection in answer(request, connection) } }

  package func answer(_ request: ReceivedRequest, _ connection: Connection) {
    connection.sleep(delay)
    if let requestLimit, connection.requestsInProgress > requestLimit {
      return connection.respond(503, headers: ["Retry-After: 1"], body: "too many connections\n")
    }
    switch part(request) {
    case .all: send(0..<body.count, status ?? 200, request, connection)
    case .some(let range): send(range, status ?? 206, request, connection)
    case .beyond: connection.respond(416, headers: ["Content-Range: bytes */\(body.count)"])
    case .refused(let code): connection.respond(code)
    }
  }

  private enum Part {
    case all, beyond
    case some(Range<Int64>)
    case refused(Int)
  }

  private func part(_ request: ReceivedRequest) -> Part {
    guard let asked = request.range, ifRangeHolds(request) else { return .all }
    switch ranges {
    case .ignored: return .all
    case .refused(let code): return .refused(code)
    case .honoured: return clipped(asked.first, asked.last)
    case .shifted(let by): return clipped(asked.first + by, asked.last)
    }
  }

  private func clipped(_ first: Int64, _ last: Int64?) -> Part {
    let end = min(body.count, (last ?? .max - 1) + 1)
    return first < end ? .some(first..<end) : .beyond
  }

  private func ifRangeHolds(_ request: ReceivedRequest) -> Bool {
    guard honoursIfRange, let condition = request["if-range"] else { return true }
    return condition == (condition.contains("\"") ? etag : lastModified)
  }

  private func send(_ range: Range<Int64>, _ code: Int, _ request: ReceivedRequest, _ connection: Connection) {
    guard connection.send(head(range, code)) else { return }
    if request.method == "HEAD" { return connection.keepAlive() }
    connection.throttle(to: bytesPerSecond)
    defer { connection.throttle(to: nil) }
    switch ending {
    case .whole: sendRest(range, connection)
    case .closed(let count): sendBody(cut(range, count), connection)
    case .reset(let count):
      sendBody(cut(range, count), connection)
      connection.reset()
    case .held(let count, let gate):
      let start = cut(range, count)
      guard sendBody(start, connection) else { return }
      connection.hold(gate)
      if gate.isOpen { sendRest(start.upperBound..<range.upperBound, connection) }
    }
  }

  private func head(_ range: Range<Int64>, _ code: Int) -> String {
    var lines = ["\(isHTTP10 ? "HTTP/1.0" : "HTTP/1.1") \(code) \(reason(code))", "Content-Type: \(contentType)"]
    if code == 206 {
      let truth = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
      lines.append("Content-Range: \(contentRange ?? truth)")
    }
    lines += framingLines(range.upperBound - range.lowerBound)
    let optional = [
      "ETag": etag, "Last-Modified": lastModified, "Date": date, "Accept-Ranges": acceptRanges,
      "Content-Disposition": disposition,
    ]
    lines += optional.compactMap { name, value in value.map { "\(name): \($0)" } }.sorted() + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private func framingLines(_ count: Int64) -> [String] {
    switch framing {
    case .length: ["Content-Length: \(contentLength ?? String(count))"]
    case .chunked: ["Transfer-Encoding: chunked"] + (contentLength.map { ["Content-Length: \($0)"] } ?? [])
    case .close, .http10: ["Connection: close"]
    }
  }

  private var isHTTP10: Bool {
    switch framing {
    case .http10: true
    case .length, .chunked, .close: false
    }
  }

  private func cut(_ range: Range<Int64>, _ count: Int64) -> Range<Int64> {
    range.lowerBound..<min(range.upperBound, range.lowerBound + count)
  }

  /// The body's end, and after it whatever its framing allows.
  private func sendRest(_ range: Range<Int64>, _ connection: Connection) {
    guard sendBody(range, connection) else { return }
    switch framing {
    case .length: if contentLength == nil { connection.keepAlive() }
    case .chunked:
      connection.send("0\r\n\r\n")
      connection.keepAlive()
    case .close, .http10: break
    }
  }

  @discardableResult private func sendBody(_ range: Range<Int64>, _ connection: Connection) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, offset + pieceSize)
      let piece = body.bytes(offset..<end)
      guard connection.send(framed(piece)) else { return false }
      offset = end
    }
    return true
  }

  private var pieceSize: Int64 {
    switch framing {
    case .chunked(let size): Int64(size)
    case .length, .close, .http10: 1 << 18
    }
  }

  private func framed(_ piece: [UInt8]) -> [UInt8] {
    switch framing {
    case .chunked: Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
    case .length, .close, .http10: piece
    }
  }
}
