import Testing

@testable import DownloadCore

/// The whole session in virtual time: whatever the network does, the invariants hold and no file is ever mixed.
struct SimulationTests {
  private static let megabyte: Int64 = 1 << 20

  private func request(_ name: String) -> Request { Request(url: "http://host/\(name)", folder: "/d") }

  @Test func aFileArrivesWhole() {
    var world = World(seed: 1, servers: ["http://host/a": .init(total: 40 * Self.megabyte)])
    world.command(.add([request("a")]))
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<40 * Self.megabyte)])
    #expect(world.disk.parts.isEmpty && world.disk.sidecars.isEmpty)
  }

  @Test func eightConnectionsAreUsed() {
    var world = World(seed: 2, servers: ["http://host/a": .init(total: 64 * Self.megabyte)])
    world.command(.add([request("a")]))
    var most = 0
    let ended = world.settle { most = max(most, $0.session.downloads.values.first?.run?.transfers.count ?? 0) }
    #expect(ended)
    #expect(most == 8)
  }

  @Test(arguments: UInt64(0)..<60) func nothingIsEverMixedWhateverBreaks(seed: UInt64) {
    var random = Seeded(seed)
    var servers: [String: World.Server] = [:]
    for name in ["a", "b", "c", "d"] {
      servers["http://host/\(name)"] = World.Server(
        total: Int64.random(in: 0...30_000_000, using: &random), ranges: Bool.random(using: &random) || name == "a",
        strong: Bool.random(using: &random) || name == "a", tellsLength: Bool.random(using: &random) || name == "a")
    }
    var settings = Settings()
    settings.jobs = 2
    settings.retry.attempts = 0
    var world = World(
      seed: seed, servers: servers, settings: settings,
      faults: .init(reset: 0.02, refusal: 0.05, change: 0.001, crash: 0.001))
    world.command(.add(["a", "b", "c", "d"].map(request)))
    for round in 0..<4000 {
      world.step()
      check(world, "seed \(seed), step \(round)")
      if round % 97 == 0 { disturb(&world) }
    }
    world.faults = .init()
    for _ in 0..<2 {
      world.command(.resume(.all))
      let ended = world.settle(limit: 100_000)
      #expect(ended, "seed \(seed) never ends")
    }
    for (name, versions) in world.disk.finished {
      let whole = servers["http://host/\(name)"].map { ByteRangeSet(0..<$0.total) }
      let held = versions.filter { !$0.value.isEmpty }
      #expect(held.count <= 1, "seed \(seed): \(name) is mixed from versions \(held.keys.sorted())")
      #expect(held.values.first ?? ByteRangeSet() == whole, "seed \(seed): \(name) has holes")
    }
    let states = world.session.downloads.values.map { "\($0.name): \($0.state)" }
    #expect(world.disk.finished.count == 4, "seed \(seed): \(states)")
  }

  /// What a person does to it.
  private func disturb(_ world: inout World) {
    let ids = (1...4).map { DownloadID($0) }
    guard let id = ids.randomElement(using: &world.random) else { return }
    switch Int.random(in: 0..<5, using: &world.random) {
    case 0: world.command(.pause(.these([id])))
    case 1: world.command(.pause(.all))
    case 2: world.command(.start(.these([id])))
    case 3: world.command(.move(id, by: Int.random(in: -2...2, using: &world.random)))
    default: world.command(.resume(.all))
    }
  }

  private func check(_ world: World, _ comment: Comment) {
    for download in world.session.downloads.values {
      checkClaims(download, comment)
      if case .completed = download.state { #expect(download.missing.isEmpty, comment) }
      switch download.state {
      case .active, .retrying, .verifying: #expect(download.run != nil, comment)
      case .queued, .paused, .completed, .failed: #expect(download.run == nil, comment)
      }
      if case .active = download.state {} else { #expect(download.run?.transfers.isEmpty ?? true, comment) }
    }
  }

  private func checkClaims(_ download: Download, _ comment: Comment) {
    var free = download.missing
    for transfer in download.run?.transfers ?? [] {
      #expect(free.contains(transfer.claim), comment)
      free.remove(transfer.claim)
    }
  }

  @Test func slotsInUseNeverExceedTheSetting() {
    var settings = Settings()
    settings.jobs = 3
    let names = (0..<12).map { "f\($0)" }
    var world = World(
      seed: 5, servers: Dictionary(uniqueKeysWithValues: names.map { ("http://host/\($0)", .init(total: 3_000_000)) }),
      settings: settings, faults: .init(reset: 0.05))
    world.command(.add(names.map(request)))
    let ended = world.settle { world in
      let busy = world.session.downloads.values.count { $0.run != nil && !$0.isWaitingForRetry }
      #expect(busy <= 3)
    }
    #expect(ended)
    #expect(world.disk.finished.count == 12)
  }
}
