import Foundation
import TestSupport
import Testing

/// `dltui check`, and sums that are found by themselves.
@Suite(.timeLimit(.minutes(2))) struct CheckTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 8 << 20, seed: 91)

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
  }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(arguments, in: folder.path).end()
  }

  // MARK: Unfinished files

  /// Leaves `big.iso.part` with its first 5 MiB.
  private func leavePart() async throws {
    origin.serve(ServedFile(blob).with { $0.ending = .held(after: 5 << 20, Gate()) })
    let program = try Program.dltui(["get", "-x", "1", "--json", origin.url("/big.iso")], in: folder.path)
    try await eventually("5 MiB") { program.output.contains("\"completed\":\(5 << 20)") }
    program.send(SIGINT)
    #expect(try await program.end().status == 7)
    origin.serve(ServedFile(blob))
    origin.clearRequests()
  }

  private func spoil(_ offset: Int) throws {
    let file = try FileHandle(forUpdating: URL(filePath: folder["big.iso.part"]))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([blob[offset] ^ 1]))
    try file.close()
  }

  @Test func anUnfinishedFileIsComparedWithItsSums() async throws {
    try await leavePart()
    for name in ["big.iso", "big.iso.part", folder["big.iso"]] {
      let good = try await run("check", name)
      #expect(good.status == 0 && good.errors.isEmpty)
      #expect(good.output == "ok   \(folder["big.iso.part"]): 5.0 MiB are as they were saved\n")
    }
    try spoil((2 << 20) + 5)
    let bad = try await run("check", "big.iso")
    #expect(bad.status == 32 && origin.requests.isEmpty)
    #expect(
      bad.output == "bad  \(folder["big.iso.part"]): 1.0 MiB of 5.0 MiB are not as they were saved: 2097152–3145727\n")
    #expect(try await run("check", "-q", "big.iso").output == bad.output)
  }

  @Test func repairingFetchesWhatIsWrongAndTheRestAndNothingElse() async throws {
    try await leavePart()
    try spoil((2 << 20) + 5)
    let outcome = try await run("check", "--repair", "big.iso")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("bad  "), "\(outcome)")
    #expect(folder.bytes(of: "big.iso") == blob && !folder.exists("big.iso.part"))
    let asked = origin.requests.compactMap { $0.range?.first }
    #expect(!asked.isEmpty && asked.allSatisfy { (2 << 20..<3 << 20).contains(Int($0)) || $0 >= 5 << 20 }, "\(asked)")
  }

  @Test func aPartThatWasCutOffIsWrongWhereItEnds() async throws {
    try await leavePart()
    let file = try FileHandle(forUpdating: URL(filePath: folder["big.iso.part"]))
    try file.truncate(atOffset: 3 << 20)
    try file.close()
    let bad = try await run("check", "big.iso")
    #expect(bad.status == 32 && bad.output.contains("2.0 MiB of 5.0 MiB are not as they were saved: 3145728–5242879"))
  }

  @Test func aFileThatIsBeingFetchedIsLeftAlone() async throws {
    origin.serve(ServedFile(blob).with { $0.ending = .held(after: 5 << 20, Gate()) })
    let program = try Program.dltui(["get", "-x", "1", "--json", origin.url("/big.iso")], in: folder.path)
    try await eventually("the sidecar") { folder.exists("big.iso.part.json") }
    let outcome = try await run("check", "--repair", "big.iso")
    #expect(
      outcome.status == 11 && outcome.errors.contains("another download is writing this file") && program.isRunning)
  }

  // MARK: Whole files

  @Test func aWholeFileIsComparedWithTheSumThatIsGivenOrLiesBesideIt() async throws {
    try folder.write(blob, to: "big.iso")
    let (sum, wrong) = (try await sha256(of: blob), String(repeating: "0", count: 64))
    #expect(
      try await run("check", "big.iso", "--checksum", "sha-256=\(sum)").output == "ok   \(folder["big.iso"]): sha-256\n"
    )
    let bad = try await run("check", "big.iso", "--checksum", "sha-256=\(wrong)")
    #expect(bad.status == 32 && bad.output == "bad  \(folder["big.iso"]): sha-256 is \(sum), not \(wrong)\n")
    try folder.write("\(wrong)  else.iso\n\(sum) *big.iso\n".utf8, to: "SHA256SUMS")
    let beside = try await run("check", "big.iso")
    #expect(beside.output == "ok   \(folder["big.iso"]): sha-256 as in \(folder["SHA256SUMS"])\n")
    try folder.write(wrong.utf8, to: "big.iso.sha256")
    #expect(try await run("check", "--repair", "big.iso").status == 32)
    #expect(folder.bytes(of: "big.iso") == blob)
  }

  @Test func aListThatCannotBeReadIsSaid() async throws {
    try folder.write(Blob.random(count: 1000, seed: 3), to: "big.iso")
    try FileManager.default.createDirectory(atPath: folder["SHA256SUMS"], withIntermediateDirectories: false)
    let outcome = try await Program.dltui(["check", folder["big.iso"]]).end()
    #expect(outcome.status == 15 && outcome.errors.contains("cannot read \(folder["SHA256SUMS"])"), "\(outcome)")
  }

  @Test(arguments: [
    (["none"], 1, "nothing to check it against: "),
    (["none", "--checksum", "md5=d41d8cd98f00b204e9800998ecf8427e"], 15, "cannot open "),
    ([".", "--checksum", "md5=d41d8cd98f00b204e9800998ecf8427e"], 15, "not a plain file"), ([], 28, "no file given"),
    (["a", "b", "--checksum", "md5=d41d8cd98f00b204e9800998ecf8427e"], 28, "--checksum needs exactly one file, got 2"),
  ]) func whatCannotBeCheckedIsSaid(_ arguments: [String], _ status: Int, _ complaint: String) async throws {
    let outcome = try await Program.dltui(["check"] + arguments, in: folder.path).end()
    #expect(Int(outcome.status) == status && outcome.errors.contains(complaint) && outcome.output.isEmpty)
  }

  // MARK: Sums beside a file on its server

  private func serve(_ lists: [String: String]) {
    var files = lists.mapValues { ServedFile(Body($0)) }
    files["/d/big%20one.iso"] = ServedFile(blob)
    origin.serve(paths: files)
  }

  private func getAuto() async throws -> (outcome: Program.Outcome, verified: String?) {
    let outcome = try await run("get", "--json", "--checksum", "auto", origin.url("/d/big%20one.iso?from=here"))
    let last = outcome.output.split(separator: "\n").last.map { Data($0.utf8) } ?? Data()
    return (outcome, (try JSONSerialization.jsonObject(with: last) as? [String: Any])?["verified"] as? String)
  }

  @Test func aSumIsFoundBesideTheFileAndNamed() async throws {
    let sum = try await sha256(of: blob)
    serve(["/d/SHA256SUMS": "\(sum)  big one.iso\n", "/d/big%20one.iso.sha256": "<html>not here</html>"])
    let (outcome, verified) = try await getAuto()
    #expect(outcome.status == 0 && verified == "sha-256" && folder.bytes(of: "big one.iso") == blob)
    #expect(outcome.output.contains("checked against \(origin.url("/d/SHA256SUMS"))"))
  }

  @Test func aFileThatIsNotTheOneInTheListNeverGetsItsName() async throws {
    serve(["/d/big%20one.iso.md5": String(repeating: "0", count: 32)])
    let (outcome, _) = try await getAuto()
    #expect(outcome.status == 32 && outcome.output.contains("checksum mismatch") && !folder.exists("big one.iso"))
  }

  @Test func withoutAListTheFileIsCompleteAndThatIsSaid() async throws {
    serve([:])
    let (outcome, verified) = try await getAuto()
    #expect(outcome.status == 0 && verified == "size")
    #expect(outcome.output.contains("no checksum found beside it on the server"))
  }

  @Test func whatIsSecretIsNotCarriedElsewhere() async throws {
    let elsewhere = try ScriptedOrigin()
    let file = ServedFile(blob)
    origin.serve { [port = elsewhere.port] request, connection in
      if request.path == "/f" { return file.answer(request, connection) }
      connection.respond(302, headers: ["Location: http://127.0.0.1:\(port)/x"])
    }
    let outcome = try await run("get", "--checksum", "auto", "-H", "Cookie: secret", origin.url("/f"))
    #expect(outcome.status == 0 && elsewhere.requests.isEmpty)
    #expect(try await run("get", "--checksum", "auto", origin.url("/f")).status == 0)
    #expect(!elsewhere.requests.isEmpty)
  }
}
