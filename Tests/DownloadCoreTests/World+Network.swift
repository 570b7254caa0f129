@testable import DownloadCore

extension World {
  /// A file on a server: its version is what tells the bytes apart.
  struct Server {
    var version = 1
    var total: Int64
    var ranges = Ranges.sent
    var proof = Proof.strong
    var tellsLength = true
    /// Whether the label of a part says how long the whole is.
    var tellsTotal = true
    /// Leads on to another address, which is good for a while.
    var redirects = false
    /// How long a part is at most.
    var mostAtATime = Int64.max
    /// Every answer breaks off after so many bytes.
    var breaksAfter: Int64?
    /// Requests beyond so many at once get a 503, which asks for this much patience.
    var mostAtOnce: Int?
    var retryAfter: Duration?
    /// Where it sends other bytes than those of its version.
    var lies = ByteRangeSet()
    /// How many bytes flow at once, at most.
    var pace: Int64 = 400_000
    /// How long each version was.
    var totals: [Int: Int64] = [:]

    init(
      total: Int64, ranges: Ranges = .sent, proof: Proof = .strong, tellsLength: Bool = true, breaksAfter: Int64? = nil
    ) {
      (self.total, self.ranges, self.proof) = (total, ranges, proof)
      (self.tellsLength, self.breaksAfter) = (tellsLength, breaksAfter)
      totals = [version: total]
    }

    enum Ranges: CaseIterable { case sent, ignored, refused }

    /// What ties answers together.
    enum Proof: CaseIterable {
      case strong, weak, none
      /// The same weak tag for whatever version.
      case sameWeak
      /// Another strong tag from each of two nodes, for the same bytes.
      case nodes
    }

    func etag(request: Int) -> String? {
      switch proof {
      case .strong: "\"v\(version)\""
      case .weak: "W/\"v\(version)\""
      case .sameWeak: "W/\"v\""
      case .nodes: "\"v\(version)-node\(request % 2)\""
      case .none: nil
      }
    }
  }

  /// A request in flight.
  struct Wire {
    var url: String
    var version: Int
    var lies = ByteRangeSet()
    var body: ByteRange
    /// Where the connection breaks.
    var breaksAt: Int64?
    /// Where the next byte goes and up to where; nil until accepted.
    var store: (part: String, position: Int64, end: Int64)?

    /// Which version each of the bytes is of; lies are of none that there is.
    func bytes(of range: ByteRange) -> [(ByteRange, version: Int)] {
      let whole = ByteRangeSet(range)
      let honest = whole.subtracting(lies.ranges)
      return honest.ranges.map { ($0, version) } + whole.subtracting(honest.ranges).ranges.map { ($0, -version) }
    }
  }

  /// Another version, of the same length or not.
  mutating func change(_ url: String) {
    guard var server = servers[url] else { return }
    server.version += 1
    if chance(0.3) { server.total = max(0, server.total + Int64.random(in: -500_000...500_000, using: &random)) }
    server.totals[server.version] = server.total
    servers[url] = server
  }

  mutating func flow(_ id: TransferID) {
    guard var wire = transfers[id], var store = wire.store else { return }
    let limit = min(min(store.end, wire.body.upperBound), wire.breaksAt ?? .max)
    let pace = servers[String(wire.url.prefix { $0 != "?" })]?.pace ?? 400_000
    let count = max(0, min(Int64.random(in: 1...pace, using: &random), limit - store.position))
    if chance(faults.diskFull) { return end(id, .failed(.diskFull(path: "/d"), retryAfter: nil)) }
    for (range, version) in wire.bytes(of: store.position..<store.position + count) {
      write(range, version: version, to: store.part)
    }
    store.position += count
    wire.store = store
    transfers[id] = wire
    event(.received(id, count))
    guard transfers[id] != nil else { return }
    if store.position >= wire.body.upperBound {
      end(id, .complete)
    } else if store.position >= store.end {
      end(id, .filled)
    } else if store.position >= limit {
      end(id, .failed(.connectionLost(why: "the server broke off"), retryAfter: nil))
    }
  }

  mutating func end(_ id: TransferID, _ end: TransferEnd) {
    transfers[id] = nil
    event(.ended(id, end))
  }

  mutating func start(_ id: TransferID, _ plan: TransferPlan) {
    requestTimes.append(now)
    requests.append((String(plan.request.url.prefix { $0 != "?" }), plan.asked))
    if isOffline { return answers.append(.ended(id, .failed(.networkDown, retryAfter: nil))) }
    if let target = redirects[plan.request.url] { return answer(id, plan, 302, location: target) }
    let name = String(plan.request.url.prefix { $0 != "?" })
    guard let server = servers[name] else { return answer(id, plan, 404) }
    if chance(faults.refusal) { return answer(id, plan, 503) }
    if server.redirects {
      if name == plan.request.url { return answer(id, plan, 302, location: name + "?ticket=\(requestTimes.count)") }
      if chance(faults.expiry) { return answer(id, plan, 403) }
    }
    if let most = server.mostAtOnce, transfers.values.count(where: { $0.url == plan.request.url }) >= most {
      return answer(id, plan, 503, retryAfter: server.retryAfter)
    }
    if server.ranges == .refused, plan.asked.range != nil { return answer(id, plan, 501) }
    let isPart = server.ranges == .sent && plan.asked.range != nil && conditionHolds(plan.asked, server)
    let first = plan.asked.range?.lowerBound ?? 0
    guard !isPart || first < server.total else {
      return answer(id, plan, 416, ["content-range": "bytes */\(server.total)"])
    }
    var body = isPart ? first..<min(server.total, plan.asked.range?.upperBound ?? .max) : 0..<server.total
    if isPart { body = first..<min(body.upperBound, first + min(server.total, server.mostAtATime)) }
    if isPart, chance(faults.shortPart) { body = first..<Int64.random(in: first + 1...body.upperBound, using: &random) }
    // What is compared or skipped comes first and does not count.
    transfers[id] = Wire(
      url: plan.request.url, version: server.version, lies: server.lies, body: body, breaksAt: server.breaksAfter)
    var fields = ["content-length": String(body.count)]
    if isPart {
      fields["content-range"] =
        "bytes \(body.lowerBound)-\(body.upperBound - 1)/\(server.tellsTotal ? "\(server.total)" : "*")"
    }
    if !server.tellsLength, !isPart { fields = [:] }
    fields["etag"] = server.etag(request: requestTimes.count)
    answer(id, plan, isPart ? 206 : 200, fields)
  }

  private func conditionHolds(_ asked: Asked, _ server: Server) -> Bool {
    asked.ifRange == nil || asked.ifRange == server.etag(request: requestTimes.count)
  }

  private mutating func answer(
    _ id: TransferID, _ plan: TransferPlan, _ status: Int, _ fields: [String: String] = [:], location: String? = nil,
    retryAfter: Duration? = nil
  ) {
    var head = ResponseHead(status: status, url: plan.request.url)
    head.location = location.map { .address($0) }
    head.retryAfter = retryAfter
    for (name, value) in fields { head.add(line: Array("\(name): \(value)".utf8)) }
    answers.append(.head(id, head))
  }

  /// Bytes to be compared are equal when they are of the same version.
  mutating func accept(_ id: TransferID, _ wanted: Acceptance) {
    guard let name = open[wanted.part], let wire = transfers[id] else { return }
    let compared = wanted.claim.lowerBound - wanted.overlap..<wanted.claim.lowerBound
    let isSame = wire.bytes(of: compared).allSatisfy { range, version in
      disk.parts[name]?[version, default: ByteRangeSet()].contains(range) == true
    }
    guard isSame else {
      transfers[id] = nil
      return answers.append(.ended(id, .differs))
    }
    transfers[id]?.store = (name, wanted.claim.lowerBound, wanted.claim.upperBound)
    transfers[id]?.breaksAt = wire.breaksAt.map { wanted.claim.lowerBound + $0 }
  }
}
