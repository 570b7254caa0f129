import Testing

@testable import DownloadCore

/// Connections to one host over all downloads, in virtual time: the cap, what an overloaded host teaches, and who gets a turn.
struct HostTests {
  private static let megabyte: Int64 = 1 << 20

  private func request(_ url: String) -> Request { Request(url: url, folder: "/d") }

  private func world(_ sizes: [String: Int64], _ settings: Settings, seed: UInt64 = 1) -> World {
    World(seed: seed, servers: sizes.mapValues { World.Server(total: $0) }, settings: settings)
  }

  private func connections(_ world: World, to host: String) -> Int {
    world.session.all.reduce(0) { $0 + ($1.run?.transfers.count { $0.host == host } ?? 0) }
  }

  @Test(arguments: UInt64(0)..<10) func theCapOfAHostHoldsOverAllDownloads(seed: UInt64) {
    var settings = Settings()
    (settings.jobs, settings.connections, settings.hostConnections) = (7, 4, 3)
    let urls = (0..<6).map { "http://busy/\($0)" } + ["http://other/file"]
    var world = world(Dictionary(uniqueKeysWithValues: urls.map { ($0, 8 * Self.megabyte) }), settings, seed: seed)
    world.command(.add(urls.map(request)))
    var most = ["busy": 0, "other": 0]
    let ended = world.settle { world in
      for host in most.keys { most[host] = max(most[host] ?? 0, connections(world, to: host)) }
    }
    #expect(ended && world.disk.finished.count == 7, "seed \(seed)")
    #expect(most == ["busy": 3, "other": 3], "seed \(seed): other hosts go on")
  }

  @Test(arguments: UInt64(0)..<10) func aRedirectIsNoWayAroundTheCap(seed: UInt64) {
    var settings = Settings()
    (settings.jobs, settings.connections, settings.hostConnections) = (6, 4, 3)
    let names = (0..<6).map { "f\($0)" }
    var world = world(
      Dictionary(uniqueKeysWithValues: names.map { ("http://store/\($0)", 8 * Self.megabyte) }), settings, seed: seed)
    world.redirects = Dictionary(uniqueKeysWithValues: names.map { ("http://front-\($0)/\($0)", "http://store/\($0)") })
    world.command(.add(names.map { request("http://front-\($0)/\($0)") }))
    let ended = world.settle { world in
      let count = connections(world, to: "store")
      if count > 3 { Issue.record("seed \(seed): \(count) connections") }
    }
    #expect(ended && world.disk.finished.count == 6, "seed \(seed)")
    #expect(world.requestTimes.count < 6 * 16, "seed \(seed): \(world.requestTimes.count) requests")
  }

  @Test func whoWaitsForAPlaceAtAServerIsNotCalledStalled() throws {
    var settings = Settings()
    (settings.jobs, settings.connections, settings.hostConnections) = (2, 1, 1)
    var world = world(["http://a/1": 300 * Self.megabyte, "http://a/2": 300 * Self.megabyte], settings)
    world.command(.add([request("http://a/1"), request("http://a/2")]))
    var waits = 0
    let ended = world.settle { world in
      var session = world.session
      let items = session.snapshot(now: world.now, wallClock: 1, freeSpace: 2).downloads
      for item in items where item.transfers.isEmpty {
        if item.waitsForConnection { waits += 1 }
        if item.stalledFor != nil { Issue.record("stalled for \(String(describing: item.stalledFor)) at \(world.now)") }
      }
    }
    #expect(ended && waits > 0)
  }

  @Test func redirectsThatLeadInACircleEndAlthoughTheyWait() throws {
    var settings = Settings()
    (settings.jobs, settings.hostConnections) = (3, 1)
    var world = world(["http://a/big": 30 * Self.megabyte], settings)
    world.redirects = ["http://b/x": "http://a/x", "http://a/x": "http://b/x"]
    world.command(.add([request("http://a/big"), request("http://b/x")]))
    let ended = world.settle()
    #expect(ended)
    let state = try #require(world.session.downloads[DownloadID(2)]?.state)
    #expect(state == .failed(.tooManyRedirects))
  }

  @Test(arguments: [
    ("http://HOST:80/a", "host"), ("https://host/", "host"), ("http://host:8080/?x", "host:8080"),
    ("ftp://me@Host/a", "host"), ("http://[::1]:80/", "[::1]"), ("http://host?x=@y", "host"),
  ]) func aHostHasOneNameHoweverItIsSpelt(_ url: String, _ name: String) {
    #expect(Origin.authority(of: url) == name)
  }

  // MARK: Overload

  @Test(arguments: UInt64(0)..<10) func aHostThatBearsOneConnectionIsNotStormed(seed: UInt64) {
    var world = world(["http://host/a": 8 * Self.megabyte], Settings(), seed: seed)
    world.servers["http://host/a"]?.mostAtOnce = 1
    world.command(.add([request("http://host/a")]))
    let ended = world.settle()
    #expect(ended && world.disk.finished["a"] != nil, "seed \(seed)")
    #expect(world.requestTimes.count <= 30, "seed \(seed): \(world.requestTimes.count) requests")
  }

  @Test func whileAHostAsksForPatienceNobodyAsksIt() throws {
    var world = world(["http://host/a": Self.megabyte, "http://host/b": Self.megabyte], Settings())
    for url in world.servers.keys {
      world.servers[url]?.mostAtOnce = 0
      world.servers[url]?.retryAfter = .seconds(120)
    }
    world.command(.add([request("http://host/a")]))
    while world.requestTimes.isEmpty || !world.answers.isEmpty { world.step() }
    let retry = try #require(world.session.downloads[DownloadID(1)]?.state.retry)
    #expect(retry.at == world.now + .seconds(120) && retry.attempt == 1 && retry.error == .overloaded(status: 503))
    #expect(world.notices.contains { $0.kind == .retrying(retry, in: .seconds(120)) }, "the wait is told")
    let item = world.session.snapshot(now: world.now, wallClock: 0, freeSpace: nil).downloads[0]
    #expect(item.state == .retrying(retry), "and counted down")
    let asked = world.now
    for url in world.servers.keys { world.servers[url]?.mostAtOnce = nil }
    world.command(.add([request("http://host/b")]))
    let ended = world.settle()
    #expect(ended && world.disk.finished.count == 2)
    #expect(world.requestTimes.dropFirst().allSatisfy { $0 >= asked + .seconds(120) })
  }

  @Test func aLimitThatWasLearntGrowsSlowlyAndEachRefusalMakesItDearer() {
    var limits = HostLimits()
    limits.overloaded("h", survivors: 0, retryAfter: nil, now: .zero)
    #expect(limits.limit("h", most: 16) == 1 && limits.limit("other", most: 16) == 16)
    for price in [4, 8, 16, 32, 64, 64] {
      for _ in 1..<price { limits.succeeded("h", most: 16) }
      #expect(limits.limit("h", most: 16) == 1, "one more after \(price)")
      limits.succeeded("h", most: 16)
      #expect(limits.limit("h", most: 16) == 2)
      // One refusal that comes in several answers counts once.
      for _ in 0..<3 { limits.overloaded("h", survivors: 1, retryAfter: nil, now: .zero) }
    }
  }

  @Test func aHostThatBearsEverythingAgainIsForgiven() {
    var limits = HostLimits()
    limits.overloaded("h", survivors: 2, retryAfter: nil, now: .zero)
    for _ in 0..<8 { limits.succeeded("h", most: 4) }
    #expect(limits.limit("h", most: 4) == 4 && limits.limit("h", most: 16) == 16)
  }

  @Test func theLongestPatienceCounts() {
    var limits = HostLimits()
    limits.overloaded("h", survivors: 3, retryAfter: .seconds(60), now: .zero)
    limits.overloaded("h", survivors: 2, retryAfter: .seconds(5), now: .zero)
    limits.passTime(.seconds(59))
    #expect(limits.limit("h", most: 16) == 0 && limits.ends == [.seconds(60)])
    limits.passTime(.seconds(60))
    #expect(limits.limit("h", most: 16) == 2 && limits.ends.isEmpty)
  }

  // MARK: Turns

  /// The big one comes first and would take every connection that the host bears.
  @Test(arguments: [16, 8, 2, 1], UInt64(0)..<4) func smallFilesDoNotWaitForABigOne(_ cap: Int, seed: UInt64) {
    var settings = Settings()
    (settings.jobs, settings.hostConnections) = (2, cap)
    var sizes = Dictionary(uniqueKeysWithValues: (0..<10).map { ("http://host/small\($0)", Int64(10_240)) })
    sizes["http://host/big"] = 5 << 30
    var world = world(sizes, settings, seed: seed)
    world.command(.add([request("http://host/big")]))
    while connections(world, to: "host") < min(8, cap) { world.step() }
    world.command(.add((0..<10).map { request("http://host/small\($0)") }))
    var steps = 0
    while world.disk.finished.count < 10, steps < 2000 {
      world.step()
      steps += 1
    }
    #expect(world.disk.finished.count == 10, "seed \(seed): \(world.disk.finished.keys.sorted()) after \(steps) steps")
    #expect(world.disk.finished["big"] == nil)
    for _ in 0..<200 { world.step() }
    #expect(connections(world, to: "host") == min(8, cap), "seed \(seed): it has its connections back")
  }

  @Test(arguments: [1, 2], UInt64(0)..<4) func bigFilesTakeTurns(_ cap: Int, seed: UInt64) {
    var settings = Settings()
    settings.hostConnections = cap
    let names = (0..<4).map { "f\($0)" }
    var world = world(
      Dictionary(uniqueKeysWithValues: names.map { ("http://host/\($0)", 400 * Self.megabyte) }), settings, seed: seed)
    world.command(.add(names.map { request("http://host/\($0)") }))
    while world.disk.finished.isEmpty {
      world.step()
      if connections(world, to: "host") > cap { Issue.record("seed \(seed): more than \(cap) connections") }
    }
    let completed = world.session.all.map(\.completedBytes)
    #expect(completed.allSatisfy { $0 > 300 * Self.megabyte }, "seed \(seed): \(completed)")
    #expect(world.requestTimes.count < 200, "seed \(seed): \(world.requestTimes.count) requests")
  }

  @Test func theOrderIsThatOfTheList() {
    var settings = Settings()
    settings.jobs = 1
    let names = (0..<5).map { "f\($0)" }
    var world = world(Dictionary(uniqueKeysWithValues: names.map { ("http://host/\($0)", 5000) }), settings)
    world.command(.add(names.map { request("http://host/\($0)") }))
    world.command(.move(DownloadID(5), by: -3))
    let ended = world.settle()
    #expect(ended)
    let done = world.notices.compactMap { if case .completed = $0.kind { $0.id.number } else { nil } }
    #expect(done == [1, 5, 2, 3, 4])
  }
}

extension DownloadState {
  /// What it waits for; nil unless it waits for another attempt.
  var retry: Retry? { if case .retrying(let retry) = self { retry } else { nil } }
}
