import Foundation
import TestSupport
import Testing

/// The lines of `get --json` as a script sees them.
@Suite(.timeLimit(.minutes(2))) struct JSONTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private typealias Line = [String: Any]

  /// Runs `get --json`: its lines, each of which must be an object, and its exit status.
  private func lines(_ arguments: String...) async throws -> (lines: [Line], status: Int32) {
    let outcome = try await Program.dltui(["get", "--json", "--no-config", "-d", folder.path] + arguments).end()
    #expect(outcome.output.hasSuffix("\n") && (outcome.status != 0 || outcome.errors.isEmpty))
    let lines = try outcome.output.split(separator: "\n").map { text in
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Line, "\(text)")
    }
    return (lines, outcome.status)
  }

  private func words(_ lines: [Line]) -> [String] { lines.compactMap { $0["event"] as? String } }

  /// The contract of `cli.md`: what each event has at least.
  private static let keys: [String: Set<String>] = [
    "added": ["url", "time"],
    "started": ["path", "total", "completed", "resumable"],
    "progress": ["completed", "total", "speed", "eta", "connections"],
    "retrying": ["attempt", "of", "in", "error"],
    "verifying": [],
    "completed": ["path", "total", "seconds", "verified"],
    "failed": ["error"],
  ]

  private func expectKeys(_ lines: [Line]) throws {
    for line in lines {
      let word = try #require(line["event"] as? String)
      let wanted = try #require(Self.keys[word], "\(word)")
      #expect(wanted.union(["event", "id"]).isSubset(of: line.keys), "\(line)")
      #expect(line["id"] is Int)
      if let error = line["error"] as? Line { #expect(error["code"] is Int && error["message"] is String) }
      for number in line.values.compactMap({ $0 as? Double }) { #expect(number.isFinite) }
    }
  }

  @Test func aDownloadIsToldFromItsStartToItsEnd() async throws {
    let body = Blob.random(count: 6 << 20, seed: 31)
    let origin = try ScriptedOrigin(ServedFile(body).with { $0.bytesPerSecond = 1 << 20 })
    let (lines, status) = try await lines("-x", "2", origin.url("/big.iso"))
    try expectKeys(lines)
    #expect(status == 0)
    #expect(words(lines).filter { $0 != "progress" } == ["added", "started", "verifying", "completed"])
    let progress = lines.filter { $0["event"] as? String == "progress" }
    #expect(progress.count > 3)
    let completed = progress.compactMap { $0["completed"] as? Int }
    #expect(completed == completed.sorted() && completed.allSatisfy { $0 <= body.count })
    #expect(progress.allSatisfy { $0["total"] as? Int == body.count && $0["connections"] as? Int ?? 9 <= 2 })
    #expect(lines.last?["verified"] as? String == "size" && lines.last?["total"] as? Int == body.count)
    #expect(lines.last?["path"] as? String == folder["big.iso"])
    #expect((lines.last?["seconds"] as? Double ?? 0) > 0)
  }

  @Test func aFileOfUnknownLengthHasNulls() async throws {
    let body = Blob.random(count: 1 << 20, seed: 32)
    let origin = try ScriptedOrigin(
      ServedFile(body).with {
        $0.framing = .chunked(1 << 14)
        $0.ranges = .ignored
        $0.bytesPerSecond = 1 << 20
      })
    let (lines, status) = try await lines(origin.url("/stream"))
    try expectKeys(lines)
    #expect(status == 0 && folder.bytes(of: "stream") == body)
    let unknown = lines.filter { ["started", "progress"].contains($0["event"] as? String) }
    #expect(unknown.count > 1 && unknown.allSatisfy { $0["total"] is NSNull })
    #expect(unknown.filter { $0["event"] as? String == "progress" }.allSatisfy { $0["eta"] is NSNull })
    #expect(lines.last?["verified"] as? String == "none" && lines.last?["total"] as? Int == body.count)
  }

  @Test func attemptsAreCountedUntilTheFailure() async throws {
    let origin = try ScriptedOrigin { $1.respond(503) }
    let (lines, status) = try await lines("--retries", "2", "--retry-wait", "0.1", origin.url("/busy"))
    try expectKeys(lines)
    #expect(status == 29)
    #expect(words(lines) == ["added", "retrying", "retrying", "failed"])
    #expect(lines.compactMap { $0["attempt"] as? Int } == [1, 2])
    #expect(lines.compactMap { $0["of"] as? Int } == [2, 2])
    #expect(lines.compactMap { ($0["error"] as? Line)?["code"] as? Int } == [29, 29, 29])
    #expect(origin.requests.count == 3)
  }

  @Test func everyDownloadKeepsItsNumber() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(paths: ["/a": ServedFile(Blob.random(count: 50_000, seed: 33)), "/c": ServedFile([])])
    let (lines, status) = try await lines(origin.url("/a"), origin.url("/b"), origin.url("/c"))
    try expectKeys(lines)
    #expect(status == 3)
    let ends = lines.filter { ["completed", "failed"].contains($0["event"] as? String) }
    let words = Dictionary(uniqueKeysWithValues: ends.map { ($0["id"] as? Int ?? 0, $0["event"] as? String ?? "") })
    #expect(words == [1: "completed", 2: "failed", 3: "completed"])
    #expect(lines.filter { $0["event"] as? String == "added" }.compactMap { $0["id"] as? Int } == [1, 2, 3])
  }
}
