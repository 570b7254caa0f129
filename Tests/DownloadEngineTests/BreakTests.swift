import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Connections that break, signals, and what the end has to prove (cases A45 to A49).
@Suite(.timeLimit(.minutes(2))) struct BreakTests {
  @Test func a45EveryRetryAsksForWhatIsStillMissing() async throws {
    let scene = try Scene(ServedFile.v1.with { $0.ending = .reset(after: 90_000) })
    let outcome = try await scene.get("-x", "1")
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    let starts = scene.starts
    #expect(starts.count < 20 && zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 }, "\(starts)")
    #expect(scene.origin.counters.bytesSent < 1_100_000)
  }

  /// 65,536 bytes of junk inside the announced length, then a reset: within one run, and over a restart of the program.
  @Test(arguments: [true, false]) func a46JunkBeforeABreakIsNoticed(_ restarts: Bool) async throws {
    let scene = try Scene()
    let junk = Blob.random(count: 65_536, seed: 46)
    let good = Array(Version.v1[..<200_000])
    let file = ServedFile(good + junk + Version.v1[265_536...])
    let broken = file.with { $0.ending = .reset(after: 265_536) }.handler
    if restarts {
      scene.origin.serve(inTurn: [broken, { $1.respond(503) }])
      #expect(try await scene.get().status == 29)
      scene.origin.serve(ServedFile.v1)
    } else {
      scene.origin.serve(inTurn: [broken, ServedFile.v1.handler])
    }
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func a47ASignalKeepsTheWork(_ signal: Int32) async throws {
    let scene = try Scene(ServedFile.v1.with { $0.ending = .held(after: 300_000, Gate()) })
    let program = try scene.start()
    try await eventually("bytes") { scene.size(of: "file.bin.part") == Scene.kept }
    program.send(signal)
    let outcome = try await program.end()
    #expect(outcome.status == 7, "\(outcome)")
    #expect(scene.sidecar()?.clean == true && scene.sidecar()?.done == [[0, Scene.kept]])
    scene.origin.clearRequests()
    scene.origin.serve(ServedFile.v1)
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v1)
    #expect(scene.starts == [Scene.kept] && scene.names == ["file.bin"])
  }

  @Test func a48OneIncompleteFileAmongGoodOnesIsNoSuccess() async throws {
    let scene = try Scene()
    let short = ServedFile.v1.with { $0.ending = .closed(after: 1000) }
    scene.origin.serve { request, connection in
      (request.path == "/short" ? short : ServedFile.v1).answer(request, connection)
    }
    let outcome = try await scene.get(scene.origin.url("/a"), scene.origin.url("/short"), path: "/b")
    #expect(outcome.status == 22, "\(outcome)")
    #expect(scene.bytes(of: "a") == Version.v1 && scene.bytes(of: "b") == Version.v1)
    #expect(!scene.names.contains("short"))
  }

  @Test func a48TheSumIsThatOfTheBytesOnTheDisk() async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve(ServedFile.v1)
    let good = try await sha256(of: Version.v1)
    let outcome = try await scene.get("--checksum", "sha-256=" + good, "--json")
    #expect(outcome.status == 0 && outcome.output.contains(#""verified":"sha-256""#), "\(outcome)")
    #expect(scene.starts == [Scene.kept])
  }

  @Test func a48AWrongSumLeavesThePartAndItsNextTryStartsOver() async throws {
    let scene = try Scene(ServedFile(Version.v2))
    let sum = "sha-256=" + (try await sha256(of: Version.v1))
    let outcome = try await scene.get("--checksum", sum)
    #expect(outcome.status == 32 && !scene.names.contains("file.bin"), "\(outcome)")
    #expect(scene.bytes(of: "file.bin.part") == Version.v2)
    scene.origin.serve(ServedFile.v1)
    #expect(try await scene.get("--checksum", sum).status == 0 && scene.bytes() == Version.v1)
  }

  // MARK: A49

  private static func field(_ sum: String) -> String {
    let bytes = stride(from: 0, to: sum.count, by: 2).compactMap { UInt8(sum.dropFirst($0).prefix(2), radix: 16) }
    return "Repr-Digest: sha-256=:\(Data(bytes).base64EncodedString()):"
  }

  @Test func a49AWrongDigestOfTheServerIsAFailure() async throws {
    let wrong = Self.field(try await sha256(of: Version.v2))
    let scene = try Scene(ServedFile.v1.with { $0.headers = [wrong] })
    let outcome = try await scene.get()
    #expect(outcome.status == 32 && !scene.names.contains("file.bin"), "\(outcome)")
  }

  @Test func a49ARightDigestIsVerifiedAlsoWhenItComesWithAPart() async throws {
    let right = Self.field(try await sha256(of: Version.v1))
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve(ServedFile.v1.with { $0.headers = [right] })
    let outcome = try await scene.get("--json")
    #expect(outcome.status == 0 && outcome.output.contains(#""verified":"sha-256""#), "\(outcome)")
    #expect(scene.bytes() == Version.v1 && scene.starts == [Scene.kept])
  }

  @Test(arguments: [
    "Repr-Digest: md5=:AAAA:", "Repr-Digest: sha-256=AAAA", "Repr-Digest: sha-256=:AAAA:", "Repr-Digest: sha-256=:~~:",
    "Repr-Digest: ", "Repr-Digest: unixsum=:AAAA:, crc32c=:AAAA:", "Digest: SHA-256=AAAA", "Content-Digest: sha-256=::",
  ]) func a49ADigestThatCannotBeReadDoesNotCount(_ field: String) async throws {
    let scene = try Scene(ServedFile.v1.with { $0.headers = [field] })
    let outcome = try await scene.get("--json")
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(outcome.output.contains(#""verified":"size""#))
  }

  @Test(arguments: [true, false]) func a49TheDigestOfACodedBodyIsThatOfItsCodedBytes(_ isRight: Bool) async throws {
    let coded = try await Coding.gzip(Version.v1)
    let sum = try await sha256(of: isRight ? coded : Version.v1)
    let scene = try Scene(
      ServedFile(coded).with {
        $0.headers = ["Content-Encoding: gzip", Self.field(sum)]
        $0.ranges = .ignored
      })
    let outcome = try await scene.get(path: "/file.bin")
    #expect(outcome.status == (isRight ? 0 : 32), "\(outcome)")
    #expect(scene.bytes() == (isRight ? Version.v1 : nil))
  }
}

/// Coded bodies, made by Debian's gzip.
enum Coding {
  static func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "plain")
    _ = try await Program.run("/usr/bin/gzip", ["-k", folder["plain"]])
    return try #require(folder.bytes(of: "plain.gz"))
  }
}
