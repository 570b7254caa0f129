import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Files of this machine under the same laws: size and time are the weak identity, the rest is proved by comparing.
@Suite(.timeLimit(.minutes(5))) struct LocalFileTests {
  private let folder: TemporaryFolder
  private static let kept: Int64 = 300_000

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Version.v1, to: "from/file.bin")
  }

  private func url(_ name: String = "file.bin") -> String { "file://" + folder["from/" + name] }

  private func start(_ options: String..., url: String? = nil) throws -> Program {
    let common = ["get", "--no-config", "--json", "--retry-wait", "0", "-d", folder["to"]]
    return try Program.dltui(common + options + [url ?? self.url()])
  }

  private func get(_ url: String? = nil) async throws -> Program.Outcome { try await start(url: url).end() }

  private func expectOnly(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = folder.bytes(of: "to/file.bin") == bytes
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder["to"])) ?? []
    #expect(isSame && names == ["file.bin"], "\(names)", sourceLocation: sourceLocation)
  }

  /// Leaves a part of some bytes, by the limit's grace.
  private func begin(_ stop: Int32) async throws -> Int64 {
    let program = try start("--limit-rate", "40K")
    try await eventually("some of it is there") { (sidecar?.doneRanges.count ?? 0) >= 65_536 }
    program.send(stop)
    _ = try await program.end()
    return sidecar?.doneRanges.count ?? 0
  }

  private var sidecar: Sidecar? {
    folder.bytes(of: "to/file.bin.part.json").flatMap { try? JSONDecoder().decode(Sidecar.self, from: Data($0)) }
  }

  @Test(arguments: ["1", "8"]) func aFileComesWhole(_ connections: String) async throws {
    try folder.write(Version.b, to: "from/file.bin")
    let ending = Ending(try await start("-x", connections).end())
    #expect(ending.status == 0 && ending.verified == "size" && ending.totals == [8_000_000])
    expectOnly(Version.b)
    #expect(folder.bytes(of: "from/file.bin") == Version.b)
  }

  @Test func anEmptyFileIsComplete() async throws {
    try folder.write([], to: "from/file.bin")
    #expect(try await get().status == 0)
    expectOnly([])
  }

  @Test func anyNameThatAFileCanHaveIsFound() async throws {
    try folder.write(Version.v1, to: "from/a ?#%ü.bin")
    #expect(try await get(url("a%20%3F%23%25%C3%BC.bin")).status == 0)
    #expect(folder.bytes(of: "to/a ?#%ü.bin") == Version.v1)
  }

  @Test(arguments: [SIGINT, SIGKILL]) func aPartIsGoneOnWith(_ stop: Int32) async throws {
    let first = try await begin(stop)
    #expect(first >= 65_536 && first < 1_000_000)
    let ending = Ending(try await get())
    #expect(ending.status == 0 && ending.restarts.isEmpty && ending.isResumable == true, "\(ending)")
    expectOnly(Version.v1)
  }

  /// What the file has become.
  enum Change: CaseIterable, Sendable {
    case newerTime, sameTime, longer, shorter, empty

    var bytes: [UInt8] {
      switch self {
      case .newerTime, .sameTime: Version.v2
      case .longer: Version.v3
      case .shorter: Array(Version.v2[..<50_000])
      case .empty: []
      }
    }
  }

  @Test(arguments: Change.allCases) func aFileThatChangedStartsOver(_ change: Change) async throws {
    var before = stat()
    stat(folder["from/file.bin"], &before)
    _ = try await begin(SIGINT)
    try folder.write(change.bytes, to: "from/file.bin")
    if change == .sameTime {
      var times = [before.st_atim, before.st_mtim]
      utimensat(AT_FDCWD, folder["from/file.bin"], &times, 0)
    }
    let ending = Ending(try await get())
    // Where there was something, nothing does not take its place.
    if change == .empty { return #expect(ending.status == 22 && folder.exists("to/file.bin.part")) }
    #expect(ending.status == 0 && ending.restarts.count == 1, "\(ending)")
    expectOnly(change.bytes)
  }

  @Test func aFileThatGrowsWhileItIsReadIsNeverMixed() async throws {
    var settings = Settings()
    (settings.rateLimit, settings.retry.firstWait) = (2_000, .zero)
    let engine = try RunningEngine(settings)
    engine.add(Request(url: url(), folder: folder["to"]))
    try await eventually("some of it is there") { (engine.item?.completed ?? 0) > 0 }
    try folder.write(Version.v3, to: "from/file.bin")
    engine.post(.limitRate(nil))
    try await eventually("it has ended") { engine.hasEnded }
    try await engine.quit()
    let ending = Ending(engine.notices)
    #expect(ending.status == 0, "\(ending)")
    expectOnly(Version.v3)
  }

  @Test func aPauseHoldsAndTheRateIsLimited() async throws {
    var settings = Settings()
    settings.rateLimit = 2_000
    let engine = try RunningEngine(settings)
    engine.add(Request(url: url(), folder: folder["to"]))
    try await eventually("some of it is there") { (engine.item?.completed ?? 0) > 0 }
    // A million bytes at once would be all of it.
    #expect((engine.item?.completed ?? 0) < 500_000)
    engine.post(.pause(.all))
    try await eventually("it is paused") { engine.hasEnded }
    engine.post(.limitRate(nil))
    engine.post(.resume(.all))
    try await eventually("it is complete") { if case .completed = engine.item?.state { true } else { false } }
    try await engine.quit()
    expectOnly(Version.v1)
  }

  /// What cannot be read, and how that is said.
  @Test(arguments: [
    ("missing", 3, "no such file: "), ("file.bin/x", 3, "no such file: "), ("folder", 15, "it is a folder"),
    ("pipe", 15, "it is no regular file"), ("link", 3, "no such file: "), ("/dev/zero", 15, "it is no regular file"),
    ("/proc/version", 15, "it does not tell its size"), ("a%00b", 22, "no path that a file can have"),
  ]) func whatIsNoFileIsSaidSo(_ name: String, _ status: Int32, _ words: String) async throws {
    try FileManager.default.createDirectory(atPath: folder["from/folder"], withIntermediateDirectories: false)
    mkfifo(folder["from/pipe"], 0o600)
    symlink("nowhere", folder["from/link"])
    let outcome = try await get(name.hasPrefix("/") ? "file://" + name : url(name))
    #expect(outcome.status == status && outcome.output.contains(words), "\(outcome.output)")
    #expect(!outcome.output.contains("retrying"))
  }

  @Test(.enabled(if: getuid() == 0, "needs root to become nobody"))
  func whatMayNotBeReadIsSaidSo() async throws {
    chmod(folder["from/file.bin"], 0)
    for path in [folder.path, folder["from"]] { chmod(path, 0o777) }
    let outcome = try await Program.run(
      "/usr/bin/setpriv",
      [
        "--reuid", "65534", "--clear-groups", try Program.dltuiPath(), "get", "--no-config", "-d", folder["from"],
        url(),
      ])
    #expect(outcome.status == 15 && outcome.errors.contains("permission denied"), "\(outcome)")
  }

  @Test func aSidecarInAFolderReadsNoFileOfThisMachine() async throws {
    _ = try await begin(SIGINT)
    let outcome = try await get(folder["to"])
    #expect(outcome.status == 28 && !folder.exists("to/file.bin"), "\(outcome)")
  }
}
