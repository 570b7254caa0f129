import Foundation
import TestSupport
import Testing

/// Every line that the program prints as JSON obeys the schema beside this file, which is the contract with scripts.
@Suite(.timeLimit(.minutes(2))) struct SchemaTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
  }

  private func schema(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas/\(name).schema.json").path
  }

  /// Complains by the number of the line. (Debian's python3-jsonschema knows draft 2020-12.)
  private func complaints(_ lines: String, _ name: String) async throws -> String {
    let script = """
      import json, sys, jsonschema
      check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      check.check_schema(check.schema)
      for number, line in enumerate(sys.stdin, 1):
        for error in check.iter_errors(json.loads(line)):
          print(number, line.strip(), error.message)
      """
    let outcome = try await Program.run("/usr/bin/python3", ["-c", script, schema(name)], input: lines)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private func events(_ text: String) -> Set<String> {
    Set(text.split(separator: "\n").compactMap { $0.firstMatch(of: /"event":"(\w+)"/).map { String($0.1) } })
  }

  /// A good file, one without a size, one that is gone, one that is busy at first, one that changes, and one that stays behind.
  private func everything() async throws -> String {
    let blob = Blob.random(count: 2 << 20, seed: 99)
    let slow = ServedFile(blob).with { $0.bytesPerSecond = 2 << 20 }
    let busy = ScriptedOrigin.inTurn([{ $1.respond(503, headers: ["Retry-After: 0"]) }, slow.handler])
    let chunked = slow.with {
      $0.framing = .chunked(10_000)
      $0.ranges = .ignored
    }
    let changing = ScriptedOrigin.inTurn([
      slow.with { $0.ending = .closed(after: 500_000) }.handler, slow.with { $0.etag = "\"v2\"" }.handler,
    ])
    origin.serve { request, connection in
      switch request.path {
      case "/good": slow.answer(request, connection)
      case "/chunked": chunked.answer(request, connection)
      case "/busy": busy(request, connection)
      case "/changing": changing(request, connection)
      case "/held": slow.with { $0.ending = .held(after: 300_000, Gate()) }.answer(request, connection)
      default: connection.respond(404)
      }
    }
    let names = ["good", "chunked", "busy", "changing", "gone", "held"].map { origin.url("/\($0)") }
    let program = try Program.dltui(
      ["get", "--json", "-x", "1", "-j", "10", "--retry-wait", "0", "--checksum", "auto", "-d", folder["ä b"]] + names)
    try await eventually("all but the held one") {
      let ends = program.output.split(separator: "\n").filter {
        $0.contains("\"completed\",") || $0.contains("\"failed\"")
      }
      return ends.count == 5
    }
    program.send(SIGINT)
    return try await program.end().output
  }

  @Test func everyLineOfGetObeysTheSchema() async throws {
    let lines = try await everything()
    #expect(try await complaints(lines, "get") == "")
    let seen: Set = [
      "added", "started", "progress", "retrying", "verifying", "restarted", "warning", "completed", "failed",
    ]
    #expect(events(lines).isSuperset(of: seen), "\(seen.subtracting(events(lines)))")
  }

  /// Mirrors of which one lies, sums of pieces, a Metalink that is followed, and an address that is in it twice.
  @Test func everyLineOfAMetalinkObeysTheSchema() async throws {
    let blob = Blob.random(count: 3 << 20, seed: 100)
    let sums = try await [sha256(of: Array(blob.prefix(2 << 20))), sha256(of: Array(blob.suffix(1 << 20)))]
    let pieces = "<pieces length=\"\(2 << 20)\" type=\"sha-256\">\(sums.map { "<hash>\($0)</hash>" }.joined())</pieces>"
    let urls = ["/lie", "/good"].map { "<url>\(origin.url($0))</url>" }.joined()
    let file = "<file name=\"a\"><size>\(blob.count)</size>\(pieces)\(urls)</file>"
    let lie = blob.dropLast() + [blob[blob.count - 1] ^ 1]
    origin.serve { request, connection in
      switch request.path {
      case "/m.meta4": ServedFile(Array("<metalink>\(file)\(file)</metalink>".utf8)).answer(request, connection)
      case "/lie": ServedFile(Array(lie)).answer(request, connection)
      default: ServedFile(blob).answer(request, connection)
      }
    }
    let outcome = try await Program.dltui(
      ["get", "--json", "-d", folder.path, origin.url("/m.meta4"), "--retry-wait", "0"]).end()
    #expect(outcome.status == 0 && folder.bytes(of: "a") == blob, "\(outcome)")
    #expect(outcome.output.contains("already in the list") && outcome.output.contains("are fetched again"))
    #expect(try await complaints(outcome.output, "get") == "")
  }

  @Test func everyLineOfListObeysTheSchema() async throws {
    _ = try await everything()
    let unfinished = try await Program.dltui(["list", "--json", folder["ä b"]]).end().output
    let state = folder["state"]
    for arguments in [
      ["add", "-d", folder["x"], origin.url("/good")], ["add", "-d", folder["x"], origin.url("/gone")],
    ] {
      #expect(try await Program.dltui(arguments + ["--state-dir", state]).end().status == 0)
    }
    let session = try await Program.dltui(["list", "--json", "--state-dir", state]).end().output
    #expect(unfinished.contains("held") && session.split(separator: "\n").count == 2)
    #expect(try await complaints(unfinished + session, "list") == "")
  }

  @Test(arguments: [
    #"{"event":"added","id":1,"time":"2026-11-30T12:00:00.000Z"}"#,
    #"{"event":"failed","id":1,"time":"2026-11-30T12:00:00.000Z","error":{"code":0,"message":"x"}}"#,
    #"{"event":"paused","id":1,"time":"now"}"#, #"{"event":"nonsense","id":1,"time":"2026-11-30T12:00:00.000Z"}"#,
    #"{"event":"verifying","id":1,"time":"2026-11-30T12:00:00.000Z","more":1}"#,
  ]) func theSchemaRefusesWhatIsNotPromised(_ line: String) async throws {
    #expect(try await complaints(line, "get").hasPrefix("1 "))
  }
}
