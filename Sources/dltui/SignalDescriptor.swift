import CLinux
import Glibc

/// Signals as something to poll(2) for: they are blocked for the whole program and wait on a descriptor.
struct SignalDescriptor {
  let descriptor: Int32

  init(_ signals: [Int32]) {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in signals { sigaddset(&mask, signal) }
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    descriptor = clinux_signal_descriptor(&mask)
  }

  /// The next signal that came, nil when there is none.
  func next() -> Int32? {
    // The first field of signalfd_siginfo is the number; the record has 128 bytes (signalfd(2)).
    var record = [UInt32](repeating: 0, count: 32)
    let count = read(descriptor, &record, 128)
    return count == 128 ? record.first.map { Int32(bitPattern: $0) } : nil
  }
}
