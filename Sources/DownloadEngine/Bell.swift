import CLinux
import DownloadCore
import Glibc

/// What one thread rings and another waits for (eventfd(2)).
final class Bell: Sendable {
  /// Readable once it has been rung, until 8 bytes are read.
  let descriptor: Int32

  init() throws(DownloadError) {
    descriptor = clinux_event_descriptor()
    guard descriptor >= 0 else { throw .other("cannot make an event descriptor: \(SystemFault.last.text)") }
  }

  deinit { close(descriptor) }

  func ring() {
    var one: UInt64 = 1
    write(descriptor, &one, 8)
  }

  func hush() {
    var count: UInt64 = 0
    read(descriptor, &count, 8)
  }
}
