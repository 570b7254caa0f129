import Testing

@testable import DownloadCore

/// What a person changes while downloads are at work.
struct ChangesTests {
  private static let total: Int64 = 64 << 20
  private static let first = Command.Selection.these([DownloadID(1)])

  private func world(_ names: String..., settings: Settings = Settings()) -> World {
    var servers: [String: World.Server] = [:]
    for name in names { servers["http://host/\(name)"] = .init(total: Self.total) }
    var world = World(seed: 9, servers: servers, settings: settings)
    world.command(.add(names.map { Request(url: "http://host/\($0)", folder: "/d") }))
    return world
  }

  private func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
  }

  private func states(_ world: World) -> [DownloadState] {
    world.session.order.compactMap { world.session.downloads[$0]?.state }
  }
  private func connections(_ world: World, _ number: Int = 1) -> Int {
    world.session.downloads[DownloadID(number)]?.run?.transfers.count ?? 0
  }

  // MARK: Limits

  @Test func aLimitOfItsOwnHoldsAtOnceAndIsSaved() {
    var world = world("a", "b")
    for _ in 0..<30 { world.step() }
    world.command(.limit(Self.first, 500_000))
    #expect(world.limits == [DownloadID(1): 500_000])
    #expect(world.session.saved.downloads.map(\.request.rateLimit) == [500_000, nil])
    #expect(world.session.snapshot(now: world.now, wallClock: 0, freeSpace: nil).downloads[0].rateLimit == 500_000)
    world.command(.limit(.all, nil))
    #expect(world.limits == [DownloadID(1): .max, DownloadID(2): .max])
  }

  @Test func theLimitForEachHoldsForThoseWithoutOne() {
    var world = world("a", "b")
    for _ in 0..<30 { world.step() }
    world.command(.limit(Self.first, 500_000))
    world.command(.adopt(settings { $0.rateLimitEach = 1_000_000 }))
    #expect(world.limits == [DownloadID(1): 500_000, DownloadID(2): 1_000_000])
    world.command(.limit(Self.first, nil))
    #expect(world.limits[DownloadID(1)] == 1_000_000)
  }

  @Test func aLimitOfOneThatWaitsIsOnlyRemembered() {
    var world = world("a", settings: settings { $0.jobs = 1 })
    world.command(.pause(.all))
    world.command(.limit(.all, 7))
    #expect(world.limits.isEmpty)
    #expect(world.session.downloads[DownloadID(1)]?.request.rateLimit == 7)
  }

  // MARK: Connections

  @Test func connectionsComeAndGoWithoutLosingBytes() {
    var world = world("a")
    for _ in 0..<60 { world.step() }
    #expect(connections(world) == 8)
    let before = world.session.downloads[DownloadID(1)]?.completedBytes
    world.command(.connections(Self.first, 2))
    #expect(connections(world) == 2 && world.transfers.count == 2)
    #expect(world.session.downloads[DownloadID(1)]?.completedBytes == before)
    world.command(.connections(Self.first, 12))
    #expect(connections(world) == 12)
    #expect(world.session.saved.downloads.first?.request.connections == 12)
    let ended = world.settle { #expect(connections($0) <= 12) }
    #expect(ended)
    #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<Self.total)])
  }

  @Test func theSettingHoldsForThoseWithoutANumberOfTheirOwn() {
    var world = world("a", "b", settings: settings { $0.hostConnections = 32 })
    for _ in 0..<120 { world.step() }
    world.command(.connections(Self.first, 5))
    world.command(.adopt(settings { ($0.connections, $0.hostConnections) = (3, 32) }))
    #expect((connections(world), connections(world, 2)) == (5, 3))
    world.command(.connections(Self.first, nil))
    #expect(connections(world) == 3)
  }

  @Test(arguments: [(-5, 1), (0, 1), (1, 1), (32, 32), (99, 32)]) func theirNumberStaysWithinBounds(
    _ asked: Int, _ most: Int
  ) {
    var world = world("a", settings: settings { $0.hostConnections = 64 })
    world.command(.connections(Self.first, asked))
    for _ in 0..<100 { world.step() }
    #expect(connections(world) == most)
  }

  // MARK: Jobs

  @Test func whenFewerMayBeActiveThoseThatBeganLastWaitAgain() {
    var world = world("a", "b", "c", "d", settings: settings { $0.jobs = 3 })
    for _ in 0..<30 { world.step() }
    #expect(states(world) == [.active, .active, .active, .queued])
    world.command(.adopt(settings { $0.jobs = 1 }))
    #expect(states(world) == [.active, .queued, .queued, .queued])
    #expect(Set(world.transfers.values.map(\.url)) == ["http://host/a"])
    world.command(.adopt(settings { $0.jobs = 4 }))
    #expect(states(world) == [.active, .active, .active, .active])
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished.count == 4)
  }

  @Test func oneThatWasStartedByHandMakesRoomToo() {
    var world = world("a", "b", "c", settings: settings { $0.jobs = 2 })
    world.command(.start(.these([DownloadID(3)])))
    for _ in 0..<30 { world.step() }
    #expect(states(world) == [.active, .active, .active])
    world.command(.adopt(settings { $0.jobs = 3 }))
    #expect(states(world) == [.active, .active, .active])
    world.command(.adopt(settings { $0.jobs = 2 }))
    #expect(states(world) == [.active, .active, .queued])
  }

  // MARK: Speed

  @Test func theLastMinuteIsRememberedSecondBySecond() {
    var history = SpeedHistory(now: .seconds(5))
    #expect(history.samples(now: .seconds(5)) == [])
    history.add(3, now: .milliseconds(5100))
    history.add(4, now: .milliseconds(5900))
    history.add(-1, now: .milliseconds(5950))
    history.add(10, now: .milliseconds(6000))
    #expect(history.samples(now: .milliseconds(6500)) == [7])
    #expect(history.samples(now: .milliseconds(9000)) == [7, 10, 0, 0])
    history.add(.max, now: .seconds(9))
    history.add(.max, now: .seconds(9))
    #expect(history.samples(now: .seconds(10)) == [7, 10, 0, 0, .max])
    #expect(history.samples(now: .seconds(1_000_000)) == Array(repeating: 0, count: 60))
    history.add(1, now: .seconds(69))
    #expect(history.samples(now: .seconds(70)).count == 60)
  }

  @Test func onlyWhatIsUnderWayHasAHistory() {
    var world = world("a", "b", settings: settings { $0.jobs = 1 })
    while world.now < .seconds(3) { world.step() }
    let items = world.session.snapshot(now: world.now, wallClock: 0, freeSpace: nil).downloads
    #expect(items[0].history.count >= 2 && items[0].history.contains { $0 > 0 })
    #expect(items[0].history.reduce(0, +) <= items[0].completed)
    #expect(items[1].history.isEmpty)
  }
}
