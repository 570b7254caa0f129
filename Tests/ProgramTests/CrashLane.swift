import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// One download after the other, each run of which is killed, and what the server saw of them.
struct CrashLane {
  private let seed: UInt64
  private var random: SeededRandom
  private let desk: Desk
  private let origin: ScriptedOrigin
  private var number = 0
  private var blob: [UInt8]
  /// What the last run left as safely on the disk, and where comparing a little is allowed.
  private var claimed = ByteRangeSet()
  private var suspects: [Int64] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededRandom(seed)
    desk = try Desk("-x", "4", "--min-split", "256K", "--retry-wait", "0.01", "--no-session")
    origin = try ScriptedOrigin(sendBuffer: 32 << 10)
    blob = []
    nextFile()
  }

  private var name: String { "file\(number).bin" }
  private var comment: Comment { "seed \(seed), \(name), requests \(origin.requests.map { $0["range"] ?? "-" })" }

  private mutating func nextFile() {
    number += 1
    (claimed, suspects) = (ByteRangeSet(), [])
    blob = Blob.random(count: random.number(2_500_000...4_000_000), seed: seed * 100 + UInt64(number))
    origin.serve(ServedFile(blob).with { $0.bytesPerSecond = 400_000 })
  }

  private func start() throws -> Program { try Program.dltui(["get"] + desk.arguments + [origin.url("/\(name)")]) }

  /// A run and its end: without a word, or in the middle of saving.
  mutating func crash() async throws {
    origin.clearRequests()
    let program = try start()
    let isAsked = random.chance(0.5)
    let life = random.chance(0.2) ? random.number(900...1300) : random.number(10...400)
    try await Task.sleep(for: .milliseconds(life))
    if isAsked {
      program.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(random.number(0...30)))
    }
    program.send(SIGKILL)
    _ = try await program.end()
    expectNothingTwice()
    if desk.exists(name) { return try await arrive() }
    try readSidecar()
  }

  /// The last run of this file has nobody to stop it.
  mutating func arrive() async throws {
    origin.serve(ServedFile(blob))
    origin.clearRequests()
    let isThere = desk.exists(name)
    if !isThere || desk.exists(name + ".part.json") {
      let outcome = try await start().end()
      #expect(outcome.status == 0, "\(outcome.errors) \(comment)")
      if isThere { #expect(origin.requests.isEmpty, comment) }
      expectNothingTwice()
    }
    let isRight = desk.bytes(of: name) == blob
    #expect(isRight, comment)
    #expect(!desk.names.contains { $0.hasPrefix("file\(number) ") && $0.hasSuffix(".bin") }, comment)
    nextFile()
  }

  private func expectNothingTwice() {
    for request in origin.requests {
      guard let range = request.range else { continue }
      let asked = range.first..<(range.last.map { $0 + 1 } ?? Int64(blob.count))
      let twice = claimed.ranges.map { $0.clamped(to: asked) }.filter { !$0.isEmpty }
      let allowed = twice.count == 1 && twice[0].count <= 64 << 10 && suspects.contains(twice[0].upperBound)
      #expect(twice.isEmpty || allowed, "asked for \(asked), on the disk: \(claimed.ranges); \(comment)")
    }
  }

  /// A sidecar is whole or not there, and every byte that it claims is on the disk.
  private mutating func readSidecar() throws {
    (claimed, suspects) = (ByteRangeSet(), [])
    guard desk.exists(name + ".part.json") else { return }
    let sidecar = try #require(desk.sidecar(of: name), comment)
    let part = try #require(desk.bytes(of: name + ".part"), comment)
    (claimed, suspects) = (sidecar.doneRanges, sidecar.suspects)
    for range in claimed.ranges {
      let (first, end) = (Int(range.lowerBound), Int(range.upperBound))
      let isTrue = end <= part.count && part[first..<end] == blob[first..<end]
      #expect(isTrue, "claims \(range); \(comment)")
    }
  }
}
