import DownloadCore
import DownloadEngine
import Foundation
import Glibc
import TestSupport
import Testing

/// Full, read-only and vanishing folders, too few descriptors, a stopped process (case A42 and the faults of the machine).
@Suite(.timeLimit(.minutes(3))) struct MachineFaultTests {
  private let scene: Scene

  init() throws { scene = try Scene() }

  // MARK: Full disks

  enum Fullness: CaseIterable {
    /// The reservation already fails.
    case reservation
    /// Nothing is reserved, and a write fails.
    case middle
    /// The part has its place, the sidecar finds none.
    case sidecar
  }

  @Test(.enabled(if: Volume.isPossible, "mounting a small tmpfs needs root"), arguments: Fullness.allCases)
  func aFullDiskPausesWithTheReasonAndLosesNothing(_ kind: Fullness) async throws {
    let volume = try Volume(scene.target, size: 2 << 20)
    defer { volume.unmount() }
    let elsewhere = try Scene()
    if kind != .sidecar { try scene.write([UInt8](repeating: 1, count: 1400 << 10), to: "filler") }
    let gate = Gate()
    scene.origin.serve(ServedFile.v1.with { if kind == .sidecar { $0.ending = .held(after: Scene.kept, gate) } })
    let program = try scene.start("--preallocate", kind == .middle ? "none" : "auto")
    if kind == .sidecar {
      try await eventually("bytes") { scene.size(of: "file.bin.part") == Scene.kept }
      volume.fill("filler")
    }
    let outcome = try await program.end()
    #expect(outcome.status == 9 && outcome.errors.contains("no space left"), "\(outcome)")
    #expect(!scene.names.contains("file.bin"))
    let kept = scene.sidecar()?.doneRanges.count ?? 0
    if kind != .reservation { #expect(kept > 0, "\(scene.names)") }
    #expect(try await elsewhere.get().status == 0)
    // Cut first: a process that was started in the same moment may still hold it open.
    truncate(scene.path("filler"), 0)
    unlink(scene.path("filler"))
    scene.origin.clearRequests()
    scene.origin.serve(.v1)
    let again = try await scene.get()
    #expect(again.status == 0 && scene.bytes() == Version.v1, "\(again)")
    #expect(scene.starts.first.map { $0 >= max(0, kept - 4096) } == true && scene.names == ["file.bin"])
  }

  @Test(.enabled(if: Volume.isPossible, "mounting a small tmpfs needs root"))
  func aFullDiskPausesItsOwnDownloadsOnly() async throws {
    let volume = try Volume(scene.target, size: 512 << 10)
    defer { volume.unmount() }
    let elsewhere = try TemporaryFolder()
    let engine = try RunningEngine()
    engine.add(Request(url: scene.origin.url("/small"), folder: scene.target))
    engine.add(Request(url: scene.origin.url("/good"), folder: elsewhere.path))
    try await eventually("both have ended") {
      let states = engine.engine.snapshot.downloads.map(\.state)
      return states.count == 2 && states[1] == .completed(.size) && Self.isPausedForSpace(states[0])
    }
    volume.grow(to: 4 << 20)
    engine.engine.post(.resume(.all))
    try await eventually("the first goes on") { engine.engine.snapshot.downloads.first?.state == .completed(.size) }
    try await engine.quit()
    #expect(scene.bytes(of: "small") == Version.v1 && elsewhere.bytes(of: "good") == Version.v1)
  }

  private static func isPausedForSpace(_ state: DownloadState) -> Bool {
    if case .paused(because: .diskFull) = state { true } else { false }
  }

  // MARK: Folders

  /// As a user who may not write there: for root every folder is open.
  @Test(.enabled(if: getuid() == 0, "needs root to become nobody"))
  func a42AFolderThatMayNotBeWrittenToIsToldBeforeAnyRequest() async throws {
    chmod(scene.folder.path, 0o755)
    chmod(scene.target, 0o555)
    let outcome = try await Program.run(
      "/usr/bin/setpriv",
      ["--reuid", "65534", "--regid", "65534", "--clear-groups", try Program.dltuiPath(), "get", "-d", scene.target]
        + [scene.origin.url()])
    #expect(outcome.status == 16 && outcome.errors.contains("permission denied"), "\(outcome)")
    #expect(scene.origin.requests.isEmpty && scene.names.isEmpty)
  }

  @Test(.enabled(if: getuid() == 0, "needs root to become nobody"))
  func a42APermissionLostMidwayIsAClearErrorAndLosesNothing() async throws {
    chmod(scene.folder.path, 0o755)
    chmod(scene.target, 0o777)
    let gate = Gate()
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let program = try Program(
      "/usr/bin/setpriv",
      ["--reuid", "65534", "--regid", "65534", "--clear-groups", try Program.dltuiPath(), "get", "-d", scene.target]
        + [scene.origin.url()])
    try await eventually("a sidecar") { scene.sidecar() != nil }
    chmod(scene.target, 0o555)
    gate.open()
    let outcome = try await program.end()
    #expect([16, 17].contains(outcome.status) && outcome.errors.contains("permission denied"), "\(outcome)")
    #expect(scene.bytes(of: "file.bin.part") == Version.v1)
    chmod(scene.target, 0o777)
    scene.origin.clearRequests()
    scene.origin.serve(.v1)
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v1)
    #expect(scene.starts.allSatisfy { $0 >= Scene.kept })
  }

  @Test func a42AFolderThatVanishesMidwayIsAClearError() async throws {
    let gate = Gate()
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let program = try scene.start()
    try await eventually("bytes") { scene.size(of: "file.bin.part") == Scene.kept }
    try FileManager.default.removeItem(atPath: scene.target)
    gate.open()
    let outcome = try await program.end()
    #expect([15, 16, 17].contains(outcome.status) && outcome.errors.contains("cannot"), "\(outcome)")
    scene.origin.serve(.v1)
    #expect(try await scene.get().status == 0 && scene.bytes() == Version.v1, "the folder is made anew")
  }

  @Test(arguments: ["a/b/c", "file/x"]) func a42AFolderThatIsMissingIsMadeOrSaidToBeImpossible(_ path: String)
    async throws
  {
    try scene.write("a file".utf8, to: "file")
    let program = try Program.dltui(["get", "-d", scene.path(path), scene.origin.url()])
    let outcome = try await program.end()
    if path == "a/b/c" {
      #expect(outcome.status == 0 && scene.bytes(of: "a/b/c/file.bin") == Version.v1, "\(outcome)")
    } else {
      #expect(outcome.status == 18 && scene.origin.requests.isEmpty, "\(outcome)")
    }
  }

  // MARK: Descriptors and time

  /// With too few it says so; with few it gets through; never a trap, a hang or a wrong byte.
  @Test(arguments: [4, 8, 12, 16, 20, 24, 32, 64]) func fewDescriptorsNeverMeanAWrongFile(_ limit: Int) async throws {
    let addresses = (1...12).map { scene.origin.url("/f\($0)") }
    let outcome = try await Program.run(
      "/usr/bin/prlimit",
      ["--nofile=\(limit)", try Program.dltuiPath(), "get", "--no-progress", "-j", "12", "-d", scene.target]
        + ["--retries", "20", "--retry-wait", "0.05", "--retry-max-wait", "0.1"] + addresses)
    let arrived = scene.names.filter { !$0.contains(".part") }
    for name in arrived { #expect(scene.bytes(of: name) == Version.v1, "\(name)") }
    #expect(outcome.status < 126 && (outcome.status == 0) == (arrived.count == 12), "\(outcome)")
  }

  @Test func aStoppedProcessBlamesNobodyForTheSilence() async throws {
    let gate = Gate()
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let program = try scene.start("--stall-timeout", "5")
    try await eventually("bytes") { (scene.size(of: "file.bin.part") ?? 0) >= Scene.kept }
    let requests = scene.origin.requests.count
    program.send(SIGSTOP)
    try await Task.sleep(for: .seconds(7))
    program.send(SIGCONT)
    gate.open()
    let outcome = try await program.end()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.origin.requests.count == requests, "\(outcome)")
  }
}

/// A small tmpfs over a folder.
struct Volume {
  let path: String

  static let isPossible =
    getuid() == 0
    && { () -> Bool in
      guard let folder = try? TemporaryFolder(), let volume = try? Volume(folder.path, size: 1 << 20) else {
        return false
      }
      volume.unmount()
      return true
    }()

  init(_ path: String, size: Int) throws {
    self.path = path
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }

  /// Writes a file until there is no space left.
  func fill(_ name: String) {
    let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT, 0o600)
    let page = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, page, page.count) > 0 {}
    close(descriptor)
  }

  func grow(to size: Int) { _ = mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(size)") }
  func unmount() { umount2(path, Int32(MNT_DETACH)) }
}
