import CLinux
import DownloadCore
import Glibc
import Synchronization

/// A part file that is open and locked by us. It closes, and so unlocks, when the last one lets go of it.
final class PartFile: Sendable {
  let folder: String
  let name: String
  private let descriptor: Int32
  /// What the sidecar tells beyond what the session knows; only the disk worker asks.
  let record = Mutex(Record())

  /// The same file past the page cache; only whoever writes behind asks.
  private let direct = Mutex(Direct.untried)
  /// Whether it will have its final name in a moment, so that nobody needs to know any more how far it is.
  let isEnding = Atomic(false)
  /// Bytes written since the disk was last told to begin with them.
  private let unsynced = Atomic(0)
  private static let worthSyncing = 8 << 20

  struct Record: Sendable {
    var sums = BlockSums()
    /// Seconds since 1970.
    var created = SystemClock.wall
    /// Whether sidecars or older bytes may lie beside it.
    var hasCompany = true
  }

  var path: String { folder + "/" + name }

  private init(folder: String, name: String, descriptor: Int32) {
    self.folder = folder
    self.name = name
    self.descriptor = descriptor
  }

  deinit {
    switch direct.withLock({ $0 }) {
    case .open(let second), .refused(let second): close(second)
    case .untried, .impossible: break
    }
    close(descriptor)
  }

  // MARK: Opening

  /// Opens what an earlier run left. Only a regular file with a single name will do; a pipe does not hang it.
  static func open(folder: String, name: String) throws(DownloadError) -> PartFile {
    let path = folder + "/" + name
    do throws(SystemFault) {
      let part = try PartFile(
        folder: folder, name: name,
        descriptor: retrying { Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) })
      guard try part.isPlain() else { throw SystemFault(number: EINVAL) }
      guard try part.lock() else { throw SystemFault(number: EBUSY) }
      return part
    } catch {
      if error.number == EBUSY { throw .alreadyDownloading(path: path) }
      throw .cannotOpen(path: path, why: error.number == EINVAL ? "not a plain file" : error.text)
    }
  }

  /// Creates a part file that did not exist. Nil when the name is taken.
  static func create(folder: String, name: String) throws(DownloadError) -> PartFile? {
    let path = folder + "/" + name
    do throws(SystemFault) {
      let part = try PartFile(
        folder: folder, name: name,
        descriptor: retrying { Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) })
      return try part.lock() ? part : nil
    } catch {
      if error.number == EEXIST { return nil }
      throw error.isDiskFull ? .diskFull(path: path) : .cannotCreate(path: path, why: error.text)
    }
  }

  private func isPlain() throws(SystemFault) -> Bool {
    var status = stat()
    try retrying { fstat(descriptor, &status) }
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
  }

  private func lock() throws(SystemFault) -> Bool {
    if clinux_lock(descriptor) == 0 { return true }
    if errno == EAGAIN || errno == EACCES { return false }
    // A file system without locks (some network ones): going on is better than not working at all.
    if errno == ENOLCK || errno == EOPNOTSUPP || errno == EINVAL { return true }
    throw .last
  }

  /// Lets others have the file, though somebody here may still hold it.
  func unlock() { _ = clinux_unlock(descriptor) }

  // MARK: Bytes

  /// Writes all of it at `offset`.
  func write(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int64) -> DownloadError? {
    var done = 0
    while done < count {
      let written = pwrite(descriptor, bytes + done, count - done, off_t(offset) + off_t(done))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return fault(.last) }
      done += written
    }
    unsynced.wrappingAdd(count, ordering: .relaxed)
    return nil
  }

  /// Writes one stretch and the one that follows it, if possible with one call.
  func write(_ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer, at offset: Int64) -> DownloadError? {
    let done = first.isEmpty || second.isEmpty ? 0 : writeAtOnce(first, second, at: offset)
    return writeRest(of: first, after: done, at: offset)
      ?? writeRest(of: second, after: done - first.count, at: offset + Int64(first.count))
  }

  /// How many bytes of both are written; what was wrong with the next one is told when it is tried again.
  private func writeAtOnce(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
      pieces[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
      pieces[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
      let done = max(0, pwritev(descriptor, pieces.baseAddress, 2, off_t(offset)))
      unsynced.wrappingAdd(done, ordering: .relaxed)
      return done
    }
  }

  private func writeRest(of stretch: UnsafeRawBufferPointer, after done: Int, at offset: Int64) -> DownloadError? {
    let start = max(0, done)
    guard start < stretch.count, let bytes = stretch.baseAddress else { return nil }
    return write(bytes + start, stretch.count - start, at: offset + Int64(start))
  }

  private enum Direct {
    case untried, impossible
    case open(Int32)
    /// What it was asked for did not work, or took too long. It stays open, since somebody may just be reading.
    case refused(Int32)
  }

  /// What everything has to be a multiple of past the page cache: address, offset and count (open(2), O_DIRECT).
  static let directUnit = 4096

  /// Less than this at a time the page cache collects better.
  static let leastDirect = 256 << 10

  /// Bytes a second. A disk that is slower is better off with the page cache, and so are others that wait for it.
  private static let slowestDirect = 16 << 20

  static func canBeDirect(_ offset: Int64, _ count: Int) -> Bool {
    offset % Int64(directUnit) == 0 && count % directUnit == 0 && count >= leastDirect
  }

  /// Writes the pieces one after the other from `offset` on, past the page cache where that is possible. Says how many are written, and why
  /// the next one is not.
  func writeDirectly(_ pieces: [iovec], at offset: Int64) -> (written: Int, fault: DownloadError?) {
    let total = pieces.reduce(0) { $0 + $1.iov_len }
    if let direct = directDescriptor {
      let start = SystemClock.now
      let isWritten = pwritev(direct, pieces, Int32(pieces.count), off_t(offset)) == total
      let isSlow = (SystemClock.now - start).seconds * Double(Self.slowestDirect) > Double(total)
      if !isWritten || isSlow { refuseDirect() }
      if isWritten { return (pieces.count, nil) }
    }
    // What is wrong, if anything is, the ordinary way tells.
    var next = offset
    for (index, piece) in pieces.enumerated() {
      if let start = piece.iov_base, let fault = write(start, piece.iov_len, at: next) { return (index, fault) }
      next += Int64(piece.iov_len)
    }
    return (pieces.count, nil)
  }

  private var directDescriptor: Int32? {
    direct.withLock { direct in
      if case .untried = direct {
        let second = clinux_open_direct(descriptor)
        direct = second < 0 ? .impossible : .open(second)
      }
      return if case .open(let second) = direct { second } else { nil }
    }
  }

  /// A file system may say only now that it cannot.
  private func refuseDirect() {
    direct.withLock { direct in
      if case .open(let second) = direct { direct = .refused(second) }
    }
  }

  /// Whether most of it has to be read from the disk, which has nearly all that was written.
  var isDirect: Bool { if case .open = direct.withLock({ $0 }) { true } else { false } }

  /// Reads up to `count` bytes at `offset`, past the page cache if they were written so: they are not in it. Fewer only at the end of the file.
  func readBack(into buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) throws(DownloadError) -> Int {
    guard Self.canBeDirect(offset, count), case .open(let direct) = direct.withLock({ $0 }) else {
      return try read(into: buffer, count, at: offset)
    }
    let done = pread(direct, buffer, count, off_t(offset))
    return done < 0 ? try read(into: buffer, count, at: offset) : done
  }

  /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
  func read(into buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) throws(DownloadError) -> Int {
    do throws(SystemFault) {
      return try retrying { pread(descriptor, buffer, count, off_t(offset)) }
    } catch {
      throw .cannotOpen(path: path, why: error.text)
    }
  }

  /// Whether the file holds these bytes at `offset`; `differs` becomes true when it does not.
  func compare(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int64, differs: inout Bool) -> DownloadError? {
    let held = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    defer { held.deallocate() }
    do throws(DownloadError) {
      let length = try read(into: held, count, at: offset)
      differs = length < count || memcmp(held, bytes, count) != 0
      return nil
    } catch {
      return error
    }
  }

  func size() throws(DownloadError) -> Int64 { try measure().size }

  /// Size in bytes, and when the file was last touched in nanoseconds since 1970. That is its status change time: unlike the modification
  /// time nobody can set it back after an edit.
  func measure() throws(DownloadError) -> (size: Int64, touched: Int64) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fault(.last) }
    return (Int64(status.st_size), Self.nanoseconds(status.st_ctim))
  }

  /// Whether its name still leads to this very file.
  func isInPlace() throws(DownloadError) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw fault(.last) }
    return lstat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  func truncate(to size: Int64) throws(DownloadError) {
    if ftruncate(descriptor, off_t(size)) != 0 { throw fault(.last) }
  }

  /// Reserves space so that writes are quick and a full disk is known at once. Where that is not possible the file stays sparse.
  func reserve(_ size: Int64) throws(DownloadError) {
    guard size > 0, clinux_reserve(descriptor, size) != 0 else { return }
    let fault = SystemFault.last
    if fault.isDiskFull || fault.number == EFBIG { throw .diskFull(path: path) }
  }

  /// Gives back the space of stretches that hold nothing of worth. Where that is not possible they keep it.
  func release(_ stretches: ByteRangeSet) throws(DownloadError) {
    for range in stretches.ranges { clinux_release(descriptor, range.lowerBound, range.upperBound - range.lowerBound) }
    try sync()
  }

  /// Whether so much was written that the disk should begin with it: then the sync at the end has little left to do. True once each time.
  func takeNeedOfSync() -> Bool {
    guard unsynced.load(ordering: .relaxed) >= Self.worthSyncing else { return false }
    unsynced.store(0, ordering: .relaxed)
    return true
  }

  /// Has the disk begin to write what is dirty. (sync_file_range(2) promises nothing: what must be on the disk is synced.)
  func beginSync() { clinux_begin_sync(descriptor) }

  /// What tells a file from all others that are or were on its file system, whatever their names.
  struct Identity: Equatable {
    let inode: UInt64
    /// When it was made, in nanoseconds since 1970: numbers are used again.
    let born: Int64
  }

  /// Nil where it cannot be told.
  var identity: Identity? {
    var status = stat()
    let born = clinux_birth(descriptor)
    guard born > 0, fstat(descriptor, &status) == 0 else { return nil }
    return Identity(inode: UInt64(status.st_ino), born: born)
  }

  /// The number of the file system; nil where it cannot be told.
  var device: UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : nil
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (nanoseconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? 0 : nanoseconds &+ Int64(time.tv_nsec)
  }

  /// Whether everything dirty on its file system was written. (Since Linux 5.8 errors are told, syncfs(2).)
  func syncFileSystem() -> Bool { syncfs(descriptor) == 0 }

  /// A file system that keeps no such time is none the worse for it.
  func setModified(_ seconds: Int64?) {
    guard let seconds else { return }
    let times = [timespec(tv_sec: 0, tv_nsec: Self.omitted), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    _ = futimens(descriptor, times)
  }

  /// utimensat(2), UTIME_OMIT: the time of the last access stays.
  private static let omitted = (1 << 30) - 2

  func sync() throws(DownloadError) {
    if fdatasync(descriptor) != 0 { throw fault(.last) }
  }

  private func fault(_ fault: SystemFault) -> DownloadError {
    fault.isDiskFull ? .diskFull(path: path) : .cannotWrite(path: path, why: fault.text)
  }
}
