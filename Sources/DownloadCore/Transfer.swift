/// One HTTP request in flight and the stretch of the file that it has claimed.
struct Transfer: Sendable {
  let id: TransferID
  /// Which source it asks, by its place among them.
  let source: Int
  /// Where this request goes, and how many redirects led there.
  let address: Address
  let hops: Int
  /// Whether it asks at the original address because the one that was used has expired.
  let isLookup: Bool
  let asked: Asked
  let startedAt: Duration
  /// Who has answered: IP address and port.
  var peer: String?
  /// From the next byte to be written to the end; `Int64.max` while the length is unknown.
  var claim: ByteRange
  /// Whether the head has been judged and the body is being stored.
  var isAccepted = false
  /// So many bytes before the claim are compared with the disk.
  var overlap: Int64 = 0
  /// When it last brought something worth the name: single bytes now and then are a stall too.
  private(set) var lastProgress: Duration
  /// Whether others have been asked since to do better (`Download.takeOver`).
  var isSilent = false
  private var bytesSinceProgress: Int64 = 0
  private static let leastProgress: Int64 = 1 << 10
  var meter: SpeedMeter

  init(
    id: TransferID, source: Int, address: Address, hops: Int = 0, isLookup: Bool = false, asked: Asked,
    claim: ByteRange, now: Duration
  ) {
    (self.id, self.source, self.address, self.hops, self.isLookup) = (id, source, address, hops, isLookup)
    startedAt = now
    self.asked = asked
    self.claim = claim
    lastProgress = now
    meter = SpeedMeter(now: now)
  }

  /// Bytes have come; none at all means that only the rate limit holds it back.
  mutating func progress(_ count: Int64, now: Duration) {
    bytesSinceProgress += count
    if count == 0 || bytesSinceProgress >= Self.leastProgress || claim.isEmpty { isAlive(now: now) }
  }

  /// Whatever silence there was does not count.
  mutating func isAlive(now: Duration) {
    lastProgress = now
    isSilent = false
    bytesSinceProgress = 0
  }

  /// Whether it only compares: none of its bytes are wanted.
  var isProbe: Bool { asked.isProbe }

  var url: String { address.url }
  var host: String { address.host }

  /// At its present speed; without end while nothing comes.
  func secondsLeft(_ now: Duration) -> Double {
    let rate = meter.rate(now: now)
    return rate > 0 ? Double(remaining) / Double(rate) : .infinity
  }

  var remaining: Int64 { claim.upperBound - claim.lowerBound }
}
