import Testing

@testable import DownloadCore

/// One file at several addresses, in virtual time: they are used at the same time, and whatever one of them does, no file is ever mixed.
struct SourcesTests {
  static let total: Int64 = 48 << 20
  static let piece: Int64 = 1 << 20
  static let id = DownloadID(1)
  static let first = "http://first/f"
  static let mirrors = ["http://one/f", "http://two/f"]

  private var request: Request {
    var request = Request(url: Self.first, folder: "/d")
    request.mirrors = Self.mirrors
    return request
  }

  /// What is known of the bytes before they come.
  enum Sums: CaseIterable { case none, whole, pieces, both }

  private func request(_ sums: Sums) -> Request {
    var request = request
    if sums == .whole || sums == .both { request.checksum = Checksum(.sha256, hex: String(repeating: "0", count: 64)) }
    if sums == .pieces || sums == .both {
      let count = Int((Self.total - 1) / Self.piece + 1)
      request.pieces = PieceSums(
        .sha256, length: Self.piece, sums: Array(repeating: String(repeating: "0", count: 64), count: count))
    }
    return request
  }

  private func world(
    seed: UInt64 = 1, connections: Int = 6, isPaced: Bool = false, _ sums: Sums = .none, faults: World.Faults = .init(),
    _ change: (inout [String: World.Server]) -> Void = { _ in }
  ) -> World {
    var settings = Settings()
    (settings.connections, settings.areConnectionsPaced) = (connections, isPaced)
    let all = [Self.first] + Self.mirrors
    var servers = Dictionary(uniqueKeysWithValues: all.map { ($0, World.Server(total: Self.total)) })
    change(&servers)
    var world = World(seed: seed, servers: servers, settings: settings, faults: faults)
    world.command(.add([request(sums)]))
    return world
  }

  func download(_ world: World) -> Download? { world.session.downloads[Self.id] }

  func warnings(_ world: World) -> [String] {
    world.notices.compactMap { if case .warning(let words) = $0.kind { words } else { nil } }
  }

  func isWhole(_ world: World) -> Bool {
    world.disk.finished["f"]?.filter { !$0.value.isEmpty } == [1: ByteRangeSet(0..<Self.total)]
  }

  func story(_ world: World) -> Comment {
    "\(String(describing: download(world)?.state)) \(download(world)?.log.map(\.text) ?? []) \(warnings(world))"
  }

  /// What holds at every moment.
  func check(_ world: World) {
    guard let run = download(world)?.run else { return }
    if run.transfers.count > run.connectionLimit { Issue.record("\(run.transfers.count) of \(run.connectionLimit)") }
    for source in run.sources.indices.dropFirst() where run.transfers.count(where: { $0.source == source }) > 1 {
      Issue.record("two requests at once to \(run.sources[source].address.url)")
    }
    guard let missing = download(world)?.missing else { return }
    var given = ByteRangeSet()
    for range in run.sources.flatMap(\.given.ranges) {
      if !given.subtracting([range]).isEmpty, given.ranges.contains(where: { $0.overlaps(range) }) {
        Issue.record("two sources gave \(range)")
      }
      if missing.ranges.contains(where: { $0.overlaps(range) }) { Issue.record("\(range) is missing and was given") }
      given.insert(range)
    }
  }

  // MARK: Sharing

  @Test(arguments: UInt64(0)..<10) func equalMirrorsShareTheWork(seed: UInt64) {
    var world = world(seed: seed)
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
    for url in [Self.first] + Self.mirrors {
      let wanted = world.requests.filter { $0.url == url && !$0.asked.isProbe }.count
      #expect(wanted > 0, "\(url) gave nothing")
    }
    #expect(download(world)?.state == .completed(.overlap), "nothing but comparing ties them together")
  }

  @Test(arguments: [(1, 0), (2, 1), (3, 2), (8, 2)]) func allConnectionsTogetherAreNoMoreThanWereAskedFor(
    _ connections: Int, _ mirrors: Int
  ) {
    var world = world(connections: connections)
    var (most, atMirrors) = (0, 0)
    let ended = world.settle { world in
      let transfers = download(world)?.run?.transfers ?? []
      most = max(most, transfers.count)
      atMirrors = max(atMirrors, transfers.count { $0.source > 0 })
    }
    #expect(ended && isWhole(world) && most == connections && atMirrors == mirrors)
  }

  /// The first address has all that it may have when the mirrors turn out to have the file.
  @Test(arguments: UInt64(0)..<10) func mirrorsHelpAlsoWhenTheyAreLate(seed: UInt64) {
    var world = world(seed: seed, isPaced: true)
    var idle = 0
    let ended = world.settle { world in
      guard let download = download(world), let run = download.run, !download.mirrorHosts.isEmpty else { return }
      if !download.missing.subtracting(run.transfers.map(\.claim)).isEmpty { idle += 1 }
    }
    #expect(ended && isWhole(world) && idle == 0, story(world))
  }

  @Test(arguments: UInt64(0)..<6) func mirrorsDoNotWaitForAStretchOfTheFirstAddressToEnd(seed: UInt64) throws {
    var world = world(seed: seed, connections: 3)
    while world.transfers.isEmpty { world.step() }
    let first = try #require(world.transfers.keys.first)
    while world.transfers.count < 3, world.transfers[first] != nil { world.step() }
    #expect(Set(world.transfers.values.map(\.url)) == Set([Self.first] + Self.mirrors))
    #expect(
      world.disk.parts["f.part"]?[1].map { $0.count < 4 << 20 } == true, "as soon as there is something to compare")
  }

  @Test func aSmallFileNeedsNoMirror() {
    var world = World(
      seed: 1, servers: [Self.first: .init(total: 500_000), Self.mirrors[0]: .init(total: 500_000)])
    world.command(.add([request]))
    let ended = world.settle()
    #expect(ended && world.requests.allSatisfy { $0.url == Self.first })
  }

  @Test(arguments: UInt64(0)..<5) func noMirrorIsAskedWhileOneConnectionIsEnough(seed: UInt64) {
    var settings = Settings()
    settings.areConnectionsPaced = true
    var world = world(seed: seed)
    world.session = Session(settings: settings, seed: seed)
    (world.transfers, world.answers) = ([:], [])
    world.command(.add([request]))
    let ended = world.settle { world in
      guard let run = download(world)?.run, run.pace != nil else { return }
      if run.transfers.contains(where: { $0.source > 0 }) { Issue.record("a mirror is asked at \(world.now)") }
    }
    #expect(ended && isWhole(world), story(world))
  }

  // MARK: Proofs

  @Test func aMirrorIsFirstComparedAndThenBeforeEachStretch() throws {
    var world = world()
    _ = world.settle()
    for url in Self.mirrors {
      let asked = world.requests.filter { $0.url == url }.map(\.asked)
      #expect(try #require(asked.first).isProbe && asked.first?.overlap == 64 << 10)
      #expect(asked.dropFirst().allSatisfy { !$0.isProbe && $0.ifRange == "\"v1\"" })
    }
  }

  @Test func aTagIsOnlySentBackToWhereItCameFrom() {
    var world = world { servers in
      for (number, url) in Self.mirrors.enumerated() {
        servers[url]?.version = 1
        servers[url]?.proof = number == 0 ? .strong : .none
      }
    }
    world.servers[Self.first]?.proof = .nodes
    world.servers[Self.first]?.proof = .strong
    _ = world.settle()
    #expect(world.requests.filter { $0.url == Self.mirrors[1] }.allSatisfy { $0.asked.ifRange == nil })
    #expect(isWhole(world))
  }

  @Test func theCapOfAHostHoldsForMirrorsToo() {
    var settings = Settings()
    (settings.connections, settings.hostConnections) = (8, 1)
    let urls = (0..<3).map { "http://host/\($0)" }
    var world = World(
      seed: 3, servers: Dictionary(uniqueKeysWithValues: urls.map { ($0, .init(total: Self.total)) }),
      settings: settings)
    var request = Request(url: urls[0], folder: "/d")
    request.mirrors = Array(urls.dropFirst())
    world.command(.add([request]))
    let ended = world.settle { world in
      if world.transfers.count > 1 { Issue.record("\(world.transfers.count) connections to one host") }
    }
    #expect(ended && world.disk.finished.count == 1)
  }

  // MARK: Mirrors that are no good

  enum Bad: CaseIterable {
    case longer, other, missing, withoutRanges, refusing, lying
    func apply(to server: inout World.Server) {
      switch self {
      case .longer: server.total += 1
      case .other: server.version = 2
      case .missing: break
      case .withoutRanges: server.ranges = .ignored
      case .refusing: server.ranges = .refused
      case .lying: server.lies = ByteRangeSet(0..<SourcesTests.total)
      }
    }
  }

  @Test(arguments: Bad.allCases, UInt64(0)..<4) func aBadMirrorIsNamedAndNothingOfItStays(_ bad: Bad, seed: UInt64) {
    var world = world(seed: seed) { servers in
      if bad == .missing { servers[Self.mirrors[0]] = nil }
      servers[Self.mirrors[0]].map { bad.apply(to: &servers[Self.mirrors[0], default: $0]) }
    }
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
    #expect(warnings(world).contains { $0.hasPrefix("the mirror one is left, ") }, story(world))
    #expect(world.requests.filter { $0.url == Self.mirrors[0] }.count <= 2, "it is not asked again and again")
    #expect(world.requests.contains { $0.url == Self.mirrors[1] && !$0.asked.isProbe }, "the other one helps")
  }

  @Test(arguments: UInt64(0)..<6) func oneThatBreaksOffIsLeftForAWhileAndFailsNothing(seed: UInt64) {
    var world = world(seed: seed) { $0[Self.mirrors[0]]?.breaksAfter = 0 }
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
    #expect(warnings(world).count { $0.hasPrefix("the mirror one is left for a while: ") } == 1, story(world))
  }

  @Test(arguments: UInt64(0)..<6) func aSlowMirrorDoesNotHoldUpTheEnd(seed: UInt64) {
    var world = world(seed: seed) { $0[Self.mirrors[0]]?.pace = 2 }
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
  }

  // MARK: The first one fails

  @Test(arguments: UInt64(0)..<10, [Sums.none, .whole]) func whenTheFirstAddressDiesTheOthersGoOn(
    seed: UInt64, _ sums: Sums
  ) {
    for isForGood in [true, false] {
      var world = world(seed: seed, sums)
      while (download(world)?.completedBytes ?? 0) < 8 << 20 { world.step() }
      if isForGood { world.servers[Self.first] = nil } else { world.servers[Self.first]?.breaksAfter = 0 }
      for id in world.transfers.keys where world.transfers[id]?.url == Self.first {
        world.end(id, .failed(.connectionLost(why: "reset"), retryAfter: nil))
      }
      let ended = world.settle(check)
      #expect(ended && isWhole(world), story(world))
      #expect(download(world)?.state == .completed(sums == .none ? .overlap : .checksum(.sha256)))
    }
  }

  @Test(arguments: UInt64(0)..<10) func addressesThatAreDeadFromTheStartAreNoTrouble(seed: UInt64) {
    for dead in [[Self.first], [Self.first, Self.mirrors[0]], Self.mirrors] {
      for isForGood in [true, false] {
        var world = world(seed: seed) { servers in
          for url in dead {
            if isForGood { servers[url] = nil } else { servers[url]?.breaksAfter = 0 }
          }
        }
        let ended = world.settle(check)
        #expect(ended && isWhole(world), story(world))
      }
    }
  }

  @Test func whenAllAreDeadItComesToAnEnd() {
    for isForGood in [true, false] {
      var world = world { servers in
        for url in servers.keys {
          if isForGood { servers[url] = nil } else { servers[url]?.breaksAfter = 0 }
        }
      }
      let ended = world.settle(check)
      guard case .failed = download(world)?.state else {
        Issue.record(story(world))
        continue
      }
      #expect(ended && world.requests.count <= 40, "\(world.requests.count) requests")
      #expect(Set(world.requests.map(\.url)) == Set([Self.first] + Self.mirrors), "each was asked")
    }
  }

  /// The first one comes back after another has led, and what that one gave is not what it has.
  @Test func theFirstAddressIsBelievedWhenItComesBack() {
    var found: [UInt64] = []
    for seed in UInt64(0)..<20 {
      var world = world(seed: seed, connections: 3) { servers in
        servers[Self.mirrors[1]] = nil
        servers[Self.mirrors[0]]?.lies = ByteRangeSet((4 << 20)..<Self.total)
        servers[Self.mirrors[0]]?.mostAtATime = 1 << 20
      }
      while (download(world)?.completedBytes ?? 0) < 3 << 20 { world.step() }
      for id in world.transfers.keys where world.transfers[id]?.url == Self.first {
        world.end(id, .failed(.connectionLost(why: "reset"), retryAfter: nil))
      }
      let ended = world.settle(check)
      #expect(ended && world.disk.finished["f"] != nil, story(world))
      guard warnings(world).contains(where: { $0.hasPrefix("the mirror one is left, it has another file") }) else {
        continue
      }
      found.append(seed)
      #expect(isWhole(world), "seed \(seed): \(story(world))")
    }
    #expect(found.count > 3, "it was found out with the seeds \(found)")
  }

  // MARK: Sums

  /// Where a mirror sends other bytes, and which pieces are wrong then.
  @Test(arguments: [(47 << 20)..<(48 << 20), total - 1..<total, (10 << 20)..<(48 << 20)] as [ByteRange], Sums.allCases)
  func whatAMirrorLiesAboutIsFetchedAgainFromElsewhere(_ lie: ByteRange, _ sums: Sums) {
    for seed in UInt64(0)..<6 where sums != .none {
      // The lying one brings everything but the start.
      var world = world(seed: seed, connections: 2, sums) { servers in
        servers[Self.mirrors[0]]?.lies = ByteRangeSet(lie)
        servers[Self.first]?.pace = 60_000
      }
      let ended = world.settle(check)
      #expect(ended && isWhole(world), story(world))
      #expect(download(world)?.state == .completed(sums == .pieces ? .pieces(.sha256, count: 48) : .checksum(.sha256)))
    }
  }

  @Test(arguments: UInt64(0)..<6, [Sums.whole, .pieces]) func aFirstAddressThatLiesIsLeft(seed: UInt64, _ sums: Sums) {
    for lie in [0..<Self.total, (30 << 20)..<(30 << 20) + 1] as [ByteRange] {
      var world = world(seed: seed, sums) { $0[Self.first]?.lies = ByteRangeSet(lie) }
      let ended = world.settle(check)
      #expect(ended && isWhole(world), story(world))
    }
  }

  @Test func onlyTheWrongPieceIsFetchedAgain() throws {
    var world = world(connections: 1, .pieces) { $0[Self.first]?.lies = ByteRangeSet((5 << 20)..<(5 << 20) + 1) }
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
    let words = "first is left, checksum mismatch in piece 6 of 48; goes on at the mirror one"
    #expect(warnings(world).contains(words), story(world))
    let again = world.requests.filter { $0.url != Self.first && !$0.asked.isProbe }.compactMap(\.asked.range)
    #expect(again.allSatisfy { ByteRangeSet((5 << 20) - (64 << 10)..<6 << 20).contains($0) }, "\(again)")
  }

  @Test func aLoneAddressIsAskedOnceMoreAndThenThePiecesAreNamed() throws {
    var world = world(.pieces) { servers in
      servers[Self.first]?.lies = ByteRangeSet((5 << 20)..<(5 << 20) + 1)
      for url in Self.mirrors { servers[url] = nil }
    }
    let ended = world.settle(check)
    #expect(ended)
    #expect(download(world)?.state == .failed(.wrongPieces([5..<6], of: 48)), story(world))
    let again = world.requests.count { $0.asked.range?.lowerBound == 5 << 20 && $0.asked.range?.upperBound == 6 << 20 }
    #expect(again == 1)
    let done = world.disk.sidecars["f.part"]?.doneRanges
    #expect(done == ByteRangeSet([0..<5 << 20, 6 << 20..<Self.total]), "what is right stays")
    world.servers["http://other/f"] = .init(total: Self.total)
    world.command(.readdress(Self.id, url: "http://other/f", credentials: nil))
    _ = world.settle()
    #expect(isWhole(world), story(world))
    let bytes = world.requests.filter { $0.url == "http://other/f" }.compactMap { $0.asked.range?.count }.reduce(0, +)
    #expect(bytes < 3 << 20)
  }

  @Test func aFileThatCannotBeRightFailsAfterEachWasAsked() {
    var world = world(.whole) { servers in
      for url in servers.keys { servers[url]?.version = 3 }
    }
    let ended = world.settle(limit: 60_000, check)
    #expect(ended && world.disk.finished.isEmpty)
    guard case .failed(.checksumMismatch) = download(world)?.state else {
      Issue.record(story(world))
      return
    }
    for url in Self.mirrors { #expect(world.requests.contains { $0.url == url }) }
  }

  // MARK: Restarts

  @Test(arguments: UInt64(0)..<20) func itIsKilledAgainAndAgain(seed: UInt64) {
    var world = world(seed: seed, [Sums.none, .whole, .pieces][Int(seed % 3)])
    for _ in 0..<4 {
      for _ in 0..<60 {
        world.step()
        check(world)
      }
      world.crash()
    }
    world.command(.resume(.all))
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
  }

  /// The mirror that led is the one whose validators were kept.
  @Test func whoLedGoesOnLeading() throws {
    var world = world(connections: 1) { $0[Self.first] = nil }
    while (download(world)?.completedBytes ?? 0) < 8 << 20 { world.step() }
    world.command(.pause(.all))
    #expect(world.disk.sidecars["f.part"]?.source == Self.mirrors[0])
    #expect(world.disk.sidecars["f.part"]?.request.url == Self.first)
    world.crash()
    world.requests = []
    world.command(.resume(.all))
    _ = world.settle()
    #expect(isWhole(world) && world.requests.allSatisfy { $0.url == Self.mirrors[0] }, story(world))
    #expect(world.requests.first?.asked.ifRange == "\"v1\"")
    #expect(download(world)?.request.url == Self.first, "their order stays")
  }

  // MARK: Everything at once

  private static let mild = World.Faults(
    reset: 0.02, refusal: 0.05, crash: 0.002, saveFailure: 0.02, shortPart: 0.05, standstill: 0.0005, rot: 0.02)
  private static let hard = World.Faults(
    reset: 0.1, refusal: 0.2, crash: 0.01, diskFull: 0.001, saveFailure: 0.1, shortPart: 0.2, standstill: 0.0005,
    rot: 0.1, mismatch: 0.1)

  @Test(arguments: UInt64(0)..<60, Sums.allCases) func nothingIsEverMixedWhateverSourcesDo(seed: UInt64, _ sums: Sums) {
    var random = Seeded(seed &+ 1000)
    var world = world(
      seed: seed, connections: Int.random(in: 1...8, using: &random), sums,
      faults: sums == .none ? Self.mild : Self.hard
    ) { servers in
      for url in Self.mirrors where Bool.random(using: &random) {
        Bad.allCases.randomElement(using: &random)?.apply(to: &servers[url, default: .init(total: Self.total)])
        let start = Int64.random(in: 0..<Self.total, using: &random)
        servers[url]?.lies = ByteRangeSet(start..<min(Self.total, start + 3_000_000))
      }
    }
    for _ in 0..<1500 {
      world.step()
      check(world)
    }
    world.faults = .init()
    for _ in 0..<3 {
      world.command(.resume(.all))
      let ended = world.settle(limit: 60_000, check)
      #expect(ended, "seed \(seed) never ends")
    }
    // A lie that nobody compares stays where there are no sums, and the file says that nothing but comparing proves it.
    let isHonest = isWhole(world) || download(world)?.state == .completed(.overlap)
    #expect(isHonest && (sums == .none || isWhole(world)), "seed \(seed), \(sums): \(story(world))")
  }
}
