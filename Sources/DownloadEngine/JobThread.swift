import DownloadCore
import Synchronization

/// A thread that runs jobs one after the other, each with the state that nobody else touches.
final class JobThread<State>: Sendable {
  typealias Job = @Sendable (inout State) -> Void

  private let queue = Mutex(Queue())
  private let alarm = Semaphore()

  private struct Queue {
    var jobs: [Job] = []
    var isAsleep = false
    var isClosed = false
  }

  /// `state` makes what the jobs work with, on the thread itself.
  init(_ name: String, _ state: @escaping @Sendable () -> State) throws(DownloadError) {
    let isStarted = NativeThread.start(name) { [self] in
      var state = state()
      run(&state)
    }
    guard isStarted else { throw .other("cannot start a thread") }
  }

  /// The job is run when the thread is awake: after `wake`, unless it has something else to do just now.
  func post(_ job: @escaping Job) { queue.withLock { $0.jobs.append(job) } }

  /// Has the thread run what was posted. One call for many jobs costs the system less than one for each.
  func wake() {
    let isToBeWoken = queue.withLock { queue in
      guard queue.isAsleep, !queue.jobs.isEmpty || queue.isClosed else { return false }
      queue.isAsleep = false
      return true
    }
    if isToBeWoken { alarm.signal() }
  }

  /// Runs what is queued, then ends the thread.
  func close() {
    queue.withLock { $0.isClosed = true }
    wake()
  }

  private func run(_ state: inout State) {
    while true {
      let (jobs, isClosed) = queue.withLock { queue in
        defer { queue.jobs = [] }
        queue.isAsleep = queue.jobs.isEmpty && !queue.isClosed
        return (queue.jobs, queue.isClosed)
      }
      for job in jobs { job(&state) }
      guard jobs.isEmpty else { continue }
      if isClosed { return }
      alarm.wait()
    }
  }
}
