import CLinux
import Glibc

/// Signals as something to poll: they are blocked in the calling thread (and in those that it starts later) and become readable.
struct SignalDescriptor {
  /// Readable while a signal waits; −1 when the system has none to give.
  let descriptor: Int32

  /// Blocks the signals. To be called before any other thread is started, for threads inherit what is blocked.
  init(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = clinux_signal_descriptor(&set)
  }

  /// The next waiting signal, nil when there is none. signalfd(2): 128 bytes a signal, its number first.
  func next() -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { buffer in
      guard let start = buffer.baseAddress, read(descriptor, start, 128) == 128 else { return nil }
      return Int32(bitPattern: buffer.load(as: UInt32.self))
    }
  }

  /// Stops this process, or the whole job, as the terminal's own Ctrl-Z would, until SIGCONT. The kernel refuses where no shell could
  /// make it go on (POSIX.1-2017, 3.264 orphaned process group). Returns whether it did stop.
  func stop(job: Bool) -> Bool {
    var stop = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    if job { kill(0, SIGTSTP) } else { raise(SIGTSTP) }
    pthread_sigmask(SIG_BLOCK, &stop, nil)
    var pending = sigset_t()
    sigpending(&pending)
    return sigismember(&pending, SIGCONT) == 1
  }
}
