import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// What is secret goes to the origin that it was given for, and nowhere else: no other server, no terminal, no file
/// (cases B12, C09, C10, C13).
@Suite(.timeLimit(.minutes(5))) struct SecretTravelTests {
  private let folder: TemporaryFolder
  private let first: ScriptedOrigin
  private let second: ScriptedOrigin

  init() throws {
    (folder, first, second) = (try TemporaryFolder(), try ScriptedOrigin(), try ScriptedOrigin())
  }

  private static let password = "hush-hush"

  /// How a secret is given: options, what the address begins with, and the header that carries it.
  private static let ways: [(options: [String], user: String, header: String)] = [
    (["-u", "me:\(password)"], "", "authorization"), ([], "me:\(password)@", "authorization"),
    (["-H", "Authorization: Bearer \(password)"], "", "authorization"),
    (["-H", "Cookie: id=\(password)"], "", "cookie"), (["-H", "X-Api-Key: \(password)"], "", "x-api-key"),
    (["-H", "Private-Token: \(password)"], "", "private-token"),
    (["--referer", "http://127.0.0.1/?\(password)"], "", "referer"),
  ]

  private func start(_ options: [String], _ url: String, environment: [String: String] = [:]) throws -> Program {
    let common = ["get", "--json", "--no-config", "-d", folder["files"], "--state-dir", folder["state"]]
    return try Program.dltui(common + options + [url], environment: environment)
  }

  private func url(_ user: String = "", _ path: String = "/file.bin") -> String {
    first.url(path).replacing("http://", with: "http://" + user)
  }

  /// The first origin wants to know who asks, and sends on whoever says it.
  private func demand(_ header: String, thenSendTo location: String) {
    first.serve { request, connection in
      guard request[header] != nil else {
        return connection.respond(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
      }
      if request.path == "/there" { return ServedFile.v1.answer(request, connection) }
      connection.respond(302, headers: ["Location: \(location)"])
    }
  }

  @Test(arguments: 0..<7) func aSecretStaysWithItsOrigin(_ index: Int) async throws {
    let (options, user, header) = Self.ways[index]
    let gate = Gate()
    demand(header, thenSendTo: second.url())
    second.serve(ServedFile.v1.with { $0.ending = .held(after: 300_000, gate) })
    let program = try start(options, url(user))
    try await eventually("a sidecar") { folder.exists("files/file.bin.part.json") }
    let names = ["files/file.bin.part.json", "state/session.json"].filter(folder.exists)
    for name in names where header != "referer" {
      #expect(folder.text(of: name)?.contains(Self.password) == false, "\(name)")
    }
    gate.open()
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(!(outcome.output + outcome.errors).contains(Self.password))
    let heads = second.requests.map { String(decoding: $0.raw, as: UTF8.self) }
    #expect(heads.count == 1 && heads.allSatisfy { !$0.contains(Self.password) && !$0.contains("Authorization") })
  }

  @Test(arguments: 0..<6) func onTheSameOriginASecretGoesAlong(_ index: Int) async throws {
    let (options, user, header) = Self.ways[index]
    demand(header, thenSendTo: "/there")
    #expect(try await start(options, url(user)).end().status == 0)
    #expect(first.requests.last?.path == "/there" && first.requests.last?[header] != nil)
  }

  @Test func credentialsInALocationAreNotUsed() async throws {
    first.serve { [second] in
      $1.respond(302, headers: ["Location: " + second.url().replacing("http://", with: "http://me:hush-hush@")])
    }
    second.serve(.v1)
    let outcome = try await start([], url()).end()
    #expect(outcome.status == 0 && second.requests.first?["authorization"] == nil)
    #expect(!(outcome.output + outcome.errors).contains(Self.password))
  }

  @Test func aFailureDoesNotTellThePassword() async throws {
    first.serve { $1.respond(404) }
    let outcome = try await start([], url("me:hush-hush@")).end()
    #expect(outcome.status == 3 && !(outcome.output + outcome.errors).contains(Self.password))
  }

  // MARK: Cookies

  /// Gives a cookie, and the file to whoever brings it.
  private func giveCookie(_ file: ServedFile) -> ScriptedOrigin.Handler {
    { request, connection in
      guard request.path == "/real" else {
        return connection.respond(302, headers: ["Location: /real", "Set-Cookie: pass=\(Self.password); Path=/"])
      }
      guard request["cookie"] == "pass=\(Self.password)" else { return connection.respond(403) }
      file.answer(request, connection)
    }
  }

  @Test func aCookieOfARedirectOpensTheNextDoorAlsoInALaterRun() async throws {
    first.serve(giveCookie(ServedFile.v1.with { $0.ending = .held(after: 300_000, Gate()) }))
    let program = try start([], url())
    try await eventually("a sidecar") { folder.exists("files/file.bin.part.json") }
    program.send(SIGTERM)
    #expect(try await program.end().status == 7)
    #expect(folder.text(of: "files/file.bin.part.json")?.contains(Self.password) == false)
    first.clearRequests()
    first.serve(giveCookie(.v1))
    #expect(try await start([], url()).end().status == 0)
    #expect(first.requests.map(\.path) == ["/file.bin", "/real"])
    #expect(first.requests.last?.range?.first == 300_000)
  }

  @Test func aCookieGoesToNoOtherHost() async throws {
    first.serve { [second] in
      let elsewhere = "http://localhost:\(second.port)/file.bin"
      $1.respond(302, headers: ["Location: \(elsewhere)", "Set-Cookie: pass=\(Self.password); Path=/"])
    }
    second.serve(.v1)
    #expect(try await start(["-4"], url()).end().status == 0)
    #expect(second.requests.count == 1 && second.requests.first?["cookie"] == nil)
  }

  @Test func cookiesOfAFileAreTheBeginningOnly() async throws {
    let lines = [("127.0.0.1", "pass", "old"), ("127.0.0.1", "more", "1"), ("example.org", "other", Self.password)]
    let text = lines.map { "\($0)\tFALSE\t/\tFALSE\t0\t\($1)\t\($2)\n" }.joined()
    try folder.write(("# Netscape HTTP Cookie File\n" + text).utf8, to: "cookies.txt")
    first.serve { request, connection in
      guard request.path == "/real" else {
        return connection.respond(302, headers: ["Location: /real", "Set-Cookie: pass=new; Path=/"])
      }
      ServedFile.v1.answer(request, connection)
    }
    #expect(try await start(["-b", folder["cookies.txt"]], url()).end().status == 0)
    let cookies = first.requests.map { Set(($0["cookie"] ?? "").split(separator: "; ").map(String.init)) }
    #expect(cookies == [["pass=old", "more=1"], ["pass=new", "more=1"]])
  }

  // MARK: netrc

  private func netrc() throws -> String {
    try folder.write("machine 127.0.0.1 login me password \(Self.password)\n".utf8, to: ".netrc")
    return folder[".netrc"]
  }

  @Test func netrcIsOffUnlessItIsWanted() async throws {
    let file = try netrc()
    first.serve(.v1)
    for (options, isSent) in [([], false), (["-n"], true), (["--netrc-file", file], true)] as [([String], Bool)] {
      first.clearRequests()
      #expect(try await start(options, url(), environment: ["HOME": folder.path]).end().status == 0)
      #expect((first.requests.first?["authorization"] != nil) == isSent, "\(options)")
    }
  }

  @Test(arguments: ["localhost", "127.0.0.1"]) func netrcIsNotForWhereAHostSendsTo(_ host: String) async throws {
    first.serve { [second] in
      $1.respond(302, headers: ["Location: http://\(host):\(second.port)/file.bin"])
    }
    second.serve(.v1)
    #expect(try await start(["-4", "--netrc-file", try netrc()], url()).end().status == 0)
    #expect(first.requests.first?["authorization"] != nil)
    #expect(second.requests.count == 1 && second.requests.first?["authorization"] == nil)
  }
}
