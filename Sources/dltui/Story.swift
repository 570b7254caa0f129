import DownloadCore
import TerminalUI

/// What has been heard of each download, and the lines that tell it.
struct Story {
  private var known: [DownloadID: Facts] = [:]

  /// What later lines need of earlier notices.
  private struct Facts {
    var url = ""
    var name: String?
    /// Bytes that were there at the start, and so are no merit of this run.
    var old: Int64 = 0
  }

  /// Nil when the notice, which has been learnt, is not worth a line.
  func line(for notice: Notice, _ look: Look) -> String? {
    let facts = known[notice.id, default: Facts()]
    let name = VisibleText.of(facts.name ?? facts.url)
    switch notice.kind {
    case .added, .paused, .verifying: return nil
    case .started(_, let total, let completed, _): return "start   \(name)  \(Self.extent(total, completed))"
    case .retrying(let retry, let wait): return "retry   \(name)  \(Self.words(retry, wait))"
    case .restarted(let reason): return "restart \(name)  \(VisibleText.of(reason))"
    case .addedAlready: return "warning \(name)  \(Notice.Kind.inTheList)"
    case .warning(let text): return "warning \(name)  \(VisibleText.of(text))"
    case .completed(_, let total, let seconds, let verification):
      let size = "\(name)  \(ByteCount.text(total)) in \(Self.span(seconds))"
      return look.good("done") + "    \(size)\(Self.pace(total - facts.old, seconds)), \(Self.words(verification))"
    case .failed(let error): return look.bad("failed") + "  \(VisibleText.of(facts.url)): \(Self.words(error))"
    }
  }

  mutating func learn(_ notice: Notice) {
    switch notice.kind {
    case .added(let url): known[notice.id, default: Facts()].url = url
    case .started(let path, _, let completed, _):
      // After a retry it starts again; what came before that is this run's merit all the same.
      if known[notice.id]?.name == nil { known[notice.id, default: Facts()].old = completed }
      known[notice.id, default: Facts()].name = Self.name(path)
    case .completed(let path, _, _, _): known[notice.id, default: Facts()].name = Self.name(path)
    case .restarted: known[notice.id, default: Facts()].old = 0
    case .addedAlready, .retrying, .paused, .verifying, .warning, .failed: break  // these name nothing new
    }
  }

  private static func name(_ path: String) -> String {
    let utf8 = path.utf8
    return utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[utf8.index(after: $0)...]) } ?? path
  }

  private static func extent(_ total: Int64?, _ completed: Int64) -> String {
    let size = total.map(ByteCount.text) ?? "unknown size"
    return completed > 0 ? "\(size), going on at \(ByteCount.text(completed))" : size
  }

  private static func words(_ retry: DownloadState.Retry, _ wait: Duration) -> String {
    let count = retry.of.map { "\(retry.attempt)/\($0)" } ?? "\(retry.attempt)"
    return "\(count) in \(span(wait / .seconds(1))): \(VisibleText.of(retry.error.message))"
  }

  private static func words(_ error: DownloadError) -> String {
    VisibleText.of(error.message) + (error.hint.map { "\nhint:   \(VisibleText.of($0))" } ?? "")
  }

  private static func words(_ verification: Verification) -> String {
    switch verification {
    case .checksum(let algorithm): "\(algorithm.rawValue) verified"
    case .pieces(let algorithm, let count): "\(algorithm.rawValue) of \(count) pieces verified"
    case .size: "size verified"
    case .overlap: "size verified, content only compared in part (no strong validator, or several servers)"
    case .nothing: "size was not announced"
    }
  }

  /// `12 ms`, `1.4 s`, `41 s`, `12:05`.
  static func span(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "--" }
    if seconds < 0.9995 { return "\(Int((max(0, seconds) * 1000).rounded())) ms" }
    if seconds >= 120 { return TimeText.duration(Int(seconds.rounded())) }
    return seconds < 9.95 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds.rounded())) s"
  }

  private static func pace(_ bytes: Int64, _ seconds: Double) -> String {
    let speed = Double(max(0, bytes)) / seconds
    return seconds > 0 && speed < 0x1p62 ? " (\(ByteCount.rate(Int64(speed))))" : ""
  }
}
