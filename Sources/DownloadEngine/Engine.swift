import CLinux
import DownloadCore
import Glibc
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
  package var descriptor: Int32 { port.descriptor }

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

  struct Inbox: Sendable {
    var messages: [Message] = []
    var loop: MultiHandle?
  }

  struct Outbox: Sendable {
    var snapshot = Snapshot()
    /// Whether somebody has looked at the latest one and so may want the next.
    var isSnapshotAwaited = false
    var notices: [Notice] = []
    var hasStopped = false
  }

  /// A multi handle that other threads may only wake (curl_multi_wakeup(3) is the one call that is allowed to them).
  struct MultiHandle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  let inbox = Mutex(Inbox())
  let outbox = Mutex(Outbox())
  let descriptor: Int32
  let log: Log?

  init(log: Log?) throws(DownloadError) {
    self.log = log
    descriptor = clinux_event_descriptor()
    guard descriptor >= 0 else { throw .other("cannot make an event descriptor: \(SystemFault.last.text)") }
  }

  deinit { close(descriptor) }

  func post(_ message: Message) {
    inbox.withLock { inbox in
      inbox.messages.append(message)
      // One call is enough for all that has come until the loop takes them.
      if inbox.messages.count == 1, let loop = inbox.loop { CurlMulti.wake(loop.pointer) }
    }
  }

  func takeMessages() -> [Message] {
    inbox.withLock { inbox in
      defer { inbox.messages = [] }
      return inbox.messages
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
    var one: UInt64 = 1
    write(descriptor, &one, 8)
  }
}
