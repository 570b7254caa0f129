import Foundation
import TestSupport
import Testing

/// The scripted origin tells curl the truth, and lies only when it was asked to.
@Suite(.timeLimit(.minutes(2))) struct OriginTests {
  private let blob = Blob.random(count: 1_000_000, seed: 1)

  private func curl(_ arguments: String...) async throws -> (status: Int32, bytes: [UInt8], head: String) {
    let folder = try TemporaryFolder()
    let fixed = ["-sS", "-q", "--noproxy", "*", "-o", folder["body"], "-D", folder["head"]]
    let outcome = try await Program.run("/usr/bin/curl", fixed + arguments)
    return (outcome.status, folder.bytes(of: "body") ?? [], folder.text(of: "head") ?? "")
  }

  @Test func aGoodOriginServesWholeAndRanges() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    #expect(try await curl(origin.url()).bytes == blob)
    let part = try await curl("-r", "300000-", "-H", "If-Range: \"v1\"", origin.url("/a?b=c"))
    #expect(part.bytes == Array(blob[300_000...]))
    #expect(part.head.contains("206 Partial Content\r\n"))
    #expect(part.head.contains("Content-Range: bytes 300000-999999/1000000\r\n"))
    #expect(try await curl("-r", "5-9", origin.url()).bytes == Array(blob[5...9]))
    #expect(try await curl("-r", "1000000-", origin.url()).head.contains("416"))
    #expect(try await curl("-r", "5-", "-H", "If-Range: \"v0\"", origin.url()).bytes == blob)
    #expect(origin.requests[1].path == "/a" && origin.requests[1]["IF-RANGE"] == "\"v1\"")
    #expect(origin.requests.map(\.connection) == [1, 2, 3, 4, 5])
    try await eventually("all connections are closed") { origin.counters.connectionsOpen == 0 }
    #expect(origin.counters.bytesSent > 2_700_000)
  }

  @Test(arguments: [ServedFile.Framing.chunked(999), .close, .http10])
  func aBodyWithoutALengthArrivesWhole(_ framing: ServedFile.Framing) async throws {
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.framing = framing })
    let answer = try await curl(origin.url())
    #expect(answer.bytes == blob)
    #expect(!answer.head.contains("Content-Length"))
  }

  @Test func connectionsAreKept() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    _ = try await curl(origin.url("/1"), origin.url("/2"), "-o", "/dev/null")
    #expect(origin.requests.map(\.connection) == [1, 1])
  }

  @Test(arguments: [
    (ServedFile.Ending.reset(after: 300_000), 56 as Int32), (.closed(after: 300_000), 18),
  ])
  func aBodyCanEndTooSoon(_ ending: ServedFile.Ending, _ status: Int32) async throws {
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.ending = ending })
    let answer = try await curl(origin.url())
    #expect(answer.status == status)
    #expect(answer.bytes == Array(blob.prefix(answer.bytes.count)))
  }

  @Test func aHeldAnswerGoesOnWhenTheGateOpens() async throws {
    let gate = Gate()
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.ending = .held(after: 300_000, gate) })
    async let answer = curl(origin.url())
    try await eventually("the first part") { origin.counters.bytesSent > 300_000 }
    #expect(origin.counters.requestsInProgress == 1)
    gate.open()
    #expect(try await answer.bytes == blob)
  }

  @Test func aStoppedOriginLetsNobodyHang() async throws {
    let origin = try ScriptedOrigin { $1.hold() }
    async let answer = curl(origin.url())
    try await eventually("the request") { !origin.requests.isEmpty }
    origin.stop()
    #expect(try await answer.status != 0)
    try await eventually("the port is closed") { !accepts(origin.port) }
  }

  @Test func handlersServeInTurnAndByPath() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(inTurn: [{ $1.respond(503, body: "later") }, ServedFile(blob).handler])
    #expect(try await curl(origin.url()).bytes == Array("later".utf8))
    #expect(try await curl(origin.url()).bytes == blob)
    origin.serve(paths: ["/x": ServedFile(Body("x"))])
    #expect(try await curl(origin.url("/x")).bytes == Array("x".utf8))
    #expect(try await curl(origin.url("/y")).head.contains("404"))
  }

  @Test func throttlingIsPerConnection() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.bytesPerSecond = 1_000_000 })
    let start = ContinuousClock.now
    #expect(try await curl(origin.url()).bytes == blob)
    #expect(ContinuousClock.now - start > .milliseconds(900))
  }

  @Test func aVirtualBodyIsAFunctionOfTheOffset() async throws {
    let body = Body.virtual(count: 5 << 30, seed: 7)
    let origin = try ScriptedOrigin(ServedFile(body))
    let offset: Int64 = 4_900_000_123
    let tail = try await curl("-r", "\(offset)-\(offset + 5000)", origin.url()).bytes
    #expect(tail == body.bytes(offset..<offset + 5001))
    #expect(tail == (0...5000).flatMap { body.bytes(offset + $0..<offset + $0 + 1) })
    #expect(body.bytes(0..<4096) != body.bytes(1 << 20..<(1 << 20) + 4096))
  }

  @Test func nginxServesItsRoot() async throws {
    let nginx = try await NginxServer()
    try nginx.write(blob, to: "folder/file.bin")
    let answer = try await curl("-r", "10-", nginx.url("/folder/file.bin"))
    #expect(answer.bytes == Array(blob[10...]))
    try await eventually("the log") { !nginx.log.isEmpty }
    #expect(nginx.log.map(\.request) == ["GET /folder/file.bin HTTP/1.1"])
    #expect(nginx.log.map(\.range) == ["bytes=10-"] && nginx.log.map(\.bodyBytesSent) == [999_990])
  }

  @Test func nginxServesOverTLS() async throws {
    var options = NginxServer.Options()
    let certificate = try await Certificate()
    options.certificate = certificate
    let nginx = try await NginxServer(options)
    try nginx.write(blob, to: "file.bin")
    #expect(try await curl("--cacert", certificate.file, nginx.url("/file.bin")).bytes == blob)
    #expect(try await curl(nginx.url("/file.bin")).status == 60)
  }

  @Test func tmuxShowsWhatAProgramWrites() async throws {
    let terminal = try await Tmux("cat -v", columns: 40, rows: 10)
    try await terminal.type("日本語 x")
    try await terminal.waitFor("日本語 x")
    #expect(String(decoding: terminal.rawOutput, as: UTF8.self).contains("日本語"))
    try await terminal.resize(columns: 50, rows: 12)
    #expect(try await terminal.format("#{pane_width}") == "50")
    try await terminal.press("C-c")
    try await terminal.end()
  }

  @Test func sumsAreCoreutils() async throws {
    #expect(
      try await sha256(of: []) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }
}
