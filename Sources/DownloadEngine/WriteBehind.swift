import CLinux
import DownloadCore
import Glibc
import Synchronization

/// Writes full buffers on a thread of its own, past the page cache, while the transfers fill the next ones. Where bytes come about as fast as
/// a disk takes them this saves the kernel half of its work, and the sync at the end has nothing left to do. Belongs to the transfer loop,
/// which is told what has become of a buffer when it hands over another or waits.
final class WriteBehind {
  /// So many buffers wait or are being written, at most: one of each transfer, as those that run at the same pace are full at the same time.
  private static let depths = 3...10
  private let thread: JobThread<Void>
  private let line = WriteLine()
  /// In the order of the line.
  private var writes: [(transfer: CurlTransfer, write: WriteLine.Write)] = []
  private let buffers: WriteBuffers

  /// Whether something is handed over that nobody has been told about.
  var isBusy: Bool { !writes.isEmpty }

  init(_ buffers: WriteBuffers) throws(DownloadError) {
    self.buffers = buffers
    thread = try JobThread("dltui-write") {
      // A disk that has nothing to do should not wait until the transfers, or a server on the same machine, make room.
      clinux_take_short_turns()
    }
  }

  deinit { thread.close() }

  /// Takes over a full buffer of one of `count` transfers and returns an empty one of the same size. Waits where the disk is behind.
  func write(
    _ full: WriteBuffer, _ fill: Int, to part: PartFile, at offset: Int64, for transfer: CurlTransfer, of count: Int
  ) -> WriteBuffer {
    if writes.count >= min(max(count, Self.depths.lowerBound), Self.depths.upperBound) { settleOldest() }
    let write = WriteLine.Write(part: part, offset: offset, buffer: full, count: fill)
    writes.append((transfer, write))
    line.add(write)
    thread.post { [line] _ in line.writeNext() }
    thread.wake()
    return buffers.make(full.capacity)
  }

  /// Waits until everything of a transfer is written.
  func settle(_ transfer: CurlTransfer) {
    while writes.contains(where: { $0.transfer === transfer }) { settleOldest() }
  }

  private func settleOldest() {
    line.done.wait()
    let (transfer, write) = writes.removeFirst()
    write.buffer.deallocate()
    transfer.wrote(write.count, write.fault.withLock { $0 })
  }
}

/// The buffers that are to be written, in their order.
private final class WriteLine: Sendable {
  final class Write: Sendable {
    let part: PartFile
    let offset: Int64
    let buffer: WriteBuffer
    let count: Int
    /// Of use once it is done.
    let fault = Mutex<DownloadError?>(nil)

    init(part: PartFile, offset: Int64, buffer: WriteBuffer, count: Int) {
      (self.part, self.offset, self.buffer, self.count) = (part, offset, buffer, count)
    }

    func isFollowed(by next: Write) -> Bool { next.part === part && next.offset == offset + Int64(count) }
  }

  private let waiting = Mutex<[Write]>([])
  /// Tells of each one that is done.
  let done = Semaphore()

  func add(_ write: Write) { waiting.withLock { $0.append(write) } }

  /// Writes the first ones that follow each other in a file with one call: the larger, the faster.
  func writeNext() {
    let run = waiting.withLock { Self.takeRun(&$0) }
    guard let first = run.first else { return }
    let pieces = run.map { iovec(iov_base: $0.buffer.bytes, iov_len: $0.count) }
    let (written, fault) = first.part.writeDirectly(pieces, at: first.offset)
    for (index, write) in run.enumerated() {
      if index >= written { write.fault.withLock { $0 = fault } }
      done.signal()
    }
  }

  private static func takeRun(_ waiting: inout [Write]) -> [Write] {
    let followed = zip(waiting, waiting.dropFirst()).prefix { $0.isFollowed(by: $1) }
    let run = Array(waiting.prefix(followed.count + 1))
    waiting.removeFirst(run.count)
    return run
  }
}
