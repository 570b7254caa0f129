import Testing

@testable import DownloadCore

/// What has happened at the same time is handed over together.
struct TogetherTests {
  /// Two transfers of one download at work, and what the session says to these events when it gets them one by one and together.
  private func effects(of events: ([TransferID]) -> [Event]) throws -> (apart: [String], together: [String]) {
    var settings = Settings()
    settings.connections = 2
    var world = World(seed: 1, servers: ["http://host/a": .init(total: 4 << 20)], settings: settings)
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while !world.answers.isEmpty { world.event(world.answers.removeFirst()) }
    let transfers = (world.session.all[0].run?.transfers ?? []).map(\.id)
    try #require(transfers.count == 2)
    var (one, all) = (world.session, world.session)
    let now = world.now + .seconds(1)
    let apart = events(transfers).flatMap { one.handle($0, now: now) }
    let together = all.handle(events(transfers), now: now)
    #expect(one.deadline == all.deadline)
    #expect(String(describing: one.saved) == String(describing: all.saved))
    return (apart.map { String(describing: $0) }, together.map { String(describing: $0) })
  }

  @Test func aTransferThatOneEventStopsIsNotHeardAfterIt() throws {
    let (apart, together) = try effects { [.ended($0[0], .differs), .received($0[1], 1000), .ended($0[1], .complete)] }
    #expect(!apart.isEmpty)
    #expect(together == apart)
  }

  @Test func bytesAndTheirEndAreTakenInOrder() throws {
    let half: Int64 = 2 << 20
    let (apart, together) = try effects {
      [.received($0[1], half), .received($0[0], half), .ended($0[0], .filled), .ended($0[1], .complete)]
    }
    #expect(!apart.isEmpty)
    #expect(together == apart)
  }

  @Test func nothingHappensForNothing() throws {
    let (apart, together) = try effects { _ in [] }
    #expect(apart.isEmpty && together.isEmpty)
  }
}
