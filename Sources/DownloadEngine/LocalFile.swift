import DownloadCore
import Glibc

/// What a `file:` address names, as it is now. Only a regular file has an end and waits for nobody; what is behind it is looked at without
/// waiting, too (a pipe without a writer would hold the loop for ever).
struct LocalFile: Equatable {
  /// Bytes.
  let size: Int64
  /// Since 1970.
  let seconds: Int64
  let nanoseconds: Int

  /// `path` is as the file system has it, ended by a zero.
  init(_ path: [CChar]) throws(DownloadError) {
    do throws(SystemFault) {
      let descriptor = try retrying { open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
      defer { close(descriptor) }
      var status = stat()
      try retrying { fstat(descriptor, &status) }
      (size, seconds) = (Int64(status.st_size), Int64(status.st_mtim.tv_sec))
      nanoseconds = status.st_mtim.tv_nsec
      if let problem = Self.problem(status, descriptor) { throw SystemFault(number: problem) }
    } catch {
      let shown = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw error.number == ENOENT || error.number == ENOTDIR
        ? .missingFile(path: shown) : .cannotRead(path: shown, why: Self.words(error))
    }
  }

  /// The error number of what cannot be read to an end. (What the kernel makes up on reading, as in /proc, has no size.)
  private static func problem(_ status: stat, _ descriptor: Int32) -> Int32? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return EISDIR
    default: return ENODEV
    }
    var byte: UInt8 = 0
    return status.st_size == 0 && read(descriptor, &byte, 1) > 0 ? ESPIPE : nil
  }

  private static func words(_ fault: SystemFault) -> String {
    switch fault.number {
    case EISDIR: "it is a folder"
    case ENODEV, ENXIO: "it is no regular file"
    case ESPIPE: "it does not tell its size"
    default: fault.text
    }
  }
}
