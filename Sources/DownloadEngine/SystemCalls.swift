import CLinux
import DownloadCore
import Glibc

/// The clocks: a monotonic one for everything that lasts, the wall's for what people read.
enum SystemClock {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Seconds since 1970.
  static var wall: Int64 { Int64(time(nil)) }

  /// Seconds since the local midnight, as the wall's clock shows them.
  static var secondOfDay: Int {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return Int(local.tm_hour) * 3600 + Int(local.tm_min) * 60 + Int(local.tm_sec)
  }
}

/// What a system call said when it failed.
struct SystemFault: Error {
  let number: Int32

  static var last: SystemFault { SystemFault(number: errno) }

  var text: String { String(cString: strerror(number)).lowercasedFirst }
  var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }
}

extension String {
  /// As a sentence goes on; an abbreviation stays as it is.
  var lowercasedFirst: String {
    dropFirst().first?.isLowercase == true ? prefix(1).lowercased() + dropFirst() : self
  }
}

/// Calls again while a signal interrupts; -1 becomes a thrown `SystemFault`.
@discardableResult
func retrying<N: SignedInteger>(_ call: () -> N) throws(SystemFault) -> N {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw .last }
  }
}

/// Calls on whole files and folders, by path.
enum FileSystem {
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The size of a regular file; nil for everything else.
  static func size(ofFile path: String) -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Makes the folder and those above it.
  static func makeFolder(_ path: String) throws(SystemFault) {
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
      throw .last
    }
    try makeFolder(String(path[..<slash]))
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw .last }
  }

  /// Makes the names in a folder durable.
  static func syncFolder(_ path: String) throws(SystemFault) {
    let descriptor = try retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(descriptor) }
    try retrying { fsync(descriptor) }
  }

  /// Renames without replacing anything (`EEXIST` when the target is taken), also where the file system has no such call.
  static func renameNew(_ old: String, _ new: String) throws(SystemFault) {
    if clinux_rename_new(old, new) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS else { throw .last }
    if link(old, new) == 0 {
      try retrying { unlink(old) }
      return
    }
    guard errno == EPERM || errno == EOPNOTSUPP, !isTaken(new) else { throw .last }
    try retrying { rename(old, new) }
  }

  static func remove(_ path: String) throws(SystemFault) {
    if unlink(path) != 0, errno != ENOENT { throw .last }
  }

  /// Bytes that an ordinary user may still write on the volume.
  static func freeSpace(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? nil : Int64(exactly: bytes)
  }

  /// At most `limit` bytes of a regular file (a larger one is refused); never follows a link, never waits on a pipe.
  static func read(_ path: String, limit: Int) throws(SystemFault) -> [UInt8] {
    let descriptor = try retrying { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    defer { close(descriptor) }
    var status = stat()
    try retrying { fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemFault(number: EINVAL) }
    guard status.st_size <= limit else { throw SystemFault(number: EFBIG) }
    return try readAll(descriptor, size: Int(status.st_size))
  }

  private static func readAll(_ descriptor: Int32, size: Int) throws(SystemFault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    var filled = 0
    while filled < size {
      let start = filled
      let count = try retrying {
        bytes.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress.map { $0 + start }, size - start, off_t(start))
        }
      }
      if count == 0 { break }
      filled += count
    }
    return Array(bytes[..<filled])
  }

  /// What a file is called while it is being written; a crash leaves it.
  static func unfinished(_ path: String) -> String { path + ".tmp" }

  /// Replaces `path` by a file with these bytes, all or nothing, durable on return; what was there is kept as `previous`.
  static func replace(_ path: String, with bytes: [UInt8], previous: String) throws(SystemFault) {
    try writeFresh(path, bytes)
    try putFresh(path, previous: previous)
    try syncFolder(split(path).folder)
  }

  /// Writes what is to take the place of `path`; synced unless somebody else does that before it gets there.
  static func writeFresh(_ path: String, _ bytes: [UInt8], isDurable: Bool = true) throws(SystemFault) {
    let fresh = unfinished(path)
    // Whatever has this name, a crash left it or somebody put it there: it is not written through.
    try remove(fresh)
    let descriptor = try retrying { open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    do {
      defer { close(descriptor) }
      try write(bytes, to: descriptor)
      if isDurable { try retrying { fsync(descriptor) } }
    } catch {
      unlink(fresh)
      throw error
    }
  }

  /// Puts what was written into the place of `path`.
  static func putFresh(_ path: String, previous: String) throws(SystemFault) {
    if link(path, previous) != 0, errno == EEXIST, unlink(previous) == 0 { link(path, previous) }
    try retrying { rename(unfinished(path), path) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try retrying { rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
      rest = rest.dropFirst(count)
    }
  }

  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  /// The names in a folder, in no order; empty when it cannot be read.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name { names.append(name) }
    }
    return names
  }
}
