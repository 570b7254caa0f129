import DownloadCore

/// A listener to what the engine does, in lines for people who look for a fault. No line holds a password, a cookie, or the value of a header
/// that was asked for; what others wrote stands there as they wrote it.
package struct Log: Sendable {
  /// The least important lines that are wanted.
  package let level: Level
  /// Called on any of the engine's threads; must not wait.
  private let write: @Sendable (Level, String) -> Void

  package enum Level: String, CaseIterable, Sendable {
    case error, warn, info, debug
  }

  package init(_ level: Level, _ write: @escaping @Sendable (Level, String) -> Void) {
    (self.level, self.write) = (level, write)
  }

  package func say(_ level: Level, _ text: @autoclosure () -> String) {
    if wants(level) { write(level, text()) }
  }

  private func wants(_ level: Level) -> Bool {
    let order = Level.allCases
    return (order.firstIndex(of: level) ?? 0) <= (order.firstIndex(of: self.level) ?? 0)
  }

  // MARK: What is done

  func note(_ effect: Effect) {
    if case .notify(let notice) = effect { return note(notice) }
    guard wants(.debug), let text = Self.words(effect) else { return }
    write(.debug, text)
  }

  /// Nil for what its answer or a notice tells.
  private static func words(_ effect: Effect) -> String? {
    switch effect {
    case .startTransfer(let id, let plan): "\(plan.download) transfer \(id.number) asks for \(words(plan))"
    case .accept(let id, let wanted): "transfer \(id.number) stores \(words(wanted.claim)), compares \(wanted.overlap)"
    case .cut(let id, let end): "transfer \(id.number) ends before \(end)"
    case .stop(let id): "transfer \(id.number) is stopped"
    case .findPart(let id, let wanted): "part \(id.number) is looked for in \(wanted.folder)"
    case .createPart(let id, let wanted): "part \(id.number) is made for \(wanted.folder)/\(wanted.name)"
    case .replacePart(let id, _): "part \(id.number) is set aside for a new one"
    case .save(let id, let sidecar): "part \(id.number) has \(sidecar.doneRanges.count) bytes"
    case .finish(let id, let wanted): "part \(id.number) becomes \(wanted.folder)/\(wanted.name)"
    case .closePart(let id): "part \(id.number) is closed"
    case .discardPart(let id, _): "part \(id.number) is removed"
    case .deletePart(let folder, let partName): "\(folder)/\(partName) is removed"
    case .deleteFile(let folder, let name, _): "\(folder)/\(name) is removed"
    case .limit(let id, let rate): "\(id) may take \(rate.map { "\($0) bytes a second" } ?? "what it can")"
    case .notify, .saveSession: nil
    }
  }

  private static func words(_ plan: TransferPlan) -> String {
    let overlap = plan.asked.overlap > 0 ? ", \(plan.asked.overlap) of it to compare" : ""
    return plan.request.url + (plan.asked.range.map { ", bytes \(words($0))\(overlap)" } ?? "")
  }

  private static func words(_ range: ByteRange) -> String {
    "\(range.lowerBound)–" + (range.upperBound == .max ? "" : "\(range.upperBound - 1)")
  }

  // MARK: What happened

  func note(_ event: Event) {
    guard wants(.debug), let text = Self.words(event) else { return }
    write(.debug, text)
  }

  private static func words(_ event: Event) -> String? {
    switch event {
    case .head(let id, let head): "transfer \(id.number) is answered \(words(head))"
    case .ended(let id, let end): "transfer \(id.number) \(words(end))"
    case .found(let id, .failure(let error)), .created(let id, .failure(let error)),
      .replaced(let id, .failure(let error)), .finished(let id, .failure(let error)), .saved(let id, let error?):
      "part \(id.number): \(error.message)"
    case .found(let id, .success(let found)): "part \(id.number): \(words(found))"
    case .stoodStill: "the process stood still for a while"
    case .created, .replaced, .finished, .saved, .received, .timePassed: nil  // as it should be, or too often
    }
  }

  /// Of the fields only those that decide something; what a server sets as a cookie is a secret.
  private static func words(_ head: ResponseHead) -> String {
    let names = [
      "content-range", "content-length", "transfer-encoding", "content-encoding", "etag", "last-modified",
      "retry-after",
    ]
    let fields = names.flatMap { name in head.values(name).map { ", \(name): \($0)" } }
    let location =
      switch head.location {
      case .address(let url): ", to \(url)"
      case .unusable, nil: ""
      }
    return "\(head.status)\(location)\(fields.joined())"
  }

  private static func words(_ end: TransferEnd) -> String {
    switch end {
    case .complete: "has come to its end"
    case .filled: "has all that was wanted"
    case .differs: "has other bytes than the disk"
    case .failed(let error, _): "failed: \(error.message)"
    }
  }

  private static func words(_ found: FoundPart) -> String {
    switch found {
    case .nothing: "there is none"
    case .leftover(let partName, _, let done): "\(partName) has \(done.count) bytes"
    }
  }

  // MARK: Turning points

  func note(_ notice: Notice) {
    let (level, text) = Self.words(notice.kind)
    say(level, notice.id.number > 0 ? "\(notice.id) \(text)" : text)
  }

  private static func words(_ kind: Notice.Kind) -> (Level, String) {
    switch kind {
    case .added(let url): (.info, "added: \(url)")
    case .started(let path, let total, let completed, _):
      (.info, "started: \(path), \(completed) of \(total.map(String.init) ?? "?") bytes are there")
    case .retrying(let retry, let wait):
      (.warn, "attempt \(retry.attempt) in \(wait.seconds) s: \(retry.error.message)")
    case .paused: (.info, "paused")
    case .verifying: (.info, "verifying")
    case .restarted(let why): (.warn, "starts over: \(why)")
    case .addedAlready: (.warn, Notice.Kind.inTheList)
    case .warning(let text): (.warn, text)
    case .completed(let path, let total, let seconds, let verification):
      (.info, "complete: \(path), \(total) bytes in \(seconds) s, verified: \(verification.word)")
    case .failed(let error): (.error, "failed: \(error.message)")
    }
  }
}
