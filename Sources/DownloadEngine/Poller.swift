import CLinux
import DownloadCore
import Glibc

/// Descriptors that something is expected of (epoll(7)). However many they are, only those where something happens cost anything.
final class Poller {
  /// What a descriptor is ready for; nothing where it has broken.
  struct Ready {
    let descriptor: Int32
    let isReadable: Bool
    let isWritable: Bool
  }

  /// Ends a `wait`, from any thread.
  private let bell: Bell
  private let poller: Int32
  /// As many as one call may tell of; the others are told of by the next.
  private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 256)

  init(bell: Bell) throws(DownloadError) {
    self.bell = bell
    poller = clinux_poller()
    guard poller >= 0 else { throw .other("cannot make an epoll descriptor: \(SystemFault.last.text)") }
    watch(bell.descriptor, toRead: true, toWrite: false)
  }

  deinit {
    close(poller)
    events.deallocate()
  }

  /// From now on until `ignore` or the descriptor's end. Where the system has no memory for it, it is never ready.
  func watch(_ descriptor: Int32, toRead: Bool, toWrite: Bool) {
    var event = epoll_event()
    event.events = (toRead ? clinux_readable : 0) | (toWrite ? clinux_writable : 0)
    event.data.fd = descriptor
    if epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) != 0 {
      epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event)
    }
  }

  func ignore(_ descriptor: Int32) { epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil) }

  /// Sleeps until a watched descriptor is ready, the bell is rung, or the time is up; then appends those that are ready.
  func wait(milliseconds: Int32, into ready: inout [Ready]) {
    let count = epoll_wait(poller, events.baseAddress, Int32(events.count), milliseconds)
    for event in events.prefix(max(0, Int(count))) {
      guard event.data.fd != bell.descriptor else {
        bell.hush()
        continue
      }
      ready.append(
        Ready(
          descriptor: event.data.fd, isReadable: event.events & clinux_readable != 0,
          isWritable: event.events & clinux_writable != 0))
    }
  }
}
