import Foundation
import TestSupport
import Testing

/// `dltui adopt`, with what the real programs leave.
@Suite(.timeLimit(.minutes(2))) struct AdoptTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 12 << 20, seed: 95)

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
  }

  private var file: ServedFile { ServedFile(blob) }

  private func size(_ name: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: folder[name])
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Ends another program when it has brought about 5 MiB, and what it leaves is there.
  private func leave(_ program: String, _ arguments: [String], when isEnough: () -> Bool) async throws {
    let running = try Program("/usr/bin/" + program, arguments, environment: ["no_proxy": "*"], in: folder.path)
    try await eventually("bytes of \(program)", isEnough)
    running.send(SIGINT)
    _ = try await running.end()
    origin.clearRequests()
  }

  private func leaveByWget(_ served: ServedFile? = nil) async throws {
    origin.serve((served ?? file).with { $0.ending = .held(after: 5_000_000, Gate()) })
    try await leave("wget", ["--no-config", "-q", origin.url("/big.iso")]) { size("big.iso") == 5_000_000 }
  }

  /// Four connections, each of which stops somewhere.
  private func leaveByAria2() async throws {
    origin.serve(file.with { $0.ending = .held(after: 1_500_000, Gate()) })
    try await leave(
      "aria2c",
      [
        "--no-conf", "-q", "-x4", "-s4", "-k1M", "--file-allocation=none", "--auto-save-interval=1",
        origin.url("/big.iso"),
      ]
    ) {
      origin.counters.bytesSent >= 4 * 1_500_000 && size("big.iso") > 8 << 20
    }
    #expect(folder.exists("big.iso.aria2"))
  }

  private func adopt(_ name: String = "big.iso", _ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(["adopt", origin.url("/big.iso"), name] + arguments, in: folder.path).end()
  }

  /// Bytes that were asked for, at most.
  private var asked: Int64 {
    origin.requests.reduce(0) { sum, request in
      guard let range = request.range else { return sum + Int64(blob.count) }
      return sum + (range.last.map { $0 + 1 } ?? Int64(blob.count)) - range.first
    }
  }

  @Test func whatWgetHasLeftGoesOn() async throws {
    try await leaveByWget()
    origin.serve(file)
    let outcome = try await adopt("big.iso", "-x", "1")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("4.8 MiB of 12.0 MiB are taken over"))
    #expect(folder.names == ["big.iso"])
    #expect(asked <= blob.count - 5_000_000 + (64 << 10) + 1, "\(origin.requests.map(\.range))")
  }

  @Test func whatAria2HasLeftGoesOn() async throws {
    try await leaveByAria2()
    origin.serve(file)
    let outcome = try await adopt("big.iso", "-x", "1")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("are taken over") && !outcome.errors.contains("not those of the server"))
    #expect(folder.names == ["big.iso"])
    #expect(asked < 9 << 20, "\(origin.requests.map(\.range))")
  }

  @Test func aStretchWithAnotherEndIsFetchedAgain() async throws {
    try await leaveByAria2()
    let handle = try FileHandle(forUpdating: URL(filePath: folder["big.iso"]))
    try handle.write(contentsOf: Data(repeating: 0, count: 2 << 20))
    try handle.close()
    origin.serve(file)
    let outcome = try await adopt()
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("are not those of the server"))
  }

  @Test func whereNothingProvesAnythingOnlyTheBeginningIsTakenOver() async throws {
    let weak = file.with {
      $0.etag = "W/\"1\""
      $0.lastModified = nil
    }
    try await leaveByAria2()
    origin.serve(weak)
    let outcome = try await adopt()
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
  }

  @Test(arguments: ["big.iso.part", "big.iso.crdownload"]) func whatBrowsersLeaveGoesOn(_ name: String) async throws {
    try folder.write(blob.prefix(5_000_000), to: name)
    origin.serve(file)
    let outcome = try await adopt(name, "--json")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob && folder.names == ["big.iso"], "\(outcome)")
    #expect(outcome.output.contains("\"verified\":\"none\""), "bytes of unknown origin are told")
  }

  @Test func aWholeFileIsCheckedAndKept() async throws {
    try folder.write(blob, to: "big.iso")
    origin.serve(file)
    let sum = try await sha256(of: blob)
    let outcome = try await adopt("big.iso", "--checksum", "sha-256=\(sum)")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob && folder.names == ["big.iso"], "\(outcome)")
    #expect(asked <= 64 << 10 + 1)
  }

  @Test func whatIsNoPartOfItIsLeftAlone() async throws {
    origin.serve(file)
    let other = Blob.random(count: 5_000_000, seed: 96)
    try folder.write(other, to: "big.iso")
    let outcome = try await adopt()
    #expect(outcome.status == 22 && outcome.errors.contains("none of the 4.8 MiB that were claimed can be used"))
    #expect(folder.names == ["big.iso"] && folder.bytes(of: "big.iso") == other)
    #expect(asked <= 64 << 10 + 1)
  }

  @Test func whatCannotBeComparedIsLeftAlone() async throws {
    try folder.write(blob.prefix(5_000_000), to: "big.iso")
    origin.serve(file.with { $0.ranges = .ignored })
    #expect(try await adopt().errors.contains("the server sends no ranges of it"))
    origin.serve(ServedFile(Array(blob.prefix(1000))))
    #expect(try await adopt().errors.contains("it has 1000 bytes on the server, 5000000 were expected"))
    origin.serve { $1.respond(404) }
    #expect(try await adopt().status == 3)
    try folder.write([0, 1, 2], to: "big.iso.aria2")
    let broken = try await adopt()
    #expect(broken.status == 15 && broken.errors.contains("big.iso.aria2: it ends too early"))
    #expect(folder.names == ["big.iso", "big.iso.aria2"] && size("big.iso") == 5_000_000)
  }

  @Test(arguments: [
    (["http://h/"], 28, "an address and a file are needed, got 1"), (["http://h/", "none"], 15, "cannot open "),
    (["http://h/", "none", "-o", "x"], 28, "neither --dir nor --output"),
    (["ftp://h/x", "none"], 1, "only what an http or https address has can be compared"),
  ]) func aMistakeIsNamed(_ arguments: [String], _ status: Int, _ complaint: String) async throws {
    let outcome = try await Program.dltui(["adopt"] + arguments, in: folder.path).end()
    #expect(Int(outcome.status) == status && outcome.errors.contains(complaint), "\(outcome)")
  }
}
