import DownloadCore
import Foundation
import TestSupport
import Testing

@testable import dltui

/// Metalink files on the command line.
@Suite(.timeLimit(.minutes(2))) struct MetalinkFileTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 300_000, seed: 201)

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin(ServedFile(blob))
  }

  private static func document(_ files: String) -> String {
    "<?xml version=\"1.0\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>\n"
  }

  private func file(_ name: String, _ inside: String = "", at path: String) -> String {
    "<file name=\"\(name)\">\(inside)<url>\(origin.url(path))</url></file>"
  }

  /// Writes a document into the folder, and calls the program there.
  private func run(
    _ files: String, as name: String = "m.meta4", _ arguments: String..., input: String = ""
  ) async throws -> TestSupport.Program.Outcome {
    try folder.write(Self.document(files).utf8, to: name)
    return try await Program.dltui(arguments, input: input, in: folder.path).end()
  }

  // MARK: Ways to give one

  @Test(arguments: [
    ["get", "m.meta4"], ["get", "-M", "m.meta4"], ["get", "--metalink=m.meta4"], ["get", "-i", "m.meta4"], ["m.meta4"],
    ["get", "./m.meta4"],
  ]) func whatItNamesIsFetched(_ arguments: [String]) async throws {
    let files =
      file("a.bin", "<hash type=\"sha-256\">\(try await sha256(of: blob))</hash>", at: "/x")
      + file("sub/b.bin", at: "/y")
    try folder.write(Self.document(files).utf8, to: "m.meta4")
    let outcome = try await Program.dltui(arguments, in: folder.path).end()
    #expect(outcome.status == 0 && outcome.errors.contains("sha-256 verified"), "\(outcome)")
    #expect(folder.bytes(of: "a.bin") == blob && folder.bytes(of: "sub/b.bin") == blob)
  }

  @Test(arguments: [["get", "-"], ["get", "-M", "-"], ["get", "-i", "-"]])
  func itComesOnStandardInputToo(_ arguments: [String]) async throws {
    let input = Self.document(file("a.bin", at: "/x"))
    let outcome = try await Program.dltui(arguments, input: input, in: folder.path).end()
    #expect(outcome.status == 0 && folder.bytes(of: "a.bin") == blob, "\(outcome)")
  }

  @Test func aFileOfAnotherNameIsKnownByWhatItBeginsWith() async throws {
    let outcome = try await run(file("a.bin", at: "/x"), as: "list.xml", "get", "list.xml", "-d", "to")
    #expect(outcome.status == 0 && folder.bytes(of: "to/a.bin") == blob, "\(outcome)")
  }

  @Test func aListMayNameOneWithOptionsForIt() async throws {
    let outcome = try await run(
      file("a.bin", at: "/x"), "get", "-", input: "m.meta4\n  dir=deep\n  out=b.bin\n\(origin.url("/c.bin"))\n")
    #expect(outcome.status == 0 && folder.bytes(of: "deep/b.bin") == blob && folder.exists("c.bin"), "\(outcome)")
  }

  @Test func itIsHandedOverWithAllThatItSays() async throws {
    let pieces =
      "<size>300000</size><pieces length=\"300000\" type=\"md5\"><hash>\(String(repeating: "0", count: 32))</hash></pieces>"
    let outcome = try await run(
      file("a.bin", pieces, at: "/x") + file("b.bin", at: "/y"), "add", "--state-dir", "state", "m.meta4")
    #expect(outcome.status == 0 && outcome.errors.contains("2 downloads in the queue"), "\(outcome)")
    let saved = folder.text(of: "state/session.json") ?? ""
    #expect(saved.contains("\"pieces\":{\"algorithm\":\"md5\"") && saved.contains("\"size\":300000"))
  }

  // MARK: What the user says beats it

  @Test func aNameIsForOneFile() async throws {
    let two = file("a", at: "/x") + file("b", at: "/y")
    let refused = try await run(two, "get", "m.meta4", "-o", "name")
    #expect(refused.status == 28 && refused.errors.contains("--output needs exactly one address, got 2"), "\(refused)")
    let again = try await run(two, "get", "m.meta4", "--checksum", "md5=\(String(repeating: "0", count: 32))")
    #expect(again.status == 28 && again.errors.contains("--checksum needs exactly one address, got 2"), "\(again)")
    let one = try await run(file("a", at: "/x"), "get", "m.meta4", "-o", "deep/name")
    #expect(one.status == 0 && folder.bytes(of: "deep/name") == blob && !folder.exists("a"), "\(one)")
  }

  @Test func aChecksumThatIsTypedBeatsThatOfTheFile() async throws {
    let wrong = String(repeating: "0", count: 64)
    let files = file("a", "<hash type=\"sha-256\">\(wrong)</hash>", at: "/x")
    let bad = try await run(files, "get", "m.meta4")
    #expect(bad.status == 32 && bad.errors.contains("checksum mismatch"), "\(bad)")
    let good = try await run(files, "get", "m.meta4", "--checksum", "sha-256=\(try await sha256(of: blob))")
    #expect(good.status == 0 && folder.bytes(of: "a") == blob, "\(good)")
  }

  // MARK: Mirrors

  @Test func addressesAreMirrorsInTheOrderOfTheirPriority() async throws {
    origin.serve { request, connection in
      request.path == "/good" ? ServedFile(blob).answer(request, connection) : connection.respond(404)
    }
    let urls = [("9", "/good"), ("1", "/gone")].map { "<url priority=\"\($0.0)\">\(origin.url($0.1))</url>" }.joined()
    let outcome = try await run("<file name=\"a\">\(urls)</file>", "get", "m.meta4", "--retry-wait", "0")
    #expect(outcome.status == 0 && folder.bytes(of: "a") == blob, "\(outcome)")
    #expect(origin.requests.first?.path == "/gone" && origin.requests.contains { $0.path == "/good" })
  }

  @Test func whatCannotBeFetchedIsLeftOutAndSaid() async throws {
    let urls = "<url>rsync://h/x</url><url>file:///etc/passwd</url><url>relative</url>"
    let outcome = try await run(
      file("a", urls, at: "/x") + "<file name=\"t\"><metaurl>http://t/</metaurl></file>", "get", "m.meta4")
    #expect(outcome.status == 0 && folder.bytes(of: "a") == blob, "\(outcome)")
    #expect(outcome.errors.contains("m.meta4: a: 3 of 4 addresses left out, only http"))
    #expect(outcome.errors.contains("m.meta4: t: only torrents lead to it"))
  }

  // MARK: Mistakes

  @Test(arguments: [
    (
      "<file name=\"../a\"><url>http://h/</url></file>", "nothing in it can be fetched: m.meta4",
      "no name for a file here: ../a"
    ),
    ("<file name=\"a\"><url>FILE:///etc/passwd</url></file>", "nothing in it can be fetched", "no address of a server"),
    ("<file name=\"a\">", "m.meta4, line 2: it is no XML, mismatched tag", "a Metalink file is XML whose first"),
    ("", "nothing in it can be fetched: m.meta4", "it names no file"),
  ]) func aMistakeIsNamedWithItsFile(_ files: String, _ message: String, _ hint: String) async throws {
    let outcome = try await run(files, "get", "m.meta4")
    #expect(outcome.status == 28 && outcome.errors.contains(message) && outcome.errors.contains(hint), "\(outcome)")
  }

  @Test(arguments: ["no.meta4", "./no.metalink", "deeper/no.META4", "/no/no.meta4"])
  func aFileThatIsNotThereIsNoAddress(_ path: String) async throws {
    let outcome = try await Program.dltui(["get", path], in: folder.path).end()
    #expect(outcome.status == 28, "\(outcome)")
    #expect(outcome.errors.contains("the Metalink file cannot be read (no such file or directory): \(path)"))
  }

  @Test(arguments: [("h.org/m.meta4", false), ("http://h/m.meta4", false), ("m.meta4", true), ("h.org", false)])
  func anAddressThatEndsLikeOneIsAnAddress(_ word: String, _ isFile: Bool) {
    #expect(MetalinkFile.isMeant(by: word) == isFile)
  }
}
