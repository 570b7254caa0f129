import Foundation
import Glibc
import TestSupport
import Testing

/// Several addresses of one file on a line: whichever fails, the others go on, and nothing is mixed.
@Suite(.timeLimit(.minutes(2))) struct MirrorTests {
  private let folder: TemporaryFolder
  private let origins: [ScriptedOrigin]
  private let blob = Blob.random(count: 12 << 20, seed: 101)

  init() throws {
    folder = try TemporaryFolder()
    origins = try (0..<3).map { _ in try ScriptedOrigin() }
  }

  /// The same file, as another server names it.
  private func file(_ number: Int) -> ServedFile { ServedFile(blob).with { $0.etag = "\"server-\(number)\"" } }

  private func get(_ arguments: String..., options: [String] = []) async throws -> Program.Outcome {
    let line = origins.map { $0.url("/big.iso") }.joined(separator: "\t")
    let list = line + "\n" + options.map { "  \($0)\n" }.joined()
    return try await Program.dltui(
      ["get", "-", "-d", folder.path, "--retry-wait", "0"] + arguments, input: list
    ).end()
  }

  private func host(_ number: Int) -> String { "127.0.0.1:\(origins[number].port)" }

  /// Serves so much on each connection, and after that nothing but 500.
  private func dying(_ number: Int) -> ScriptedOrigin.Handler {
    let begun = ScriptedOrigin.inTurn([file(number).with { $0.ending = .closed(after: 2 << 20) }.handler])
    let origin = origins[number]
    return { request, connection in
      if origin.requests.count > 4 { return connection.respond(500) }
      begun(request, connection)
    }
  }

  @Test func aServerWithoutTheFileIsLeft() async throws {
    origins[1].serve(file(1))
    let outcome = try await get()
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob && origins[2].requests.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("\(host(0)) is left, not found: 404; goes on at the mirror \(host(1))"))
  }

  @Test func whatIsThereStaysWhenAServerFailsOnTheWay() async throws {
    origins[0].serve(dying(0))
    origins[1].serve(file(1))
    let outcome = try await get("-x", "4")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    let starts = origins[1].requests.compactMap { $0.range?.first }
    #expect(!starts.isEmpty && starts.allSatisfy { $0 > 1 << 20 }, "\(starts)")
    let connections = origins[1].requests.map(\.connection)
    #expect(connections == connections.sorted(), "one request at a time")
  }

  @Test func aMirrorWithAnotherFileIsNamedAndLeft() async throws {
    origins[0].serve(dying(0))
    origins[1].serve(ServedFile(Blob.random(count: 12 << 20, seed: 102)))
    origins[2].serve(file(2))
    let outcome = try await get("-x", "4")
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("the mirror \(host(1)) is left, it has another file: the bytes on the disk"))
  }

  @Test func aMirrorWithAnotherSizeIsNamedAndLeft() async throws {
    origins[0].serve(dying(0))
    origins[1].serve(ServedFile(Array(blob.dropLast(5))))
    origins[2].serve(file(2))
    let outcome = try await get()
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("its size was \(blob.count), now it is \(blob.count - 5)"))
  }

  @Test func aFileWithTheWrongSumIsFetchedFromTheNextOne() async throws {
    origins[0].serve(ServedFile(Blob.random(count: 12 << 20, seed: 103)))
    origins[1].serve(file(1))
    let outcome = try await get(options: ["checksum=sha-256=\(try await sha256(of: blob))"])
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "\(outcome)")
    #expect(outcome.errors.contains("\(host(0)) is left, checksum mismatch"))
  }

  @Test func whenAllFailTheLastOneIsTheReasonAndTheNextRunGoesOn() async throws {
    origins[0].serve(dying(0))
    for origin in origins.dropFirst() { origin.serve { $1.respond(404) } }
    let outcome = try await get("-x", "4")
    #expect(outcome.status == 22 && folder.exists("big.iso.part.json"), "\(outcome)")
    #expect(outcome.errors.contains("the mirror \(host(2)) is left, not found: 404"))
    origins[1].serve(file(1))
    origins[0].serve { $1.respond(410) }
    let again = try await get("-x", "4")
    #expect(again.status == 0 && folder.bytes(of: "big.iso") == blob, "\(again)")
  }

  @Test(arguments: UInt64(0)..<4) func itIsKilledInTheMiddleAndStillRight(seed: UInt64) async throws {
    var random = SeededRandom(seed)
    for number in 0..<3 { origins[number].serve(file(number).with { $0.bytesPerSecond = 1_500_000 }) }
    let sum = "sha-256=\(try await sha256(of: blob))"
    for _ in 0..<4 {
      let line = origins.map { $0.url("/big.iso") }.joined(separator: "\t") + "\n"
      let arguments = ["get", "-", "-d", folder.path, "-x", "4", "--checksum", sum, "--no-session"]
      let program = try Program.dltui(arguments, input: line)
      try await Task.sleep(for: .milliseconds(random.number(100...1500)))
      program.send(SIGKILL)
      _ = try await program.end()
      if folder.exists("big.iso") { break }
    }
    for number in 0..<3 { origins[number].serve(file(number)) }
    let outcome = try await get("-x", "4", "--checksum", sum)
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == blob, "seed \(seed): \(outcome)")
  }

  /// Whoever wrote a sidecar does not get at the files of this machine.
  @Test(arguments: [#""mirrors":["FILE:///etc/passwd"],"#, ""]) func aSidecarLeadsToNoLocalFile(_ mirrors: String)
    async throws
  {
    let url = mirrors.isEmpty ? "FILE:///etc/passwd" : origins[0].url("/big.iso")
    let request = #"{"url":"\#(url)",\#(mirrors)"folder":".","headers":[]}"#
    let sidecar = #"""
      {"format":"dltui sidecar","version":1,"request":\#(request),"name":"big.iso","resource":{"sendsRanges":true},"done":[],
      "sums":[],"clean":true,"partSize":0,"partTouched":0,"isOverlapOnly":false,"suspects":[],"created":0,"updated":0}
      """#
    try folder.write(sidecar.utf8, to: "big.iso.part.json")
    try folder.write([], to: "big.iso.part")
    let outcome = try await Program.dltui(["get", folder.path]).end()
    #expect(outcome.status == (mirrors.isEmpty ? 28 : 3), "\(outcome)")
    #expect(!outcome.errors.contains("mirror") && !folder.exists("big.iso"))
  }

  @Test func passwordsStayWithTheAddressTheyWereGivenFor() async throws {
    origins[1].serve(file(1))
    let outcome = try await get(options: ["user=me:secret", "header=Cookie: secret"])
    #expect(outcome.status == 0 && origins[0].requests.first?["Cookie"] == "secret")
    #expect(origins[1].requests.allSatisfy { $0["Cookie"] == nil && $0["Authorization"] == nil })
  }
}
