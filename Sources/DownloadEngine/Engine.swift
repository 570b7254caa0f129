import CLinux
import DownloadCore
import Synchronization

/// Owns curl, the files and the session, each on its own thread. Any thread may post commands and look at the latest snapshot.
package final class Engine: Sendable {
  package struct Configuration: Sendable {
    package var settings = Settings()
    /// Absolute path of the folder for the session file; nil neither restores nor saves the list.
    package var stateFolder: String?
    /// Told what happens; nil tells nobody.
    package var log: Log?
    /// A program with its arguments that is run for every file that is complete; none when empty.
    package var onComplete: [String] = []
    /// When bytes come so fast that they are written past the page cache.
    package var pace = Pace()
    package init() {}
  }

  private let port: EnginePort
  private let hook: CompletionHook?

  /// Restores the session, if there is a state folder, and starts the threads.
  /// - Throws: when the state folder cannot be used or another process has it open, and when the system has no more threads.
  package init(_ configuration: Configuration) throws(DownloadError) {
    clinux_keep_buffers()
    let port = try EnginePort(log: configuration.log)
    self.port = port
    let store: SessionStore? =
      if let folder = configuration.stateFolder { try SessionStore(folder: folder) } else { nil }
    let worker = try DiskWorker()
    let hook = configuration.onComplete.isEmpty ? nil : CompletionHook(configuration.onComplete, port)
    self.hook = hook
    let isStarted = NativeThread.start("dltui-transfer") {
      EventLoop.run(configuration, store, worker, hook, port)
    }
    guard isStarted else { throw .other("cannot start a thread") }
  }

  /// Readable (eventfd) whenever there is a newer snapshot, a notice, or the engine has stopped. Reading 8 bytes resets it.
  package var descriptor: Int32 { port.news.descriptor }

  package func post(_ command: Command) { port.post(.command(command)) }

  /// The latest state of everything; at most ten new ones a second, and none while nothing changes or nobody has asked since the last one.
  package var snapshot: Snapshot {
    let (snapshot, wasAwaited) = port.outbox.withLock { outbox in
      defer { outbox.isSnapshotAwaited = true }
      return (outbox.snapshot, outbox.isSnapshotAwaited)
    }
    if !wasAwaited { port.post(.snapshotAwaited) }
    return snapshot
  }

  /// All notices since the last call, oldest first.
  package func takeNotices() -> [Notice] {
    port.outbox.withLock { outbox in
      defer { outbox.notices = [] }
      return outbox.notices
    }
  }

  /// Whether the program for complete files is at work. The descriptor tells of its end.
  package var isRunningHook: Bool { hook?.isBusy ?? false }

  /// True once everything is saved after `.quit`; nothing changes any more.
  package var hasStopped: Bool { port.outbox.withLock { $0.hasStopped } }
}

/// Where the threads meet: messages for the loop on one side, what it publishes on the other.
final class EnginePort: Sendable {
  /// What other threads tell the loop.
  enum Message: Sendable {
    case command(Command)
    case event(Event)
    /// The disk worker's own: a part is open now, and the event says under which circumstances.
    case opened(PartID, PartFile, Event)
    case freeSpace(Int64?)
    /// What was found beside a file that is to be finished.
    case sums(PartID, FinishPart, Result<ChecksumFinder.Finding?, DownloadError>)
    /// Somebody looks at snapshots.
    case snapshotAwaited
    /// The session file is written, which took so long.
    case sessionSaved(Duration)
    /// The disk worker has nothing left to do.
    case workerIsDone
  }

  struct Outbox: Sendable {
    var snapshot = Snapshot()
    /// Whether somebody has looked at the latest one and so may want the next.
    var isSnapshotAwaited = false
    var notices: [Notice] = []
    var hasStopped = false
  }

  private let inbox = Mutex<[Message]>([])
  let outbox = Mutex(Outbox())
  /// Wakes the loop.
  let bell: Bell
  /// Tells those who look that there is something new.
  let news: Bell
  let log: Log?

  init(log: Log?) throws(DownloadError) {
    self.log = log
    (bell, news) = (try Bell(), try Bell())
  }

  func post(_ message: Message) {
    let isFirst = inbox.withLock { messages in
      messages.append(message)
      return messages.count == 1
    }
    // Once is enough for all that comes until the loop takes them.
    if isFirst { bell.ring() }
  }

  func takeMessages() -> [Message] {
    inbox.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }

  /// For what concerns no download in particular.
  func warn(_ text: String) {
    let notice = Notice(DownloadID(0), .warning(text))
    log?.note(notice)
    publish { $0.notices.append(notice) }
  }

  func publish(_ change: (inout Outbox) -> Void) {
    outbox.withLock { change(&$0) }
    news.ring()
  }
}
