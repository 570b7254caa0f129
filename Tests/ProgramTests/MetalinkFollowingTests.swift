import Foundation
import TestSupport
import Testing

/// Metalink files that are themselves downloaded, and those that are given on the screen.
@Suite(.timeLimit(.minutes(2))) struct MetalinkFollowingTests {
  private let desk: Desk
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 100_000, seed: 211)

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin()
    let (origin, blob) = (origin, blob)
    origin.serve { request, connection in
      let body: [UInt8] =
        switch request.path {
        case "/two.meta4": Array(Self.document(["a/one", "two"], of: origin).utf8)
        case "/twice.meta4": Array(Self.document(["two", "two"], of: origin).utf8)
        case "/nested.meta4": Array(Self.document(["one", "two.meta4"], of: origin).utf8)
        case "/bad.meta4": Array("<html></html>".utf8)
        default: blob
        }
      ServedFile(body).answer(request, connection)
    }
  }

  private static func document(_ names: [String], of origin: ScriptedOrigin) -> String {
    let files = names.map { "<file name=\"\($0)\"><url>\(origin.url("/\($0)"))</url></file>" }
    return "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>"
  }

  private func get(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(["get", "-d", desk.folder["files"]] + arguments).end()
  }

  @Test func whatADownloadedOneNamesIsDownloadedToo() async throws {
    let outcome = try await get(origin.url("/two.meta4"), "-o", "deep/my.meta4", "--json")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(desk.bytes(of: "deep/a/one") == blob && desk.bytes(of: "deep/two") == blob && desk.exists("deep/my.meta4"))
    #expect(outcome.output.split(separator: "\n").count { $0.contains("\"event\":\"added\"") } == 3)
  }

  @Test func whoDoesNotWantThatSaysSo() async throws {
    #expect(try await get(origin.url("/two.meta4"), "--follow-metalink=false").status == 0)
    #expect(desk.names == ["two.meta4"])
  }

  @Test func whatItNamesTwiceIsFetchedOnce() async throws {
    let outcome = try await get(origin.url("/twice.meta4"))
    #expect(outcome.status == 0 && outcome.errors.contains("already in the list"), "\(outcome)")
    #expect(desk.names == ["twice.meta4", "two"])
  }

  @Test func itHasToBeOne() async throws {
    let outcome = try await get(origin.url("/bad.meta4"))
    #expect(outcome.status == 1 && outcome.errors.contains("line 1: it is no metalink, but <html>"), "\(outcome)")
    #expect(desk.names == ["bad.meta4"])
  }

  @Test func oneInOneIsNotFollowed() async throws {
    let outcome = try await get(origin.url("/nested.meta4"))
    #expect(outcome.status == 0 && outcome.errors.contains("a Metalink in a Metalink is not followed"), "\(outcome)")
    #expect(desk.names == ["nested.meta4", "one"])
  }

  @Test func noSecretIsSentWhereAServerLeads() async throws {
    let outcome = try await get(origin.url("/two.meta4"), "-u", "me:secret", "-H", "Cookie: secret", "-A", "agent/1")
    #expect(outcome.status == 0, "\(outcome)")
    let (own, others) = (
      origin.requests.filter { $0.path == "/two.meta4" }, origin.requests.filter { $0.path != "/two.meta4" }
    )
    #expect(own.contains { $0["Cookie"] == "secret" } && others.count >= 2)
    #expect(others.allSatisfy { $0["Cookie"] == nil && $0["Authorization"] == nil })
    #expect(others.allSatisfy { $0["User-Agent"] == "agent/1" })
  }

  @Test func theScreenTakesAPathAndFollowsAnAddress() async throws {
    let document = "<metalink><file name=\"typed\"><url>\(origin.url("/typed"))</url></file></metalink>"
    try desk.folder.write(document.utf8, to: "my.metalink")
    let terminal = try await desk.open(origin.url("/two.meta4"))
    try await terminal.waitForRow(of: "one", saying: "done")
    try await terminal.waitForRow(of: "two", saying: "done")
    try await terminal.press("a")
    try await terminal.type(desk.folder["my.metalink"])
    try await terminal.press("Enter")
    try await terminal.waitForRow(of: "typed", saying: "done")
    #expect(desk.bytes(of: "typed") == blob && desk.bytes(of: "a/one") == blob)
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
  }
}
