@testable import DownloadCore

/// A small world in virtual time around a session: servers whose files change, a network that breaks, a disk that fills up and remembers
/// which version every byte came from. Everything that happens is drawn from a seed.
struct World {
  var session: Session
  var random: Seeded
  var now = Duration.zero
  var servers: [String: Server]
  var faults: Faults
  var redirects: [String: String] = [:]
  /// Nothing can be reached.
  var isOffline = false
  var disk = Disk()
  var requestTimes: [Duration] = []
  /// What was asked for, at which address.
  var requests: [(url: String, asked: Asked)] = []
  var notices: [Notice] = []
  var transfers: [TransferID: Wire] = [:]
  var open: [PartID: String] = [:]
  var answers: [Event] = []
  /// The latest limit of each download that was told one; the largest number where it was none.
  var limits: [DownloadID: Int64] = [:]

  /// How often things go wrong, each in 0...1 per step or request.
  struct Faults {
    var reset = 0.0
    var refusal = 0.0
    var change = 0.0
    var crash = 0.0
    var diskFull = 0.0
    var saveFailure = 0.0
    /// A 206 with fewer bytes than were asked for.
    var shortPart = 0.0
    var standstill = 0.0
    /// A sidecar that cannot be read, or claims what is no longer on the disk.
    var rot = 0.0
    /// A whole file that is not what it should be.
    var mismatch = 0.0
    /// An address that a redirect gave is refused.
    var expiry = 0.0
  }

  /// What is on the disk: for each part which bytes hold which version, sidecars, and finished files.
  struct Disk {
    var parts: [String: [Int: ByteRangeSet]] = [:]
    var sidecars: [String: Sidecar] = [:]
    /// What the part was when its sidecar was written: the block sums tell whether it still is.
    var sums: [String: [Int: ByteRangeSet]] = [:]
    var finished: [String: [Int: ByteRangeSet]] = [:]
  }

  init(seed: UInt64, servers: [String: Server], settings: Settings = Settings(), faults: Faults = Faults()) {
    session = Session(settings: settings, seed: seed)
    random = Seeded(seed)
    self.servers = servers
    self.faults = faults
  }

  // MARK: Moving

  mutating func command(_ command: Command) { perform(session.handle(command, now: now)) }

  mutating func event(_ event: Event) { perform(session.handle(event, now: now)) }

  /// What has happened meanwhile, all together.
  mutating func events(_ count: Int) {
    let taken = Array(answers.prefix(count))
    answers.removeFirst(taken.count)
    perform(session.handle(taken, now: now))
  }

  /// One thing happens: answers arrive, bytes flow, a connection breaks, or time passes.
  mutating func step() {
    if chance(faults.crash) { return crash() }
    if chance(faults.standstill) { return standStill() }
    if chance(faults.change), let url = servers.keys.sorted().randomElement(using: &random) { change(url) }
    if !answers.isEmpty { return events(Int.random(in: 1...answers.count, using: &random)) }
    let flowing = transfers.keys.filter { transfers[$0]?.store != nil }.sorted { $0.number < $1.number }
    guard let id = flowing.randomElement(using: &random) else { return passTime() }
    now += .milliseconds(Int.random(in: 1...50, using: &random))
    chance(faults.reset) ? end(id, .failed(.connectionLost(why: "reset"), retryAfter: nil)) : flow(id)
    if session.deadline.map({ $0 <= now }) == true { event(.timePassed) }
  }

  /// Jumps to the next moment at which something is due.
  mutating func passTime() {
    now = max(now, session.deadline ?? now + .seconds(1))
    event(.timePassed)
  }

  /// Steps until nothing is under way. False when that did not come within `limit` steps.
  mutating func settle(limit: Int = 20_000, _ check: (World) -> Void = { _ in }) -> Bool {
    for _ in 0..<limit {
      if !session.isWorking, answers.isEmpty { return true }
      step()
      check(self)
    }
    return false
  }

  /// The program dies; what is on the disk stays, and the next start knows the list.
  mutating func crash() {
    let saved = session.saved
    (transfers, open, answers) = ([:], [:], [])
    session = Session(settings: session.settings, seed: random.next(), restoring: saved)
    event(.timePassed)
  }

  /// The machine sleeps for an hour, and its connections are as they were.
  private mutating func standStill() {
    now += .seconds(3600)
    event(.stoodStill)
    event(.timePassed)
  }

  mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && Double.random(in: 0..<1, using: &random) < probability
  }

  mutating func perform(_ effects: [Effect]) { for effect in effects { perform(effect) } }

  private mutating func perform(_ effect: Effect) {
    switch effect {
    case .findPart(let id, let wanted): find(id, wanted)
    case .createPart(let id, let wanted): create(id, wanted)
    case .startTransfer(let id, let plan): start(id, plan)
    case .accept(let id, let wanted): accept(id, wanted)
    case .cut(let id, let end): transfers[id]?.store?.end = end
    case .stop(let id): transfers[id] = nil
    case .replacePart(let id, _): replace(id)
    case .save(let id, let sidecar): save(id, sidecar)
    case .finish(let id, let wanted): finish(id, wanted)
    case .closePart(let id): open[id] = nil
    case .discardPart(let id, let restoringOld): discard(id, restoringOld: restoringOld)
    case .deletePart(_, let name): delete(name)
    case .deleteFile(_, let name, _): disk.finished[name] = nil
    case .limit(let id, let rate): limits[id] = rate ?? .max
    case .notify(let notice): notices.append(notice)
    case .saveSession: break
    }
  }
}

/// A generator that repeats itself for the same seed (a linear congruential one, Knuth's constants, high bits).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 2_685_821_657_736_338_717 &+ 1 }
  mutating func next() -> UInt64 {
    var result: UInt64 = 0
    for _ in 0..<2 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      result = result << 32 | state >> 32
    }
    return result
  }
}

extension Session {
  /// All downloads, in queue order.
  var all: [Download] { order.compactMap { downloads[$0] } }
}
