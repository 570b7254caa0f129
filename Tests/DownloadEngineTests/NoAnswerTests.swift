import DownloadCore
import TestSupport
import Testing

/// What comes is not HTTP.
@Suite(.timeLimit(.minutes(2))) struct NoAnswerTests {
  private let junk: ScriptedOrigin.Handler = { _, connection in connection.send("SSH-2.0-OpenSSH_9.2\r\n") }

  @Test func anotherLanguageIsAnUnusableAnswer() async throws {
    let ending = try await Fetch().goOn(with: junk)
    #expect(ending.status == 22 && ending.message == "unusable answer: it is not HTTP")
  }

  @Test func whatAnEarlierAnswerHadTooMuchIsNoFaultOfTheNext() async throws {
    var fetch = try Fetch()
    fetch.settings.connections = 1
    let half: ScriptedOrigin.Handler = { _, connection in
      connection.send(
        "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 500000\r\n"
          + "Content-Range: bytes 0-499999/1000000\r\n\r\n")
      connection.send(Array(Version.v1.prefix(500_000)))
      connection.keepAlive()
    }
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([half, junk, ServedFile.v1.handler]))
    #expect(ending.status == 0)
    #expect(fetch.origin.requests.map(\.connection) == [1, 1, 2])
    fetch.expectOnly(Version.v1)
  }
}
