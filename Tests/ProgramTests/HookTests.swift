import Foundation
import TestSupport
import Testing

/// `--on-complete`, and limits by the time of day.
@Suite(.timeLimit(.minutes(2))) struct HookTests {
  private let folder: TemporaryFolder
  private let blob = Blob.random(count: 600_000, seed: 5)

  init() throws { folder = try TemporaryFolder() }

  /// A program that writes down what it was told.
  private func script(_ body: String) throws -> String {
    try folder.write("#!/bin/sh\n\(body)\n".utf8, to: "my hook")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder["my hook"])
    return folder["my hook"]
  }

  private func get(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.dltui(["get", "-d", folder["files"]] + arguments, in: folder.path).end()
  }

  @Test func theProgramLearnsOfEveryCompleteFileAndOfNothingElse() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/a$(x)": ServedFile(blob), "/b": ServedFile(blob)])
    let hook = try script(
      #"printf '%s|' "$1" "$2" "$#" "$DLTUI_PATH" "$DLTUI_SIZE" "$DLTUI_STATE" "$DLTUI_VERIFIED" >>log"#)
    let outcome = try await get(
      origin.url("/a$(x)"), origin.url("/b"), origin.url("/missing"), "--on-complete",
      "'\(hook)' 'one  word' $HOME\\;", "-j", "1")
    #expect(outcome.status == 3 && !outcome.errors.contains("on-complete"))
    let said = ["a$(x)", "b"].map { "one  word|$HOME;|2|\(folder["files/\($0)"])|600000|completed|size|" }
    #expect(folder.text(of: "log") == said.joined())
  }

  @Test func aFailureIsToldAndTheFileIsCompleteAllTheSame() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let hook = try script("exit 3")
    let failed = try await get(origin.url("/a"), "--on-complete", "'\(hook)'")
    #expect(failed.status == 0 && folder.bytes(of: "files/a") == blob)
    #expect(failed.errors.contains("on-complete: \(hook) ended with status 3: \(folder["files/a"])"))
    let missing = try await get(origin.url("/b"), "--on-complete", "/none")
    #expect(missing.status == 0 && missing.errors.contains("on-complete: /none cannot be started (no such file"))
    let killed = try await get(origin.url("/c"), "--on-complete", "'\(try script("kill -9 $$"))'")
    #expect(killed.status == 0 && killed.errors.contains("ended by signal 9"))
  }

  /// Downloads `a` and `b`; what is run for each waits for a file `go`, then writes a line to `log`.
  private func twoFilesAndASlowHook(from origin: ScriptedOrigin) async throws -> Program {
    let hook = try script("until [ -e go ]; do sleep 0.05; done; echo $DLTUI_PATH >>log")
    let program = try Program.dltui(
      ["get", "-d", folder["files"], "-j", "1", "--on-complete", "'\(hook)'", origin.url("/a"), origin.url("/b")],
      in: folder.path)
    try await eventually("both files") { folder.exists("files/a") && folder.exists("files/b") }
    return program
  }

  @Test func aSlowProgramHoldsNothingUp() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let program = try await twoFilesAndASlowHook(from: origin)
    #expect(program.isRunning && !folder.exists("log"))
    try folder.write([], to: "go")
    #expect(try await program.end().status == 0)
    #expect(folder.text(of: "log") == folder["files/a"] + "\n" + folder["files/b"] + "\n")
  }

  @Test func whatIsNotRunAnyMoreIsSaid() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let program = try await twoFilesAndASlowHook(from: origin)
    try await eventually("both are told") { program.errors.split(separator: "\n").count { $0.hasPrefix("done") } == 2 }
    program.send(SIGTERM)
    let outcome = try await program.end()
    #expect(outcome.status == 0 && outcome.errors.contains("on-complete: not run, dltui ends: \(folder["files/b"])"))
    try folder.write([], to: "go")
    try await eventually("the first one goes on") { folder.text(of: "log") == folder["files/a"] + "\n" }
  }

  @Test func neitherAServerNorASidecarCanSetIt() async throws {
    let gate = Gate()
    let origin = try ScriptedOrigin(
      ServedFile(blob).with {
        $0.ending = .held(after: 100_000, gate)
        $0.headers = ["on-complete: touch owned", "X-On-Complete: touch owned"]
      })
    let program = try Program.dltui(["get", "-d", folder["files"], "-x", "1", origin.url("/a")], in: folder.path)
    try await eventually("some bytes") { program.errors.contains("start") }
    program.send(SIGINT)
    #expect(try await program.end().status == 7)
    let sidecar = try #require(folder.text(of: "files/a.part.json"))
    try folder.write(
      sidecar.replacing("{", with: "{\"onComplete\":[\"touch\",\"owned\"],", maxReplacements: 1).utf8,
      to: "files/a.part.json")
    gate.open()
    let outcome = try await get(origin.url("/a"))
    #expect(outcome.status == 0 && folder.bytes(of: "files/a") == blob && !folder.exists("owned"))
  }

  @Test func aLimitHoldsByTheTimeOfDay() async throws {
    let origin = try ScriptedOrigin(ServedFile(blob))
    let outcome = try await get(
      origin.url("/a"), "--json", "--limit-rate", "0; 00:00-12:00 200K; 12:00-24:00 200K")
    let last = try #require(outcome.output.split(separator: "\n").last)
    let facts = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
    let seconds = try #require(facts?["seconds"] as? Double)
    #expect(outcome.status == 0 && seconds > 1.5, "600,000 bytes at 200 KiB/s")
  }
}
