import Testing

@testable import DownloadCore

/// The end of a download never waits for one slow connection.
struct TailTests {
  private static let total: Int64 = 4 << 20

  /// Two transfers; the first has done its half, the second so much of its own in as many seconds.
  private func cuts(second done: Int64, after seconds: Double) -> (cut: Int64?, claims: [ByteRange]) {
    var settings = Settings()
    settings.connections = 2
    var world = World(seed: 1, servers: ["http://host/a": .init(total: Self.total)], settings: settings)
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while world.session.all[0].run?.transfers.count(where: \.isAccepted) != 2 {
      world.now += .milliseconds(10)
      if world.answers.isEmpty { break }
      world.event(world.answers.removeFirst())
    }
    let transfers = world.session.all[0].run?.transfers ?? []
    guard transfers.count == 2 else {
      Issue.record("two transfers were wanted: \(transfers.map(\.claim))")
      return (nil, [])
    }
    world.now += .seconds(seconds)
    world.event(.received(transfers[1].id, done))
    world.event(.received(transfers[0].id, transfers[0].remaining))
    let effects = world.session.handle(.ended(transfers[0].id, .filled), now: world.now)
    let cut = effects.compactMap { if case .cut(transfers[1].id, let end) = $0 { end } else { nil } }.first
    return (cut, world.session.all[0].run?.transfers.map(\.claim) ?? [])
  }

  @Test func halfOfASmallSlowRestIsTakenOver() {
    let (cut, claims) = cuts(second: 3 << 19, after: 3)
    #expect(cut == Self.total - (1 << 18))
    #expect(claims == [Self.total - (1 << 19)..<Self.total - (1 << 18), Self.total - (1 << 18)..<Self.total])
  }

  @Test func whatIsThereInAMomentIsLeftAlone() {
    #expect(cuts(second: 3 << 19, after: 0.01).cut == nil)
    #expect(cuts(second: (2 << 20) - (1 << 17), after: 3).cut == nil)
  }

  /// Two transfers, the second with so little left that it is not shared, and nothing comes over it any more. What has been done about that
  /// after so many seconds.
  private func takeover(after seconds: Double, first end: TransferEnd = .complete, limit: Int64? = nil) -> [Effect] {
    var settings = Settings()
    (settings.connections, settings.rateLimit) = (2, limit)
    var world = World(seed: 1, servers: ["http://host/a": .init(total: Self.total)], settings: settings)
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while !world.answers.isEmpty {
      world.now += .milliseconds(10)
      world.event(world.answers.removeFirst())
    }
    let transfers = world.session.all[0].run?.transfers ?? []
    guard transfers.count == 2 else {
      Issue.record("two transfers were wanted: \(transfers.map(\.claim))")
      return []
    }
    world.event(.received(transfers[1].id, transfers[1].remaining - 100))
    world.event(.received(transfers[0].id, transfers[0].remaining))
    world.event(.ended(transfers[0].id, end))
    let due = world.now + .seconds(seconds)
    var effects: [Effect] = []
    while let deadline = world.session.deadline, deadline <= due {
      world.now = max(world.now, deadline)
      effects += world.session.handle(.timePassed, now: world.now)
    }
    return effects.filter { if case .startTransfer = $0 { true } else if case .stop = $0 { true } else { false } }
  }

  @Test func theLastBytesOfASilentTransferAreAskedForOverAnIdleConnection() throws {
    let effects = takeover(after: 1)
    guard effects.count == 2, case .stop = effects[0], case .startTransfer(_, let plan) = effects[1] else {
      Issue.record("one request in the place of another was wanted: \(effects)")
      return
    }
    #expect(plan.asked.range == Self.total - 100..<Self.total)
  }

  @Test func noBodyIsHurriedWhereThatIsOfNoUse() {
    #expect(takeover(after: 0.01).isEmpty)
    #expect(takeover(after: 5, first: .filled).isEmpty, "no connection is idle")
    #expect(takeover(after: 5, limit: 1 << 20).isEmpty, "a limit makes silence too")
  }
}
