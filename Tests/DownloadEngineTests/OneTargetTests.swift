import DownloadCore
import DownloadEngine
import Foundation
import Glibc
import TestSupport
import Testing

/// More than one download that wants the same file (case A40): never one part for two.
@Suite(.timeLimit(.minutes(2))) struct OneTargetTests {
  /// The second comes before or after the first has a sidecar.
  @Test(arguments: [false, true]) func a40ASecondProcessRefusesOrTakesAnotherName(_ isLate: Bool) async throws {
    let gate = Gate()
    let scene = try Scene(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let first = try scene.start()
    try await eventually("the first has bytes") { scene.size(of: "file.bin.part") == Scene.kept }
    if isLate { try await eventually("the first has a sidecar") { scene.sidecar() != nil } }
    scene.origin.serve(.v1)
    let second = try await scene.get()
    if second.status == 0 {
      #expect(scene.bytes(of: "file (1).bin") == Version.v1)
    } else {
      #expect(second.status == 11 && second.errors.contains("another download is writing this file"), "\(second)")
    }
    gate.open()
    #expect(try await first.end().status == 0 && scene.bytes() == Version.v1)
    #expect(scene.names == (second.status == 0 ? ["file (1).bin", "file.bin"] : ["file.bin"]))
  }

  @Test func a40TwoAtTheSameMomentBothEndWell() async throws {
    for _ in 0..<5 {
      let scene = try Scene()
      let programs = [try scene.start(), try scene.start()]
      let statuses = [try await programs[0].end().status, try await programs[1].end().status]
      #expect(statuses.contains(0) && statuses.allSatisfy { $0 == 0 || $0 == 11 }, "\(statuses)")
      for name in scene.names where !name.contains(".part") { #expect(scene.bytes(of: name) == Version.v1) }
      #expect(scene.names.filter { !$0.contains(".part") }.count == statuses.count { $0 == 0 }, "\(scene.names)")
    }
  }

  @Test func a40TheLockOfAKilledProcessDoesNotBlock() async throws {
    let scene = try Scene()
    try await scene.leavePart(.killed)
    scene.origin.serve(.v1)
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.starts == [Scene.kept] && scene.names == ["file.bin"])
  }

  @Test func a40TwoAddressesWithOneNameAreTwoFiles() async throws {
    let scene = try Scene()
    scene.origin.serve(paths: ["/a/file.bin": .v1, "/b/file.bin": .v2])
    let outcome = try await scene.get(scene.origin.url("/a/file.bin"), path: "/b/file.bin")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(scene.names == ["file (1).bin", "file.bin"])
    let both = [scene.bytes(), scene.bytes(of: "file (1).bin")]
    #expect(both == [Version.v1, Version.v2] || both == [Version.v2, Version.v1])
  }

  @Test func a40OneAddressTwiceIsOneDownload() async throws {
    let scene = try Scene()
    let outcome = try await scene.get(scene.origin.url(), path: "/file.bin#again")
    #expect(outcome.status == 0 && scene.names == ["file.bin"] && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.origin.requests.count == 1)
  }

  @Test func a40OneQueueWithTwoEntriesForOnePartGoesOnWithItOnce() async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve(ServedFile.v1.with { $0.bytesPerSecond = 2_000_000 })
    let engine = try RunningEngine()
    var named = Request(url: scene.origin.url(), folder: scene.target)
    engine.add(named)
    named.name = "file.bin"
    engine.add(named)
    try await eventually("both have ended") { Self.hasEnded(engine.engine.snapshot.downloads) }
    try await engine.quit()
    #expect(scene.bytes() == Version.v1)
    for name in scene.names { #expect(scene.bytes(of: name) == Version.v1, "\(name)") }
  }

  private static func hasEnded(_ items: [Snapshot.Item]) -> Bool {
    items.count == 2
      && items.allSatisfy { item in
        switch item.state {
        case .completed, .failed: true
        case .queued, .active, .retrying, .verifying, .paused: false
        }
      }
  }
}
