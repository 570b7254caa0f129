import DownloadCore
import Synchronization

/// A thread that runs jobs one after the other, each with the state that nobody else touches.
final class JobThread<State>: Sendable {
  typealias Job = @Sendable (inout State) -> Void

  private let queue = Mutex(Queue())
  private let wake = Semaphore()

  private struct Queue {
    var jobs: [Job] = []
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

  func post(_ job: @escaping Job) { change { $0.jobs.append(job) } }

  /// Runs what is queued, then ends the thread.
  func close() { change { $0.isClosed = true } }

  private func change(_ change: (inout Queue) -> Void) {
    let wasIdle = queue.withLock { queue in
      defer { change(&queue) }
      return queue.jobs.isEmpty
    }
    if wasIdle { wake.signal() }
  }

  private func run(_ state: inout State) {
    while true {
      wake.wait()
      let (jobs, isClosed) = queue.withLock { queue in
        defer { queue.jobs = [] }
        return (queue.jobs, queue.isClosed)
      }
      for job in jobs { job(&state) }
      if isClosed, queue.withLock({ $0.jobs.isEmpty }) { return }
    }
  }
}
