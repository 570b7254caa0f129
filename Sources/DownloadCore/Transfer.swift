/// One HTTP request in flight and the stretch of the file that it has claimed.
struct Transfer: Sendable {
  let id: TransferID
  let asked: Asked
  /// From the next byte to be written to the end; `Int64.max` while the length is unknown.
  var claim: ByteRange
  /// Whether the head has been judged and the body is being stored.
  var isAccepted = false
  var lastProgress: Duration
  var meter: SpeedMeter

  init(id: TransferID, asked: Asked, claim: ByteRange, now: Duration) {
    self.id = id
    self.asked = asked
    self.claim = claim
    lastProgress = now
    meter = SpeedMeter(now: now)
  }

  var remaining: Int64 { claim.upperBound - claim.lowerBound }
}
