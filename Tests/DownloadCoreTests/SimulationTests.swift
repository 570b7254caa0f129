import Testing

@testable import DownloadCore

/// The whole session in virtual time: whatever the network, the disk and the person do, the invariants hold and no file is ever mixed.
struct SimulationTests {
  private static let megabyte: Int64 = 1 << 20
  private static let names = ["a", "b", "c", "d"]

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
    let ended = world.settle { most = max(most, $0.session.all.first?.run?.transfers.count ?? 0) }
    #expect(ended)
    #expect(most == 8)
  }

  // MARK: Everything at once

  private func servers(_ random: inout Seeded) -> [String: World.Server] {
    var servers: [String: World.Server] = [:]
    for name in Self.names {
      let isGood = name == "a"
      var server = World.Server(
        total: Int64.random(in: 0..<10, using: &random) == 0 ? 0 : Int64.random(in: 1...30_000_000, using: &random),
        ranges: isGood ? .sent : World.Server.Ranges.allCases.randomElement(using: &random) ?? .sent,
        proof: isGood ? .strong : World.Server.Proof.allCases.randomElement(using: &random) ?? .strong,
        tellsLength: isGood || Bool.random(using: &random))
      server.tellsTotal = isGood || Int.random(in: 0..<4, using: &random) > 0
      server.redirects = Int.random(in: 0..<4, using: &random) == 0
      servers["http://host/\(name)"] = server
    }
    return servers
  }

  private func settings(_ random: inout Seeded) -> Settings {
    var settings = Settings()
    settings.jobs = Int.random(in: 1...3, using: &random)
    settings.retry.attempts = 0
    settings.hostConnections = Int.random(in: 1...10, using: &random)
    settings.ifChanged = Settings.IfChanged.allCases.randomElement(using: &random) ?? .restart
    return settings
  }

  @Test(arguments: UInt64(0)..<60) func nothingIsEverMixedWhateverBreaks(seed: UInt64) {
    var random = Seeded(seed)
    var world = World(
      seed: seed, servers: servers(&random), settings: settings(&random),
      faults: .init(
        reset: 0.02, refusal: 0.05, change: 0.001, crash: 0.001, diskFull: 0.0005, saveFailure: 0.05, shortPart: 0.1,
        standstill: 0.0005, rot: 0.03, mismatch: 0.1, expiry: 0.03))
    world.command(.add(Self.names.map(request)))
    for round in 0..<3000 {
      world.step()
      check(world, "seed \(seed), step \(round)")
      if round % 47 == 0 { disturb(&world) }
    }
    world.faults = .init()
    world.command(.add(Self.names.map(request)))
    for _ in 0..<3 {
      world.command(.restart(.all, keepOld: false))
      let ended = world.settle(limit: 100_000)
      #expect(ended, "seed \(seed) never ends: \(states(world))")
    }
    expectWhole(world, seed)
  }

  private func states(_ world: World) -> [String] {
    world.session.all.map { "\($0.name): \($0.state) \($0.log.map(\.text))" }
  }

  private func expectWhole(_ world: World, _ seed: UInt64) {
    // Nodes that never agree can only be served by luck; that it ends is what is asked of it.
    let agreed = Self.names.filter { world.servers["http://host/\($0)"]?.proof != .nodes }
    #expect(agreed.allSatisfy { world.disk.finished[$0] != nil }, "seed \(seed): \(states(world))")
    for (name, versions) in world.disk.finished {
      let held = versions.filter { !$0.value.isEmpty }
      #expect(held.count <= 1, "seed \(seed): \(name) is mixed from versions \(held.keys.sorted())")
      let totals = world.servers["http://host/\(name)"]?.totals ?? [:]
      let isWhole =
        held.first.map { totals[$0.key].map { ByteRangeSet(0..<$0) } == $0.value } ?? totals.values.contains(0)
      #expect(isWhole, "seed \(seed): \(name) has holes")
    }
  }

  /// What a person does to it.
  private func disturb(_ world: inout World) {
    guard let id = world.session.order.randomElement(using: &world.random) else { return }
    switch Int.random(in: 0..<15, using: &world.random) {
    case 0: world.command(.pause(.these([id])))
    case 1: world.command(.pause(.all))
    case 2: world.command(.start(.these([id])))
    case 3: world.command(.move(id, by: Int.random(in: -2...2, using: &world.random)))
    case 4: world.command(.restart(.these([id]), keepOld: Bool.random(using: &world.random)))
    case 5:
      world.command(.remove(.these([id]), Bool.random(using: &world.random) ? .keep : .deletePart))
      world.command(.add(Self.names.map(request)))
    case 6: world.command(.limitRate(Bool.random(using: &world.random) ? 1000 : nil))
    case 7: world.command(.connections(.these([id]), Int.random(in: 1...9, using: &world.random)))
    case 8:
      var settings = world.session.settings
      settings.jobs = Int.random(in: 1...3, using: &world.random)
      settings.connections = Int.random(in: 1...12, using: &world.random)
      world.command(.adopt(settings))
    case 9:
      let name = world.session.downloads[id]?.request.url.prefix { $0 != "?" } ?? ""
      world.command(.readdress(id, url: "\(name)?\(world.requestTimes.count)", credentials: nil))
    case 10:
      world.command(.remove(.these([id]), Bool.random(using: &world.random) ? .keep : .deletePart))
      if Bool.random(using: &world.random) { world.now += .seconds(61) }
      world.command(.undo)
    default: world.command(.resume(.all))
    }
  }

  // MARK: What always holds

  /// Words are made only when they are needed: this is asked for in every step.
  private func law(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { Issue.record(Comment(rawValue: words())) }
  }

  private func check(_ world: World, _ place: @autoclosure () -> String) {
    var used = 0
    for download in world.session.all {
      law(claimsAreFree(download), "\(place()): claims overlap, or lie outside of what is missing")
      used += download.run?.transfers.count ?? 0
      if case .completed = download.state { law(download.missing.isEmpty, "\(place()): completed with holes") }
      switch download.state {
      case .active, .retrying, .verifying: law(download.run != nil, "\(place()): no run")
      case .queued, .paused, .completed, .failed: law(download.run == nil, "\(place()): a run")
      }
      if case .active = download.state { continue }
      law(download.run?.transfers.isEmpty ?? true, "\(place()): transfers though it is not active")
    }
    law(used <= world.session.settings.hostConnections, "\(place()): \(used) connections to one host")
    for (part, sidecar) in world.disk.sidecars {
      law(sidecar.fault == nil, "\(place()): \(sidecar.fault ?? "")")
      law(
        isTrue(sidecar, world.disk.sums[part, default: [:]]), "\(place()): \(part) is mixed, or less than is claimed")
    }
  }

  private func claimsAreFree(_ download: Download) -> Bool {
    var free = download.missing
    return (download.run?.transfers ?? []).allSatisfy { transfer in
      defer { free.remove(transfer.claim) }
      return free.contains(transfer.claim)
    }
  }

  /// What a sidecar claims was on the disk when it was written, and of one version.
  private func isTrue(_ sidecar: Sidecar, _ versions: [Int: ByteRangeSet]) -> Bool {
    let claimed = sidecar.doneRanges.ranges
    return claimed.isEmpty || versions.values.contains { held in claimed.allSatisfy(held.contains) }
  }

  // MARK: One thing at a time

  @Test func slotsInUseNeverExceedTheSetting() {
    var settings = Settings()
    settings.jobs = 3
    let names = (0..<12).map { "f\($0)" }
    var world = World(
      seed: 5, servers: Dictionary(uniqueKeysWithValues: names.map { ("http://host/\($0)", .init(total: 3_000_000)) }),
      settings: settings, faults: .init(reset: 0.05))
    world.command(.add(names.map(request)))
    let ended = world.settle { world in
      let busy = world.session.all.count { $0.run != nil && !$0.isWaitingForRetry && !$0.isFinishing }
      #expect(busy <= 3)
    }
    #expect(ended)
    #expect(world.disk.finished.count == 12)
  }

  @Test func moreDownloadsThanAHostBearsConnectionsTakeTurns() {
    var settings = Settings()
    settings.hostConnections = 2
    let servers = Dictionary(
      uniqueKeysWithValues: Self.names.map { ("http://host/\($0)", World.Server(total: 3_000_000)) })
    var world = World(seed: 7, servers: servers, settings: settings)
    world.command(.add(Self.names.map(request)))
    let ended = world.settle { check($0, "step") }
    #expect(ended)
    #expect(world.disk.finished.count == 4)
  }

  @Test(arguments: [0, 1, 1000], World.Server.Proof.allCases)
  func aServerThatBreaksOffAtOnceIsGivenUpAndNotHammered(after: Int64, _ proof: World.Server.Proof) throws {
    let server = World.Server(total: 30_000_000, proof: proof, breaksAfter: after)
    var world = World(seed: 6, servers: ["http://host/a": server])
    world.command(.add([request("a")]))
    let ended = world.settle()
    #expect(ended)
    let state = try #require(world.session.downloads[DownloadID(1)]?.state)
    if case .failed = state {} else { Issue.record("\(state)") }
    #expect(world.requestTimes.count <= 40)
    for time in world.requestTimes {
      #expect(world.requestTimes.count { time <= $0 && $0 < time + .seconds(1) } <= 20)
    }
  }

  @Test(arguments: UInt64(0)..<20) func nodesThatNeverAgreeComeToAnEnd(seed: UInt64) {
    let server = World.Server(total: 30_000_000, proof: .nodes)
    var world = World(seed: seed, servers: ["http://host/a": server], faults: .init(reset: 0.01))
    world.command(.add([request("a")]))
    let ended = world.settle(limit: 5000)
    #expect(ended, "seed \(seed)")
    #expect(world.requestTimes.count < 100)
  }

  @Test(arguments: World.Server.Proof.allCases)
  func aServerThatGivesLittleAtATimeAndProvesNothingIsAskedForTheWhole(_ proof: World.Server.Proof) {
    for tellsTotal in [true, false] {
      var server = World.Server(total: 1_000_000, proof: proof)
      (server.tellsTotal, server.mostAtATime) = (tellsTotal, 50_000)
      var world = World(seed: 8, servers: ["http://host/a": server])
      world.command(.add([request("a")]))
      let ended = world.settle(limit: 2000)
      #expect(ended)
      #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<1_000_000)])
    }
  }
}
