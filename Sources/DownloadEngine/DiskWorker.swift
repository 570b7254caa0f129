import DownloadCore
import Glibc
import Synchronization

/// The thread for everything on the disk that can take long: looking, creating, syncing, verifying, renaming. Jobs run one after the other,
/// so whatever was asked first about a file is also done first.
final class DiskWorker: Sendable {
  private let queue = Mutex(Queue())
  private let wake: Semaphore
  private let cancelled = Atomic(false)

  private struct Queue {
    var jobs: [@Sendable (inout Desk) -> Void] = []
    var isClosed = false
  }

  /// What only the worker's thread touches. Whether a part is open is decided here, where requests are taken in order: a part that is
  /// asked for and given up again in one breath is still closed before anyone looks for it the next time.
  struct Desk {
    var finder = PartFinder()
    var names = FolderNames()
    var parts: [PartID: PartFile] = [:]
    var finisher = Finisher()
  }

  init() throws(DownloadError) {
    wake = Semaphore()
    guard NativeThread.start("dltui-disk", { [self] in run() }) else { throw .other("cannot start a thread") }
  }

  func post(_ job: @escaping @Sendable (inout Desk) -> Void) {
    queue.withLock { $0.jobs.append(job) }
    wake.signal()
  }

  /// Lets long verifications end early: the program wants to stop, and the next start verifies again.
  func cancelVerifications() { cancelled.store(true, ordering: .relaxed) }
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Runs what is queued, then ends the thread.
  func close() {
    queue.withLock { $0.isClosed = true }
    wake.signal()
  }

  private func run() {
    var desk = Desk()
    while true {
      wake.wait()
      let (jobs, isClosed) = queue.withLock { queue in
        defer { queue.jobs = [] }
        return (queue.jobs, queue.isClosed)
      }
      for job in jobs { job(&desk) }
      desk.finisher.run(desk.parts) { isCancelled }
      if jobs.isEmpty, isClosed { return }
      if isClosed { wake.signal() }
    }
  }
}

/// A POSIX semaphore.
private final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
