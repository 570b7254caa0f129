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
}
