import DownloadEngine
import FoundationEssentials
import Glibc
import TerminalUI

/// The file of `--log`: a line each with time and level. What cannot be written, because the disk is full or a pipe's reader sleeps, is left
/// out; no download waits for it.
final class LogFile: Sendable {
  private let descriptor: Int32

  /// Adds to the file, or makes one that only its owner can read: addresses can be secrets, too.
  private init(_ path: String) throws(UsageError) {
    descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw UsageError("--log cannot be opened (\(systemWords(errno))): \(path)") }
    guard isatty(descriptor) == 0 else {
      close(descriptor)
      throw UsageError("--log must be a file, not a terminal: \(path)")
    }
  }

  deinit { close(descriptor) }

  static func open(_ path: String, _ level: Log.Level) throws(UsageError) -> Log {
    let file = try LogFile(path)
    return Log(level) { file.write($0, $1) }
  }

  /// One call a line: what several threads append is never mixed.
  private func write(_ level: Log.Level, _ text: String) {
    let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(.now)
    let line = Array("\(time) \(level.rawValue) \(VisibleText.of(text))\n".utf8)
    _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
