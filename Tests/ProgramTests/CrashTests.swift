import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// `get` is killed at every moment there is, and goes on.
@Suite(.timeLimit(.minutes(3))) struct CrashTests {
  private static let kills = 18

  /// 12 lanes of 18 kills.
  @Test(arguments: UInt64(1)...12) func whatIsSafelyOnTheDiskIsNeverFetchedAgain(seed: UInt64) async throws {
    var lane = try CrashLane(seed: seed)
    for _ in 0..<Self.kills { try await lane.crash() }
    try await lane.arrive()
  }

  /// Each of the calls that make a state durable is the last one that the program ever makes.
  @Test(arguments: [
    "fdatasync", "fsync", "rename", "renameat2", "unlink", "link", "pwrite64", "pwritev", "openat", "fallocate",
    "ftruncate",
  ])
  func aCrashAtAnyStepOfACommitLosesNothing(_ call: String) async throws {
    let blob = Blob.random(count: 1_000_000, seed: 9)
    for number in 1...100 {
      let folder = try TemporaryFolder()
      let origin = try ScriptedOrigin()
      origin.serve(inTurn: [
        ServedFile(blob).with { $0.ending = .reset(after: 400_000) }.handler, ServedFile(blob).handler,
      ])
      let command = ["get", "--no-config", "--retry-wait", "0.01", "-d", folder["files"], origin.url()]
      let isKilled = try await killed(at: call, number, folder, command)
      let outcome = try await Program.dltui(command).end()
      let words: Comment = "\(call) \(number): \(outcome.errors)"
      #expect(outcome.status == 0, words)
      // A run that was not killed has its file, and the next one puts another beside it, as always.
      let names = folder.files.filter { !$0.contains(".part") }
      #expect(names == (isKilled ? ["file.bin"] : ["file (1).bin", "file.bin"]), words)
      for name in names { #expect(folder.bytes(of: "files/\(name)") == blob, words) }
      guard isKilled else { return #expect(number > 1 || call == "ftruncate", "\(call) is never called") }
    }
    Issue.record("\(call) is called too often")
  }

  /// Runs the program until its `number`th such call, or to its end. The C library's own calls at the start are not meant: only those on
  /// paths in the folder, or on descriptors of files in it.
  private func killed(
    at call: String, _ number: Int, _ folder: TemporaryFolder, _ command: [String]
  ) async throws -> Bool {
    try FileManager.default.createDirectory(atPath: folder["files"], withIntermediateDirectories: false)
    let paths = [
      "", "/file.bin", "/file.bin.part", "/file.bin.part.json", "/file.bin.part.json~", "/file.bin.part.json.tmp",
    ]
    let outcome = try await Program.run(
      "/usr/bin/strace",
      ["-f", "-qq", "-o", folder["trace"], "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(number)"]
        + paths.flatMap { ["-P", folder["files" + $0]] } + [try Program.dltuiPath()] + command)
    #expect(outcome.status == 0 || outcome.status == 128 + SIGKILL, "\(call) \(number): \(outcome.errors)")
    return outcome.status != 0
  }
}

extension TemporaryFolder {
  fileprivate var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self["files"])) ?? []).sorted()
  }
}
