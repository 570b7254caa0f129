@testable import DownloadCore

/// A small world in virtual time around a session: servers whose files change, a network that breaks, a disk that remembers which version
/// every byte came from. Everything that happens is drawn from a seed.
struct World {
  var session: Session
  var random: Seeded
  var now = Duration.zero
  var servers: [String: Server]
  var faults: Faults
  private(set) var disk = Disk()
  private(set) var requestsSent = 0
  private(set) var notices: [Notice] = []
  private var transfers: [TransferID: Wire] = [:]
  private var open: [PartID: String] = [:]
  private var answers: [Event] = []

  /// How often things go wrong, each in 0...1 per step or request.
  struct Faults {
    var reset = 0.0
    var refusal = 0.0
    var change = 0.0
    var crash = 0.0
  }

  /// A file on a server: its version is what tells the bytes apart.
  struct Server {
    var version = 1
    var total: Int64
    var ranges = true
    var strong = true
    var tellsLength = true
    var etag: String? { strong ? "\"v\(version)\"" : nil }
  }

  /// A request in flight.
  struct Wire {
    var url: String
    var version: Int
    var body: ByteRange
    /// Where the next byte goes and up to where; nil until accepted.
    var store: (part: String, position: Int64, end: Int64)?
    var isWhole: Bool
  }

  /// What is on the disk: for each part which bytes hold which version, sidecars, and finished files.
  struct Disk {
    var parts: [String: [Int: ByteRangeSet]] = [:]
    var sidecars: [String: Sidecar] = [:]
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

  /// One thing happens: an answer arrives, bytes flow, a connection breaks, or time passes.
  mutating func step() {
    if chance(faults.crash) { return crash() }
    if chance(faults.change), let url = servers.keys.sorted().randomElement(using: &random) {
      servers[url]?.version += 1
    }
    if !answers.isEmpty { return event(answers.removeFirst()) }
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

  private mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && Double.random(in: 0..<1, using: &random) < probability
  }

  // MARK: The network

  private mutating func flow(_ id: TransferID) {
    guard var wire = transfers[id], var store = wire.store else { return }
    let count = min(
      Int64.random(in: 1...400_000, using: &random), min(store.end, wire.body.upperBound) - store.position)
    let written = store.position..<store.position + max(0, count)
    write(written, version: wire.version, to: store.part)
    store.position = written.upperBound
    wire.store = store
    transfers[id] = wire
    event(.received(id, count))
    guard transfers[id] != nil else { return }
    if store.position >= wire.body.upperBound {
      end(id, .complete)
    } else if store.position >= store.end {
      end(id, .filled)
    }
  }

  private mutating func end(_ id: TransferID, _ end: TransferEnd) {
    transfers[id] = nil
    event(.ended(id, end))
  }

  private mutating func start(_ id: TransferID, _ plan: TransferPlan) {
    requestsSent += 1
    guard let server = servers[plan.request.url], !chance(faults.refusal) else {
      return answers.append(
        .head(id, ResponseHead(status: servers[plan.request.url] == nil ? 404 : 503, url: plan.request.url)))
    }
    let same = plan.asked.ifRange == nil || plan.asked.ifRange == server.etag
    let first = plan.asked.range?.lowerBound ?? 0
    guard first < server.total else {
      return answers.append(.head(id, head(416, server, ["content-range": "bytes */\(server.total)"])))
    }
    let isPart = server.ranges && same && plan.asked.range != nil
    let body = isPart ? first..<min(server.total, plan.asked.range?.upperBound ?? .max) : 0..<server.total
    transfers[id] = Wire(url: plan.request.url, version: server.version, body: body, store: nil, isWhole: !isPart)
    var fields = ["content-length": String(body.count)]
    if isPart { fields["content-range"] = "bytes \(body.lowerBound)-\(body.upperBound - 1)/\(server.total)" }
    if !server.tellsLength, !isPart { fields = [:] }
    answers.append(.head(id, head(isPart ? 206 : 200, server, fields)))
  }

  private func head(_ status: Int, _ server: Server, _ fields: [String: String]) -> ResponseHead {
    var head = ResponseHead(status: status, url: "")
    for (name, value) in fields { head.add(line: Array("\(name): \(value)".utf8)) }
    if let etag = server.etag { head.add(line: Array("ETag: \(etag)".utf8)) }
    return head
  }

  // MARK: Effects

  private mutating func perform(_ effects: [Effect]) { for effect in effects { perform(effect) } }

  private mutating func perform(_ effect: Effect) {
    switch effect {
    case .findPart(let id, let wanted): find(id, wanted)
    case .createPart(let id, let wanted): create(id, wanted)
    case .startTransfer(let id, let plan): start(id, plan)
    case .accept(let id, let wanted): accept(id, wanted)
    case .cut(let id, let end): transfers[id]?.store?.end = end
    case .stop(let id): transfers[id] = nil
    case .replacePart(let id, _): replace(id)
    case .save(let id, let sidecar): if let name = open[id] { disk.sidecars[name] = sidecar }
    case .finish(let id, let wanted): finish(id, wanted)
    case .closePart(let id): open[id] = nil
    case .discardPart(let id, let restoringOld): discard(id, restoringOld: restoringOld)
    case .deletePart(_, let name): delete(name)
    case .notify(let notice): notices.append(notice)
    case .saveSession: break
    }
  }

  /// Bytes to be compared are equal when they are of the same version.
  private mutating func accept(_ id: TransferID, _ wanted: Acceptance) {
    guard let name = open[wanted.part], let version = transfers[id]?.version else { return }
    let compared = wanted.claim.lowerBound - wanted.overlap..<wanted.claim.lowerBound
    guard disk.parts[name]?[version, default: ByteRangeSet()].contains(compared) == true else {
      transfers[id] = nil
      return answers.append(.ended(id, .differs))
    }
    transfers[id]?.store = (name, wanted.claim.lowerBound, wanted.claim.upperBound)
  }

  private mutating func replace(_ id: PartID) {
    guard let name = open[id] else { return }
    move(name, to: name + ".old")
    disk.parts[name] = [:]
    answers.append(.replaced(id, .success(name)))
  }

  private mutating func discard(_ id: PartID, restoringOld: Bool) {
    guard let name = open.removeValue(forKey: id) else { return }
    delete(name)
    if restoringOld, disk.parts[name + ".old"] != nil { move(name + ".old", to: name) } else { delete(name + ".old") }
  }

  private mutating func move(_ old: String, to new: String) {
    disk.parts[new] = disk.parts.removeValue(forKey: old)
    disk.sidecars[new] = disk.sidecars.removeValue(forKey: old)
  }

  private mutating func find(_ id: PartID, _ wanted: FindPart) {
    let name = wanted.partName ?? disk.sidecars.first { $0.value.request.url == wanted.url }?.key
    guard let name, let sidecar = disk.sidecars[name], sidecar.fault == nil, !open.values.contains(name) else {
      return answers.append(.found(id, .success(.nothing(warning: nil))))
    }
    open[id] = name
    answers.append(.found(id, .success(.leftover(partName: name, sidecar, done: sidecar.doneRanges))))
  }

  private mutating func create(_ id: PartID, _ wanted: CreatePart) {
    var number = 0
    while disk.parts[FileName.numbered(wanted.name, number) + ".part"] != nil { number += 1 }
    let partName = FileName.numbered(wanted.name, number) + ".part"
    disk.parts[partName] = [:]
    open[id] = partName
    answers.append(.created(id, .success(.open(partName: partName, name: wanted.name))))
  }

  private mutating func finish(_ id: PartID, _ wanted: FinishPart) {
    guard let name = open.removeValue(forKey: id) else { return }
    disk.finished[wanted.name] = disk.parts[name]
    delete(name)
    delete(name + ".old")
    answers.append(.finished(id, .success(FinishedFile(name: wanted.name, verification: .size))))
  }

  private mutating func delete(_ name: String) {
    disk.parts[name] = nil
    disk.sidecars[name] = nil
  }

  private mutating func write(_ range: ByteRange, version: Int, to part: String) {
    for old in disk.parts[part]?.keys.filter({ $0 != version }) ?? [] { disk.parts[part]?[old]?.remove(range) }
    disk.parts[part]?[version, default: ByteRangeSet()].insert(range)
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
