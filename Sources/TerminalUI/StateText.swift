import DownloadCore

/// A state as people read it: a sign, words and an ink, so that no colour is needed to tell states apart.
struct StateText: Hashable, Sendable {
  let glyph: String
  /// The same said at different lengths, the longest first; the shortest still says what matters.
  let phrases: [String]
  let ink: Ink

  init(_ item: borrowing Snapshot.Item, at moment: Duration, _ glyphs: Glyphs) {
    switch item.state {
    case .queued: self.init(glyphs.queued, ["queued"], .dim)
    case .active: self.init(active: item, glyphs)
    case .retrying(let retry): self.init(glyphs.retrying, Self.phrases(retry, at: moment), .waiting)
    case .verifying: self.init(glyphs.verifying, ["verifying"], .busy)
    case .paused(because: nil): self.init(glyphs.paused, Self.paused(item), .dim)
    case .paused(because: let reason?): self.init(glyphs.paused, Self.paused(reason), .bad)
    case .completed(let verification):
      self.init(glyphs.done, Self.completed(verification, item.validator), Self.ink(verification))
    case .failed(.changed):
      self.init(glyphs.failed, ["changed on the server: r asks", "changed: r asks", "changed"], .waiting)
    case .failed(let error): self.init(glyphs.failed, Self.failed(error), .bad)
    }
  }

  private init(_ glyph: String, _ phrases: [String], _ ink: Ink) {
    self.glyph = glyph
    self.phrases = phrases
    self.ink = ink
  }

  /// In full.
  var words: String { phrases.first ?? "" }

  /// From here on the beginning of what is said in full says more than a shorter phrase.
  private static let enough = 40

  /// The longest phrase that fits into `width` cells, else the shortest.
  func words(width: Int) -> String {
    if width >= Self.enough { return words }
    return phrases.first { TextWidth.of($0) <= width } ?? phrases.last ?? ""
  }

  private init(active item: borrowing Snapshot.Item, _ glyphs: Glyphs) {
    if item.waitsForConnection {
      self.init(glyphs.active, ["waiting for a connection", "waiting its turn", "waiting"], .waiting)
    } else if let seconds = item.stalledFor {
      self.init(glyphs.active, ["stalled \(seconds) s"], .waiting)
    } else if item.resumability == .unknown, item.completed == 0 {
      self.init(glyphs.active, ["connecting"], .busy)
    } else {
      self.init(glyphs.active, Self.active(item.resumability), .busy)
    }
  }

  /// What stopping would cost is said before anyone stops it; that it costs nothing goes without saying.
  private static func active(_ resumability: Resumability) -> [String] {
    switch resumability {
    case .unknown, .resumable, .comparing: ["active"]
    case .startsOver(.noRanges):
      ["active, no ranges: pausing starts over", "no ranges: pausing starts over", "active, no ranges", "no ranges"]
    case .startsOver(.noLength):
      [
        "active, size unknown: pausing starts over", "size unknown: pausing starts over", "active, size unknown",
        "size unknown",
      ]
    case .startsOver(.coded):
      [
        "active, sent compressed: pausing starts over", "compressed: pausing starts over", "active, no resume",
        "no resume",
      ]
    }
  }

  /// `retry 2/8 in 12 s: server overloaded: 503`. When its time has come it may still have to wait for a free place: it is *next*.
  private static func phrases(_ retry: DownloadState.Retry, at moment: Duration) -> [String] {
    if case .networkDown = retry.error { return ["waiting for network", "no network"] }
    let wait = max(0, (retry.at - moment).wholeSeconds)
    let attempt = retry.of.map { "\(retry.attempt)/\($0)" } ?? String(retry.attempt)
    let time = wait == 0 ? "next" : wait < 100 ? "in \(wait) s" : "in " + TimeText.duration(Int(exactly: wait))
    let start = "retry \(attempt) \(time)"
    let brief = VisibleText.of(retry.error.brief)
    return [
      "\(start): \(VisibleText.of(retry.error.message))", "\(start): \(brief)", "retry \(time): \(brief)", start,
      "retry \(time)", wait == 0 ? "retry next" : "retry \(TimeText.duration(Int(exactly: wait)))",
    ]
  }

  private static func paused(_ item: borrowing Snapshot.Item) -> [String] {
    switch item.resumability {
    case .unknown: ["paused"]
    case .resumable, .comparing: ["paused (resumable)", "paused"]
    case .startsOver: item.completed > 0 ? ["paused (starts over)", "starts over"] : ["paused"]
    }
  }

  private static func paused(_ reason: DownloadError) -> [String] {
    if case .diskFull = reason { return ["disk full: paused", "disk full"] }
    return ["paused: " + VisibleText.of(reason.message), "paused: " + VisibleText.of(reason.brief)]
  }

  private static func completed(_ verification: Verification, _ validator: String?) -> [String] {
    switch verification {
    case .checksum(let algorithm), .pieces(let algorithm, _):
      ["done, verified \(algorithm.rawValue)", "done, \(algorithm.rawValue)", "done"]
    case .size: ["done, size only", "done"]
    case .overlap: ["done, unverified (\(weakness(validator)))", "done, unverified", "unverified"]
    case .nothing: ["done, unverified (size unknown)", "done, unverified", "unverified"]
    }
  }

  /// Why nothing proves that the bytes of two sessions are of one file.
  private static func weakness(_ validator: String?) -> String {
    let isStrong = ["strong ETag", "date"].contains { validator?.hasPrefix($0) ?? false }
    return isStrong
      ? "several servers" : ["weak ETag", "weak date"].first { validator?.hasPrefix($0) ?? false } ?? "no ETag"
  }

  private static func ink(_ verification: Verification) -> Ink {
    switch verification {
    case .checksum, .pieces, .size: .good
    case .overlap, .nothing: .waiting
    }
  }

  private static func failed(_ error: DownloadError) -> [String] {
    let brief = VisibleText.of(error.brief)
    return ["failed: " + VisibleText.of(error.message), "failed: " + brief, brief]
  }
}
