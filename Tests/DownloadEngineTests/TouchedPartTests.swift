import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// A part file that somebody touched while nobody was at work on it (case A43), or while somebody was.
@Suite(.timeLimit(.minutes(2))) struct TouchedPartTests {
  private let scene: Scene
  private var part: String { scene.path("file.bin.part") }

  init() throws { scene = try Scene() }

  private func expectWhole() async throws {
    scene.origin.serve(.v1)
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.names == ["file.bin"])
  }

  @Test(arguments: Scene.Stop.allCases) func a43ARemovedPartStartsOver(_ stop: Scene.Stop) async throws {
    try await scene.leavePart(stop)
    unlink(part)
    try await expectWhole()
    #expect(scene.starts == [0])
  }

  @Test(arguments: [0, 1, 65_535, 150_000, 299_999], Scene.Stop.allCases)
  func a43OneEditedByteIsNoticed(_ offset: Int64, _ stop: Scene.Stop) async throws {
    try await scene.leavePart(stop)
    try scene.flipByte(at: offset)
    try await expectWhole()
  }

  /// As an editor or a copy would do that keeps the modification time.
  @Test func a43AnEditThatRestoresTheTimeIsNoticedToo() async throws {
    try await scene.leavePart()
    var before = stat()
    stat(part, &before)
    try scene.flipByte(at: 1000)
    utimensat(AT_FDCWD, part, [before.st_atim, before.st_mtim], 0)
    try await expectWhole()
  }

  @Test(arguments: [0, 1, 100_000, 299_999], Scene.Stop.allCases)
  func a43AShorterPartIsTrustedOnlyUpToItsEnd(_ size: Int, _ stop: Scene.Stop) async throws {
    try await scene.leavePart(stop)
    truncate(part, size)
    try await expectWhole()
  }

  @Test(arguments: [300_001, 1_000_000, 5_000_000])
  func a43ALongerPartGainsNothing(_ size: Int) async throws {
    try await scene.leavePart()
    truncate(part, size)
    try await expectWhole()
  }

  enum Replacement: CaseIterable { case folder, pipe, link, danglingLink, hardLink, socketLike }

  @Test(arguments: Replacement.allCases)
  func a43WhatIsNoPlainFileIsRefusedWithoutHangingOrWritingOutside(_ kind: Replacement) async throws {
    try await scene.leavePart()
    try scene.folder.write(Version.v2[..<300_000], to: "outside")
    let outside = scene.folder["outside"]
    unlink(part)
    switch kind {
    case .folder: mkdir(part, 0o700)
    case .pipe: mkfifo(part, 0o600)
    case .link: symlink(outside, part)
    case .danglingLink: symlink(scene.folder["nothing"], part)
    case .hardLink: link(outside, part)
    case .socketLike: mknod(part, S_IFCHR | 0o600, 259)
    }
    scene.origin.serve(.v1)
    let outcome = try await scene.get()
    #expect(outcome.status == 15 && outcome.errors.contains("cannot open"), "\(outcome)")
    #expect(scene.folder.bytes(of: "outside").map { $0 == Array(Version.v2[..<300_000]) } == true)
    #expect(!scene.folder.exists("nothing") && !scene.names.contains("file.bin"))
  }

  // MARK: While it is at work

  /// The file that arrives is the one that was written, or none.
  @Test(arguments: [false, true]) func a43APartThatIsExchangedAtWorkNeverBecomesTheFile(_ isRemoved: Bool) async throws
  {
    let gate = Gate()
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let program = try scene.start()
    try await eventually("bytes") { scene.size(of: "file.bin.part") == Scene.kept }
    unlink(part)
    if !isRemoved { try scene.write(Version.v2, to: "file.bin.part") }
    gate.open()
    let outcome = try await program.end()
    #expect(outcome.status != 0 && !scene.names.contains("file.bin"), "\(outcome)")
    if !isRemoved { #expect(scene.bytes(of: "file.bin.part") == Version.v2) }
  }
}
