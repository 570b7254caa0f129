import Glibc

/// A descriptor to print on. A reader that went away or sleeps never stops the program: what cannot be written is dropped.
final class Output {
  let descriptor: Int32
  let isTerminal: Bool
  /// The error number that ended the writing; everything after it is dropped.
  private(set) var failure: Int32?
  /// Readable when the program should rather stop than wait for the reader; -1 for none.
  var interrupt: Int32 = -1
  /// Milliseconds to wait for the reader; -1 is for ever.
  var patience: Int32 = -1

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  func write(_ text: String) {
    var rest = ArraySlice(Array(text.utf8))
    while failure == nil, !rest.isEmpty { writeSome(&rest) }
  }

  /// No more than surely fits once poll(2) says that something does: PIPE_BUF for a pipe, less for a terminal.
  private var portion: Int { isTerminal ? 256 : 4096 }

  private func writeSome(_ rest: inout ArraySlice<UInt8>) {
    guard waitForReader() else { return }
    let count = rest.prefix(portion).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR, errno != EAGAIN {
      failure = errno
    }
  }

  private func waitForReader() -> Bool {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&waits, 2, patience)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    if waits.first?.revents != 0 { return true }
    failure = ETIMEDOUT
    return false
  }
}
