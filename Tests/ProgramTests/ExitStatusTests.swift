import TestSupport
import Testing

/// What `get` says and returns when things go wrong: the numbers of aria2's table.
@Suite(.timeLimit(.minutes(2))) struct ExitStatusTests {
  private let blob = Blob.random(count: 3_000_000, seed: 11)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func get(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
    try await Program.dltui(["get", "-d", folder.path, "--no-config"] + arguments, input: input).end()
  }

  @Test func oneOfThreeIsNotFoundAndTheOthersAreRight() async throws {
    let nginx = try await NginxServer()
    try nginx.write(blob, to: "first")
    try nginx.write(Array(blob.reversed()), to: "third")
    let outcome = try await get(nginx.url("/first"), nginx.url("/second"), nginx.url("/third"))
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("failed  \(nginx.url("/second")): not found: 404\n"))
    #expect(folder.bytes(of: "first") == blob && folder.bytes(of: "third") == blob.reversed())
    #expect(folder.names == ["first", "third"])
  }

  @Test func aRefusedConnectionIsANetworkProblem() async throws {
    let address = "http://127.0.0.1:\(try freePort())/x"
    let outcome = try await get(address, "--retries", "1", "--retry-wait", "0.1")
    #expect(outcome.status == 6)
    #expect(outcome.errors.contains("failed  \(address): cannot connect"))
    #expect(outcome.errors.contains("retry   "))
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [
    (404, 3), (410, 3), (401, 24), (400, 22), (500, 22), (503, 29), (429, 29), (204, 22), (304, 22),
  ]) func anAnswerThatIsNoFileHasItsNumber(_ answer: Int, _ status: Int32) async throws {
    let origin = try ScriptedOrigin {
      $1.respond(answer, body: answer == 204 || answer == 304 ? "" : "an error page\n")
    }
    let outcome = try await get(origin.url("/x"), "--retries", "1", "--retry-wait", "0.1", "--json")
    #expect(outcome.status == status)
    #expect(outcome.output.contains("\"code\":\(status),"))
    #expect(folder.names.isEmpty)
  }

  @Test func theLastOfSeveralFailuresIsTheStatus() async throws {
    let origin = try ScriptedOrigin { request, connection in
      if request.path == "/slow" { connection.sleep(.milliseconds(400)) }
      connection.respond(request.path == "/slow" ? 401 : 404)
    }
    #expect(try await get(origin.url("/slow"), origin.url("/fast")).status == 24)
  }

  @Test func aWrongSumIsAFailureWithoutAFinalName() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let sum = try await sha256(of: blob)
    let wrong = String(repeating: "0", count: 64)
    let outcome = try await get(origin.url("/big.iso"), "--checksum", "sha-256=\(wrong)")
    #expect(outcome.status == 32)
    #expect(outcome.errors.contains("checksum mismatch: expected \(wrong), got \(sum)"))
    #expect(!folder.exists("big.iso"))
  }

  @Test func aRightSumIsSaidToBeVerified() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await get(
      origin.url("/big.iso"), "--checksum", "SHA-256=\(try await sha256(of: blob).uppercased())")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("sha-256 verified"))
    #expect(folder.bytes(of: "big.iso") == blob && folder.names == ["big.iso"])
  }

  @Test(arguments: [("fail", 13), ("skip", 13), ("overwrite", 0), ("rename", 0)])
  func aNameThatIsTakenIsTreatedAsAsked(_ manner: String, _ status: Int32) async throws {
    let mine = Array("mine".utf8)
    try folder.write(mine, to: "x.tar.gz")
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await get(origin.url("/x.tar.gz"), "--if-exists", manner)
    #expect(outcome.status == status)
    #expect(folder.bytes(of: "x.tar.gz") == (manner == "overwrite" ? blob : mine))
    #expect(folder.bytes(of: "x (1).tar.gz") == (manner == "rename" ? blob : nil))
    #expect(!folder.names.contains { $0.contains(".part") })
  }

  @Test(arguments: ["/proc/dltui", "/dev/null/x", "/sys/x"])
  func aFolderThatCannotBeMadeIsToldInOneLine(_ path: String) async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await Program.dltui(["get", "--no-config", "-d", path, origin.url()]).end()
    #expect(outcome.status == 18)
    #expect(outcome.errors.contains("cannot make the folder \(path)"))
  }

  @Test func aFolderThatTakesNoFilesIsToldInOneLine() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await Program.dltui(["get", "--no-config", "-d", "/proc", origin.url()]).end()
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("cannot create /proc"))
  }

  /// The limit of setrlimit(2), which would kill a program that does not care.
  @Test func aFileThatMayNotGrowIsAFailureOfThatFile() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let script =
      "ulimit -f 1000; exec '\(try Program.dltuiPath())' get --no-config -d '\(folder.path)' '\(origin.url("/x"))'"
    let outcome = try await Program.run("/bin/bash", ["-c", script])
    #expect(outcome.status == 17)
    #expect(outcome.errors.contains("cannot write \(folder["x.part"]): file too large"))
    #expect(!folder.exists("x"))
  }

  @Test func quietSaysNothingButFailures() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/good": ServedFile(blob)])
    let good = try await get("-q", origin.url("/good"))
    #expect(good.status == 0 && good.errors.isEmpty && good.output.isEmpty)
    let bad = try await get("-q", origin.url("/bad"))
    #expect(bad.status == 3 && bad.output.isEmpty)
    #expect(bad.errors == "failed  \(origin.url("/bad")): not found: 404\n")
  }

  @Test func aPipeGetsPlainLines() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob).with { $0.bytesPerSecond = 2_000_000 })
    let outcome = try await get(origin.url("/x"), origin.url("/y"), "-x", "1", "--color", "auto")
    #expect(outcome.status == 0)
    #expect(outcome.errors.utf8.allSatisfy { $0 != 0x1B && $0 != 0x0D })
    #expect(outcome.errors.hasSuffix("\n"))
  }

  @Test func addressesComeFromStandardInput() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/1": ServedFile(blob), "/2": ServedFile(blob)])
    let outcome = try await get("-i", "-", input: "\(origin.url("/1"))\n# a comment\n\n\(origin.url("/2"))")
    #expect(outcome.status == 0)
    #expect(folder.bytes(of: "1") == blob && folder.bytes(of: "2") == blob)
  }
}
