import TestSupport

/// A desk with room for two active downloads of two connections, and an origin so slow that they stay active.
struct SlowDesk {
  let desk: Desk
  let origin: ScriptedOrigin
  let blob: [UInt8]

  init(seed: UInt64) throws {
    desk = try Desk("-j", "2", "-x", "2")
    blob = Blob.random(count: 32 << 20, seed: seed)
    origin = try ScriptedOrigin(ServedFile(blob).with { $0.bytesPerSecond = 100_000 })
  }

  /// Opens the screen with downloads from these paths, of which two may be active.
  func open(_ paths: String...) async throws -> Tmux {
    let terminal = try await desk.open(paths.map { origin.url("/\($0)") })
    for path in paths.prefix(2) { try await terminal.waitForRow(of: path, saying: "active") }
    return terminal
  }
}
