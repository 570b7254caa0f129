import Foundation
import Testing

@testable import DownloadCore

/// What is encoded may be read by others.
struct SecretsTests {
  private static let secret = "hunter2"

  private func request(headers: [String] = []) -> Request {
    var request = Request(url: "http://host/a", folder: "/d")
    request.headers = headers
    request.credentials = "me:\(Self.secret)"
    return request
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  @Test func aRequestIsEncodedWithoutItsCredentials() throws {
    let text = try json(request())
    #expect(!text.contains(Self.secret) && !text.contains("me:") && !text.contains("credentials"))
    let decoded = try JSONDecoder().decode(Request.self, from: Data(text.utf8))
    #expect(decoded.credentials == nil)
    #expect(decoded == request().withoutSecrets)
  }

  @Test(arguments: [
    "Authorization: Bearer hunter2", "authorization:hunter2", "AUTHORIZATION:\thunter2", "Cookie: id=hunter2",
    "cookie: hunter2",
    "Proxy-Authorization: Basic hunter2", "PROXY-AUTHORIZATION: hunter2",
  ]) func secretHeadersAreNotSaved(_ line: String) throws {
    let kept = "X-Kept: 1"
    let request = request(headers: [kept, line, "Accept: a/b", line])
    #expect(request.withoutSecrets.headers == [kept, "Accept: a/b"])
    #expect(request.withoutSecrets.credentials == nil)
    let download = Download(id: DownloadID(1), request: request)
    #expect(download.request.headers.count == 4, "it goes on with them")
    let text = try json(download.saved)
    #expect(!text.contains(Self.secret) && text.contains(kept))
  }

  @Test func noStateOfASessionTellsASecret() throws {
    var session = Session(settings: Settings(), seed: 1)
    let secrets = ["Authorization: hunter2", "Cookie: hunter2"]
    for command in [
      Command.add([request(headers: secrets)]), .pause(.all), .resume(.all), .start(.all), .limitRate(1), .quit,
    ] {
      _ = session.handle(command, now: .seconds(1))
      for text in [try json(session.saved), try json(session.snapshot(now: .seconds(1), wallClock: 0, freeSpace: nil))]
      {
        #expect(!text.contains(Self.secret), "after \(command)")
      }
    }
    #expect(session.saved.downloads.count == 1)
  }

  @Test func whatIsNoSecretSurvivesTheSession() throws {
    var request = request(headers: ["Accept: a/b", "X-Mode: none", "no colon"])
    (request.name, request.userAgent, request.referer) = ("n", "agent", "http://host/")
    (request.connections, request.rateLimit) = (3, 1000)
    request.checksum = Checksum(.md5, hex: "0123456789abcdef0123456789abcdef")
    let saved = SavedSession(downloads: [Download(id: DownloadID(1), request: request).saved])
    let decoded = try JSONDecoder().decode(SavedSession.self, from: JSONEncoder().encode(saved))
    #expect(decoded == saved && decoded.fault == nil)
    request.credentials = nil
    #expect(decoded.downloads.map(\.request) == [request])
  }
}
