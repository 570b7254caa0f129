import Testing

@testable import DownloadCore

/// When a download whose number of connections nobody has chosen gets more than one.
struct ConnectionPaceTests {
  private static let latency = Duration.milliseconds(50)

  /// The window after which another connection is tried, if `rate` bytes come in each 200 ms.
  private func opening(total: Int64, latency: Duration = latency, _ rates: [Int64]) -> Int? {
    var pace = ConnectionPace()
    var (now, missing) = (Duration.zero, total)
    pace.begin(latency: latency, now: now)
    for (index, rate) in rates.enumerated() {
      guard let due = pace.due else { return nil }
      now = due
      pace.add(rate)
      missing -= rate
      if case .tryAnother = pace.judge(remaining: missing, latency: latency, now: now) { return index }
    }
    return nil
  }

  @Test func aConnectionThatStillGetsFasterIsLeftAlone() {
    #expect(opening(total: 1 << 40, [1, 2, 4, 8, 16, 32].map { $0 << 20 }) == nil)
  }

  @Test func oneThatNoLongerDoesGetsHelpIfMuchIsLeft() {
    #expect(opening(total: 1 << 30, [4 << 20, 8 << 20, 8 << 20]) == 2)
  }

  @Test func oneThatBringsAsMuchAsTheMachineCanTakeIsLeftAlone() {
    #expect(opening(total: 1 << 40, Array(repeating: 1 << 27, count: 9)) == nil)
    #expect(opening(total: 1 << 40, Array(repeating: 1 << 26, count: 9)) == 1)
  }

  @Test func whatEndsInAMomentStaysWithOne() {
    #expect(opening(total: 40 << 20, Array(repeating: 10 << 20, count: 4)) == nil)
  }

  @Test func helpComesLaterWhenItGetsSlow() {
    #expect(opening(total: 32 << 20, [10 << 20, 10 << 20, 1 << 10]) == 2)
  }

  @Test func aFarServerHasToBeWorthMore() {
    // 2 MiB a second, and 8 MiB in all.
    #expect(opening(total: 8 << 20, latency: .milliseconds(10), [1 << 20, 1 << 20, 1 << 20].map { $0 / 5 }) == 1)
    #expect(opening(total: 8 << 20, latency: .milliseconds(250), [2 << 20, 2 << 20, 2 << 20]) == nil)
  }

  @Test func nobodyWaitsForEver() {
    let rates = (0..<20).map { Int64(1 << 10) << Int64($0) }
    #expect(opening(total: .max, rates) == 11)
  }

  /// How many connections there are over time where a second brings `rate` bytes over however many, and one brings `each` at most.
  private func counts(_ world: inout World, rate: Int64, each: Int64, seconds: Int) -> [Int] {
    var counts: [Int] = []
    let end = world.now + .seconds(seconds)
    while let deadline = world.session.deadline, deadline < end {
      let passed = deadline - world.now
      world.now = max(world.now, deadline)
      let transfers = world.session.all.last?.run?.transfers.filter(\.isAccepted) ?? []
      counts.append(transfers.count)
      let share = min(each, rate / Int64(max(1, transfers.count)))
      for transfer in transfers {
        world.event(.received(transfer.id, min(transfer.remaining, Int64(Double(share) * passed.seconds))))
        if transfer.remaining == 0 { world.event(.ended(transfer.id, .filled)) }
      }
      world.perform(world.session.handle(.timePassed, now: world.now))
      while !world.answers.isEmpty { world.event(world.answers.removeFirst()) }
    }
    return counts
  }

  private func begin(_ name: String, in world: inout World) {
    world.command(.add([Request(url: "http://host/\(name)", folder: "/d")]))
    while !world.answers.isEmpty { world.event(world.answers.removeFirst()) }
  }

  private func paced(_ names: String..., redirects: Bool = false) -> World {
    var settings = Settings()
    (settings.areConnectionsPaced, settings.jobs) = (true, names.count)
    let servers = names.map { ("http://\(redirects ? "other" : "host")/\($0)", World.Server(total: 1 << 32)) }
    var world = World(seed: 3, servers: Dictionary(uniqueKeysWithValues: servers), settings: settings)
    if redirects { for name in names { world.redirects["http://host/\(name)"] = "http://other/\(name)" } }
    return world
  }

  /// Also where the host sends on to others.
  @Test(arguments: [false, true]) func aSecondThatBringsNothingIsTheLastAndTheHostIsRemembered(_ redirects: Bool) {
    var world = paced("a", "b", redirects: redirects)
    begin("a", in: &world)
    let first = counts(&world, rate: 20 << 20, each: 20 << 20, seconds: 20)
    #expect(first.max() == 2 && first.suffix(10).allSatisfy { $0 == 1 }, "\(first)")
    // The first one has never been disturbed, and goes on up to what the second has fetched.
    #expect(world.session.all[0].missing.ranges.count == 1)
    begin("b", in: &world)
    #expect(counts(&world, rate: 20 << 20, each: 20 << 20, seconds: 10).max() == 1)
    // Less than half of what one brought then.
    #expect(counts(&world, rate: 16 << 20, each: 2 << 20, seconds: 10).last == 8)
  }

  /// Then nothing is learnt, and others come as soon as they may.
  @Test func aSecondThatCannotBeHadTellsNothing() {
    var world = paced("a")
    world.session.settings.hostConnections = 1
    begin("a", in: &world)
    #expect(counts(&world, rate: 80 << 20, each: 20 << 20, seconds: 10).max() == 1)
    world.session.settings.hostConnections = 8
    world.command(.resume(.all))
    #expect(world.session.all[0].run?.transfers.count == 8)
  }

  @Test func whereTwoBringMoreAllCome() {
    var world = paced("a")
    begin("a", in: &world)
    let all = counts(&world, rate: 80 << 20, each: 20 << 20, seconds: 20)
    #expect(all.first == 1 && all.last == 8 && world.session.all[0].run?.pace == nil, "\(all)")
  }

  @Test func whatOneServerGivesSlowlyIsSharedAndANumberThatWasAskedForIsKept() {
    for isAskedFor in [false, true] {
      var settings = Settings()
      settings.areConnectionsPaced = true
      var world = World(seed: 3, servers: ["http://host/a": .init(total: 64 << 20)], settings: settings)
      var request = Request(url: "http://host/a", folder: "/d")
      request.connections = isAskedFor ? 8 : nil
      world.command(.add([request]))
      var counts: [Int] = []
      let ended = world.settle { counts.append($0.session.all.first?.run?.transfers.count { $0.isAccepted } ?? 0) }
      #expect(ended)
      #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<64 << 20)])
      let first = counts.filter { $0 > 0 }.prefix(8)
      #expect(first.allSatisfy { $0 == 1 } != isAskedFor, "\(first)")
      #expect(counts.max() == 8)
    }
  }
}
