import DownloadCore
import DownloadEngine
import Foundation
import Glibc
import TestSupport
import Testing

/// Real connections to real servers: never more than they bear, never a storm.
@Suite(.timeLimit(.minutes(3))) struct PolitenessTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func get(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.dltui(["get", "--no-config", "--no-progress", "-d", folder.path] + arguments).end()
  }

  @Test func aServerThatBearsOneConnectionIsNotStormed() async throws {
    var options = NginxServer.Options()
    (options.connections, options.rate) = (1, 8 << 20)
    let nginx = try await NginxServer(options)
    try nginx.write(Version.b, to: "file.bin")
    let outcome = try await get(["-x", "8", nginx.url("/file.bin")])
    #expect(outcome.status == 0 && folder.bytes(of: "file.bin") == Version.b, "\(outcome)")
    let log = nginx.log
    #expect(log.count <= 30 && log.contains { $0.status == 503 }, "\(log.count) requests")
  }

  @Test func eightDownloadsFromAServerThatBearsOneConnectionAllArrive() async throws {
    let nginx = try await NginxServer(.init())
    let strict = try await {
      var options = NginxServer.Options()
      options.connections = 1
      return try await NginxServer(options)
    }()
    for number in 0..<8 { try strict.write(Version.v1, to: "\(number)") }
    try nginx.write(Version.v1, to: "other")
    let outcome = try await get(["-j", "8", nginx.url("/other")] + (0..<8).map { strict.url("/\($0)") })
    #expect(outcome.status == 0, "\(outcome)")
    for name in (0..<8).map(String.init) + ["other"] { #expect(folder.bytes(of: name) == Version.v1, "\(name)") }
    #expect(strict.log.count <= 60, "\(strict.log.count) requests")
  }

  /// Idle connections in libcurl's pool count too: a server sees no difference.
  @Test func theCapOfAHostCountsEveryOpenSocket() async throws {
    let busy = try ScriptedOrigin(ServedFile.b.with { $0.bytesPerSecond = 8_000_000 })
    let other = try ScriptedOrigin(.v1)
    let outcome = try await get(
      ["-j", "7", "-x", "4", "--max-host-connections", "3", other.url("/other")]
        + (0..<6).map { busy.url("/f\($0)") })
    #expect(outcome.status == 0, "\(outcome)")
    for number in 0..<6 { #expect(folder.bytes(of: "f\(number)") == Version.b) }
    #expect(busy.counters.mostConnectionsOpen == 3 && busy.counters.connectionsAccepted <= 40, "\(busy.counters)")
    #expect(other.counters.connectionsAccepted >= 1)
  }

  @Test func smallFilesDoNotWaitForABigOne() async throws {
    let origin = try ScriptedOrigin()
    let big = ServedFile(Body.virtual(count: 5 << 30, seed: 7)).with { $0.bytesPerSecond = 2_000_000 }
    let small = ServedFile(Blob.random(count: 10 << 10, seed: 8))
    origin.serve { request, connection in (request.path == "/big" ? big : small).answer(request, connection) }
    var settings = Settings()
    (settings.jobs, settings.hostConnections, settings.preallocate) = (2, 8, false)
    let running = try RunningEngine(settings)
    running.add(Request(url: origin.url("/big"), folder: folder.path))
    try await eventually("the big one has every connection") { running.item?.transfers.count == 8 }
    running.post(.add((0..<10).map { Request(url: origin.url("/small\($0)"), folder: folder.path) }))
    try await eventually("the small ones are done") {
      running.engine.snapshot.downloads.dropFirst().count { $0.state == .completed(.size) } == 10
    }
    #expect(running.item?.state == .active)
    try await running.quit()
  }

  /// Descriptors of this process that lead to the folder; other tests run beside this one.
  private var openFiles: [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .filter { $0.hasPrefix(folder.path) }
  }

  @Test(arguments: UInt64(0)..<3) func thirtyPausesAtAnyMomentLoseAndLeakNothing(seed: UInt64) async throws {
    var random = SeededRandom(seed)
    let origin = try ScriptedOrigin(ServedFile.b.with { $0.bytesPerSecond = 2_000_000 })
    var settings = Settings()
    (settings.minSplit, settings.retry.firstWait) = (256 << 10, .milliseconds(50))
    let running = try RunningEngine(settings)
    running.add(Request(url: origin.url(), folder: folder.path))
    for cycle in 0..<30 {
      // Before the head, in the middle of the bytes, while it waits for another try.
      let hostile: [ServedFile] = [
        .b.with { $0.delay = .milliseconds(40) }, .b.with { $0.bytesPerSecond = 2_000_000 },
        .b.with { $0.status = 503 },
        .b.with { $0.ending = .reset(after: 20_000) },
      ]
      origin.serve(hostile[Int(random.next() % 4)])
      try await Task.sleep(for: .milliseconds(Int(random.next() % 60)))
      running.post(.pause(.all))
      if cycle % 3 == 0 {
        try await eventually("paused") { running.hasEnded }
        #expect(running.item?.transfers.isEmpty == true)
      }
      running.post(.resume(.all))
    }
    origin.serve(.b)
    running.post(.resume(.all))
    try await eventually("complete") {
      if case .failed = running.item?.state { running.post(.resume(.all)) }
      return running.item?.state == .completed(.size)
    }
    #expect(folder.bytes(of: "file.bin") == Version.b, "seed \(seed)")
    #expect(folder.names == ["file.bin"])
    try await running.quit()
    #expect(openFiles.isEmpty, "\(openFiles)")
    try await eventually("no socket is left") { origin.counters.connectionsOpen == 0 }
  }

  @Test(arguments: [false, true]) func aProcessThatStoodStillBlamesNobody(_ isLimited: Bool) async throws {
    let origin = try ScriptedOrigin(ServedFile.v1.with { $0.bytesPerSecond = 80_000 })
    let program = try Program.dltui(
      ["get", "--no-config", "--no-progress", "-d", folder.path, "--stall-timeout", "4", "--retries", "1", "-x", "1"]
        + (isLimited ? ["--limit-rate", "400K"] : []) + [origin.url()])
    try await eventually("bytes") { folder.bytes(of: "file.bin.part").map { !$0.isEmpty } ?? false }
    program.send(SIGSTOP)
    try await Task.sleep(for: .seconds(6))
    program.send(SIGCONT)
    let outcome = try await program.end()
    #expect(outcome.status == 0 && !outcome.errors.contains("no data"), "\(outcome)")
    #expect(origin.requests.count == 1 && folder.bytes(of: "file.bin") == Version.v1)
  }

  /// What a limit holds back for longer than the stall limit is no stall.
  @Test func aThrottledTransferIsNoStall() async throws {
    let origin = try ScriptedOrigin(ServedFile(Blob.random(count: 60_000, seed: 9)))
    let outcome = try await get(
      ["--limit-rate", "10K", "--stall-timeout", "2", "--retries", "1", "-x", "4"]
        + [origin.url("/a"), origin.url("/b"), origin.url("/c")])
    #expect(outcome.status == 0 && origin.requests.count == 3, "\(outcome)")
  }

  // MARK: No network

  @Test(.enabled(if: mayUnshare, "a network namespace is not permitted here"))
  func withoutANetworkItSaysSoAndWaits() async throws {
    let program = try Program(
      "/usr/bin/unshare",
      ["-rn", try Program.dltuiPath(), "get", "--no-config", "--no-progress", "-d", folder.path, "--retries", "1"]
        + ["http://192.0.2.1/file.bin"])
    try await eventually("it has looked three times") {
      program.errors.split(separator: "\n").count { $0.contains("no network") } >= 3
    }
    #expect(!program.errors.contains("2/1") && program.isRunning)
    program.send(SIGTERM)
    #expect(try await program.end().status == 7)
  }
}

/// Whether the kernel lets this process have a network of its own.
private let mayUnshare: Bool = {
  let program = try? Program("/usr/bin/unshare", ["-rn", "true"])
  while program?.isRunning == true { usleep(1000) }
  return program.map { !$0.errors.contains("unshare") } ?? false
}()
