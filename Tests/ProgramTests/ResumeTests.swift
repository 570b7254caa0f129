import DownloadCore
import Glibc
import TestSupport
import Testing

/// Downloads that are interrupted on the screen, and what the next bytes are.
@Suite(.timeLimit(.minutes(3))) struct ResumeTests {
  private let desk: Desk
  private let size = 64 << 20

  init() throws { desk = try Desk("-x", "8", "--stall-timeout", "300") }

  /// nginx with one file, which comes at 8 MiB/s over eight connections.
  private func server(_ name: String) async throws -> NginxServer {
    var options = NginxServer.Options()
    options.rate = 1 << 20
    let nginx = try await NginxServer(options)
    try nginx.write(Blob.random(count: size, seed: 1), to: name)
    return nginx
  }

  /// The number of a connection that is newer than every one so far.
  private func newConnection(to nginx: NginxServer) async throws -> Int {
    _ = try await Program.run("/usr/bin/curl", ["-s", nginx.url("/mark")])
    try await eventually("the mark") { nginx.log.contains { $0.request.contains("/mark") } }
    return nginx.log.last { $0.request.contains("/mark") }?.connection ?? .max
  }

  @Test func theKeysPauseAndResume() async throws {
    let file = ServedFile(Blob.random(count: 24 << 20, seed: 3))
    let origin = try ScriptedOrigin(file.with { $0.ending = .held(after: 1 << 20, Gate()) })
    let terminal = try await desk.open(origin.url("/big.iso"))
    try await terminal.waitForPercent(33, of: "big.iso")
    #expect(try await row(of: "big.iso", on: terminal.screen()).contains("████"))
    #expect(origin.counters.connectionsOpen == 8)

    try await terminal.press("p")
    try await terminal.waitForRow(of: "big.iso", saying: "paused (resumable)")
    try await eventually("the connections close") { origin.counters.connectionsOpen == 0 }
    try await eventually("the sidecar") { desk.sidecar(of: "big.iso")?.clean == true }
    let sidecar = try #require(desk.sidecar(of: "big.iso"))
    #expect((7 << 20...8 << 20).contains(sidecar.doneRanges.count))
    #expect(desk.exists("big.iso.part") && !desk.exists("big.iso"))

    origin.serve(file)
    origin.clearRequests()
    try await terminal.press("r")
    try await terminal.waitForRow(of: "big.iso", saying: "done")
    #expect(desk.bytes(of: "big.iso") == file.body.bytes(0..<file.body.count))
    #expect(desk.names == ["big.iso"])
    expectNothingTwice(sidecar, origin)
  }

  @Test func quittingMidwayGoesOnByItselfAsItWas() async throws {
    let files = ["/one", "/two"].enumerated().map {
      ($1, ServedFile(Blob.random(count: 24 << 20, seed: UInt64($0 + 1))))
    }
    let whole = Dictionary(uniqueKeysWithValues: files)
    let origin = try ScriptedOrigin()
    origin.serve(paths: whole.mapValues { $0.with { $0.ending = .held(after: 1 << 20, Gate()) } })
    var terminal = try await desk.open(origin.url("/one"), origin.url("/two"))
    try await terminal.waitForPercent(33, of: "one")
    try await terminal.waitForPercent(33, of: "two")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "one", saying: "paused")
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
    let known = [try #require(desk.sidecar(of: "one")), try #require(desk.sidecar(of: "two"))]
    #expect(known.allSatisfy { $0.clean && (7 << 20...8 << 20).contains($0.doneRanges.count) })

    origin.serve(paths: whole)
    origin.clearRequests()
    terminal = try await desk.open()
    let screen = try await terminal.waitForRow(of: "two", saying: "done")
    #expect(row(of: "one", on: screen).contains("paused (resumable)"))
    #expect(origin.requests.allSatisfy { $0.path == "/two" })
    expectNothingTwice(known[1], origin)
    origin.clearRequests()
    try await terminal.press("r")
    try await terminal.waitForRow(of: "one", saying: "done")
    expectNothingTwice(known[0], origin)
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    for (path, file) in whole {
      #expect(desk.bytes(of: String(path.dropFirst())) == file.body.bytes(0..<file.body.count))
    }
    #expect(desk.names == ["one", "two"])
  }

  @Test(arguments: [1, 2]) func fiveCrashesAtRandomMomentsCostNothingThatASidecarClaims(_ seed: UInt64) async throws {
    let nginx = try await server("big")
    var moments = SeededMoments(seed: seed)
    var terminal = try await desk.open(nginx.url("/big"))
    for crash in 1...5 {
      try await terminal.waitUntil("big moves") { !row(of: "big", on: $0).contains("queued") }
      try await Task.sleep(for: moments.next(between: 50, and: 1400))
      kill(try #require(try await terminal.identifier()), SIGKILL)
      try await terminal.end()
      let known = desk.sidecar(of: "big")
      let mark = try await newConnection(to: nginx)
      terminal = try await desk.open()
      if let known {
        try await eventually("seed \(seed), crash \(crash): a request") { desk.sidecar(of: "big") != known }
        expectNothingTwice("big", known, nginx, after: mark)
      }
    }
    try await terminal.waitForRow(of: "big", saying: "done")
    #expect(try await sha256(ofFile: desk.file("big")) == sha256(ofFile: nginx.root + "/big"))
    #expect(desk.exists("big") && !desk.exists("big.part.json"))
  }

  /// As fast as it goes, so that connections take from each other's ends and are used again, many times over.
  @Test func everyByteIsRightHoweverOftenConnectionsAreUsedAgain() async throws {
    let nginx = try await NginxServer()
    try nginx.write(Blob.random(count: 96 << 20, seed: 6), to: "big")
    let sum = try await sha256(ofFile: nginx.root + "/big")
    for attempt in 1...12 {
      let folder = try TemporaryFolder()
      let options = ["--no-config", "-d", folder.path, "-x", "16", "--min-split", "256K"]
      let outcome = try await Program.dltui(["get", nginx.url("/big")] + options).end()
      #expect(outcome.status == 0 && !outcome.errors.contains("restart") && !outcome.errors.contains("retry"))
      #expect(try await sha256(ofFile: folder["big"]) == sum, "attempt \(attempt)")
    }
  }

  @Test func aCrashSoonAfterTheEndDoesNotFetchTheFileAgain() async throws {
    let origin = try ScriptedOrigin(ServedFile(Blob.random(count: 2_000_000, seed: 4)))
    var terminal = try await desk.open(origin.url("/small"))
    try await eventually("the session knows") {
      desk.folder.text(of: "state/session.json")?.contains(#""state":{"completed""#) == true
    }
    kill(try #require(try await terminal.identifier()), SIGKILL)
    try await terminal.end()
    origin.clearRequests()
    terminal = try await desk.open()
    try await terminal.waitForRow(of: "small", saying: "done")
    #expect(origin.requests.isEmpty && desk.names == ["small"])
  }

  @Test func aCrashInTheFirstMomentLeavesNothingBehind() async throws {
    let slow = ServedFile(Blob.random(count: 2_000_000, seed: 5)).with { $0.bytesPerSecond = 100_000 }
    let origin = try ScriptedOrigin(slow)
    var terminal = try await desk.open(origin.url("/big"))
    try await eventually("the part file") { desk.exists("big.part") }
    kill(try #require(try await terminal.identifier()), SIGKILL)
    try await terminal.end()
    origin.serve(slow.with { $0.bytesPerSecond = nil })
    terminal = try await desk.open()
    try await terminal.waitForRow(of: "big", saying: "done")
    #expect(desk.names == ["big"])
  }

  /// No request asked for a byte that the sidecar had claimed.
  private func expectNothingTwice(_ sidecar: Sidecar, _ origin: ScriptedOrigin) {
    for range in origin.requests.map(\.range) {
      guard let range else {
        Issue.record("a request without a range")
        continue
      }
      #expect(!sidecar.doneRanges.contains(anyOf: range.first..<((range.last ?? .max - 1) + 1)))
    }
  }

  /// No connection after `mark` asked for a byte that the sidecar had claimed.
  private func expectNothingTwice(_ name: String, _ sidecar: Sidecar, _ nginx: NginxServer, after mark: Int) {
    for entry in nginx.log where entry.connection > mark && entry.request.contains("/\(name) ") {
      guard let match = entry.range.wholeMatch(of: /bytes=(\d+)-(\d*)/), let first = Int64(match.1) else {
        Issue.record("not a range: \(entry)")
        continue
      }
      let end = Int64(match.2).map { $0 + 1 } ?? Int64(size)
      #expect(!sidecar.doneRanges.contains(anyOf: first..<end), "\(entry.range) although there is \(sidecar.done)")
    }
  }
}

extension ByteRangeSet {
  fileprivate func contains(anyOf range: Range<Int64>) -> Bool { ranges.contains { $0.overlaps(range) } }
}

/// Moments from a fixed seed.
private struct SeededMoments {
  private var bytes: ArraySlice<UInt8>

  init(seed: UInt64) { bytes = Blob.random(count: 256, seed: seed)[...] }

  mutating func next(between least: Int, and most: Int) -> Duration {
    let number = Int(bytes.removeFirst()) << 8 | Int(bytes.removeFirst())
    return .milliseconds(least + number % (most - least))
  }
}
