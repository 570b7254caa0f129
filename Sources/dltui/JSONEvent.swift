import DownloadCore
import FoundationEssentials

/// A line of `get --json`: a notice or a progress report. Null is said, not left out.
struct JSONEvent: Encodable {
  let id: DownloadID
  let kind: Kind
  let time: Date

  enum Kind {
    case notice(Notice.Kind)
    case progress(Snapshot.Item)
  }

  init(_ notice: Notice, time: Date) { (id, kind, self.time) = (notice.id, .notice(notice.kind), time) }
  init(_ item: Snapshot.Item, time: Date) { (id, kind, self.time) = (item.id, .progress(item), time) }

  private enum Key: String, CodingKey {
    case event, id, time, url, path, total, completed, resumable, speed, eta, connections, attempt, of, error
    case wait = "in"
    case seconds, verified, message
  }

  private typealias Fields = KeyedEncodingContainer<Key>

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(id, forKey: .id)
    try fields.encode(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time), forKey: .time)
    switch kind {
    case .notice(let notice): try encode(notice, in: &fields)
    case .progress(let item): try encode(item, in: &fields)
    }
  }

  private func encode(_ notice: Notice.Kind, in fields: inout Fields) throws {
    try fields.encode(notice.word, forKey: .event)
    switch notice {
    case .added(let url): try fields.encode(url, forKey: .url)
    case .started(let path, let total, let completed, let resumability):
      try encodeStart(path, total, completed, resumability, in: &fields)
    case .retrying(let retry, let wait): try encode(retry, wait, in: &fields)
    case .paused, .verifying: break  // the word says it all
    case .restarted(let reason): try fields.encode(reason, forKey: .message)
    case .addedAlready: try fields.encode(Notice.Kind.inTheList, forKey: .message)
    case .warning(let text): try fields.encode(text, forKey: .message)
    case .completed(let path, let total, let seconds, let verification):
      try encodeEnd(path, total, seconds, verification, in: &fields)
    case .failed(let error): try fields.encode(ErrorFacts(error), forKey: .error)
    }
  }

  private func encodeStart(
    _ path: String, _ total: Int64?, _ completed: Int64, _ resumability: Resumability, in fields: inout Fields
  ) throws {
    try fields.encode(path, forKey: .path)
    try fields.encode(total, forKey: .total)
    try fields.encode(completed, forKey: .completed)
    try fields.encode(resumability.isResumable, forKey: .resumable)
  }

  private func encode(_ retry: DownloadState.Retry, _ wait: Duration, in fields: inout Fields) throws {
    try fields.encode(retry.attempt, forKey: .attempt)
    try fields.encode(retry.of, forKey: .of)
    try fields.encode(rounded(wait / .seconds(1)), forKey: .wait)
    try fields.encode(ErrorFacts(retry.error), forKey: .error)
  }

  private func encodeEnd(
    _ path: String, _ total: Int64, _ seconds: Double, _ verification: Verification, in fields: inout Fields
  ) throws {
    try fields.encode(path, forKey: .path)
    try fields.encode(total, forKey: .total)
    try fields.encode(rounded(seconds), forKey: .seconds)
    try fields.encode(verification.word, forKey: .verified)
  }

  private func encode(_ item: Snapshot.Item, in fields: inout Fields) throws {
    try fields.encode("progress", forKey: .event)
    try fields.encode(item.completed, forKey: .completed)
    try fields.encode(item.total, forKey: .total)
    try fields.encode(item.speed, forKey: .speed)
    try fields.encode(item.eta, forKey: .eta)
    try fields.encode(item.transfers.count, forKey: .connections)
  }

  /// Milliseconds are enough; JSON knows no infinity.
  private func rounded(_ seconds: Double) -> Double { seconds.isFinite ? (seconds * 1000).rounded() / 1000 : 0 }
}

extension Notice.Kind {
  /// The `event` of the JSON line.
  var word: String {
    switch self {
    case .added: "added"
    case .started: "started"
    case .retrying: "retrying"
    case .paused: "paused"
    case .verifying: "verifying"
    case .restarted: "restarted"
    case .warning, .addedAlready: "warning"
    case .completed: "completed"
    case .failed: "failed"
    }
  }
}
