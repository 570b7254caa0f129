import Testing

@testable import DownloadCore

/// What has happened at the same time is handed over together.
struct TogetherTests {
  private struct Outcome: Equatable {
    let effects: [String]
    let saved: String
    let deadline: Duration?
    let isConfirmed: Bool?

    init(_ session: Session, _ effects: [Effect]) {
      self.effects = effects.map { String(describing: $0) }
      (saved, deadline) = (String(describing: session.saved), session.deadline)
      isConfirmed = session.all.first.map { !$0.trust.isAtNewAddress }
    }
  }

  /// Two transfers of one download at work at an address that nothing has proved yet, and what comes of these events when the session gets
  /// them one by one and together.
  private func outcomes(
    of events: ([TransferID]) -> [Event], after wait: Duration = .seconds(1)
  ) throws -> (apart: Outcome, together: Outcome) {
    var settings = Settings()
    settings.connections = 2
    var world = World(seed: 1, servers: ["http://host/a": .init(total: 4 << 20)], settings: settings)
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while !world.answers.isEmpty { world.event(world.answers.removeFirst()) }
    let transfers = (world.session.all[0].run?.transfers ?? []).map(\.id)
    try #require(transfers.count == 2)
    world.session.downloads.change(world.session.all[0].id) { $0.trust.isAtNewAddress = true }
    var (one, all) = (world.session, world.session)
    let now = world.now + wait
    let apart = events(transfers).flatMap { one.handle($0, now: now) }
    let together = all.handle(events(transfers), now: now)
    return (Outcome(one, apart), Outcome(all, together))
  }

  @Test func aTransferThatOneEventStopsIsNotHeardAfterIt() throws {
    let (apart, together) = try outcomes(
      of: { [.timePassed, .received($0[1], 1000), .ended($0[1], .complete)] }, after: Settings().stallTimeout)
    #expect(apart.effects.contains { $0.hasPrefix("stop") } && apart.isConfirmed == false)
    #expect(together == apart)
  }

  @Test func bytesAndTheirEndAreTakenInOrder() throws {
    let half: Int64 = 2 << 20
    let (apart, together) = try outcomes(of: {
      [.received($0[1], half), .received($0[0], half), .ended($0[0], .filled), .ended($0[1], .complete)]
    })
    #expect(apart.effects.contains { $0.hasPrefix("finish") } && apart.isConfirmed == true)
    #expect(together == apart)
  }

  @Test func nothingHappensForNothing() throws {
    let (apart, together) = try outcomes(of: { _ in [] })
    #expect(apart.effects.isEmpty)
    #expect(together == apart)
  }
}
