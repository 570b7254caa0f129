import DownloadCore

/// A state as people read it: a sign, words and an ink, so that no colour is needed to tell states apart.
struct StateText: Hashable, Sendable {
  var glyph: String
  var words: String
  var ink: Ink

  init(_ item: borrowing Snapshot.Item, at moment: Duration, _ glyphs: Glyphs) {
    switch item.state {
    case .queued: self.init(glyphs.queued, "queued", .dim)
    case .active: self.init(active: item, glyphs)
    case .retrying(let retry): self.init(glyphs.retrying, Self.words(retry, at: moment), .waiting)
    case .verifying: self.init(glyphs.verifying, "verifying", .busy)
    case .paused(because: nil): self.init(glyphs.paused, Self.paused(item), .dim)
    case .paused(because: let reason?): self.init(glyphs.paused, Self.words(reason), .bad)
    case .completed(let verification): self.init(glyphs.done, Self.words(verification), .good)
    case .failed(.changed): self.init(glyphs.failed, "changed: r asks", .waiting)
    case .failed(let error): self.init(glyphs.failed, "failed: " + VisibleText.of(error.message), .bad)
    }
  }

  private init(_ glyph: String, _ words: String, _ ink: Ink) {
    self.glyph = glyph
    self.words = words
    self.ink = ink
  }

  private init(active item: borrowing Snapshot.Item, _ glyphs: Glyphs) {
    if let seconds = item.stalledFor {
      self.init(glyphs.active, "stalled \(seconds) s", .waiting)
    } else if item.resumability == .unknown, item.completed == 0 {
      self.init(glyphs.active, "connecting", .busy)
    } else {
      self.init(glyphs.active, item.total == nil ? "active (no size)" : "active", .busy)
    }
  }

  /// `retry 2/8 in 12s: server overloaded: 503`.
  private static func words(_ retry: DownloadState.Retry, at moment: Duration) -> String {
    if case .networkDown = retry.error { return "waiting for network" }
    let wait = max(0, (retry.at - moment).wholeSeconds)
    let attempt = retry.of.map { "\(retry.attempt)/\($0)" } ?? String(retry.attempt)
    let time = wait < 100 ? "in \(wait)s" : "in " + TimeText.duration(Int(exactly: wait))
    return "retry \(attempt) \(wait == 0 ? "now" : time): " + VisibleText.of(retry.error.message)
  }

  private static func paused(_ item: borrowing Snapshot.Item) -> String {
    switch item.resumability {
    case .unknown: "paused"
    case .resumable, .comparing: "paused (resumable)"
    case .startsOver: item.completed > 0 ? "paused (starts over)" : "paused"
    }
  }

  private static func words(_ verification: Verification) -> String {
    switch verification {
    case .checksum(let algorithm): "done, " + algorithm.rawValue
    case .size: "done"
    case .overlap: "done (unverified)"
    case .nothing: "done (unchecked)"
    }
  }

  private static func words(_ reason: DownloadError) -> String {
    if case .diskFull = reason { "disk full: paused" } else { "paused: " + VisibleText.of(reason.message) }
  }
}
