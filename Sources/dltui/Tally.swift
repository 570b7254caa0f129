import DownloadCore

/// How the downloads of one `get` ended.
struct Tally {
  private var asked: Int
  private var completed: Set<DownloadID> = []
  private var failed: Set<DownloadID> = []
  private var lastFailure: Int32 = 0

  init(asked: Int) { self.asked = asked }

  mutating func ask(for more: Int) { asked += more }

  mutating func count(_ notice: Notice) {
    switch notice.kind {
    case .completed:
      completed.insert(notice.id)
      failed.remove(notice.id)
    case .failed(let error):
      failed.insert(notice.id)
      completed.remove(notice.id)
      lastFailure = Int32(clamping: error.code)
    case .addedAlready: asked -= 1
    case .added, .started, .retrying, .paused, .verifying, .restarted, .warning: break  // not an end
    }
  }

  var unfinished: Int { max(0, asked - completed.count - failed.count) }
  var allEnded: Bool { unfinished == 0 }

  /// 0 only when every file is complete.
  var exitStatus: Int32 {
    if completed.count >= asked { return 0 }
    return allEnded ? max(1, lastFailure) : Stopping.exitStatus
  }
}
