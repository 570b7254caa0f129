import CLinux
import DownloadCore
import FoundationEssentials
import Glibc

/// The session file in the state folder, held by one process at a time.
package final class SessionStore: Sendable {
  private static let largest = 256 << 20
  private let path: String
  private let lock: Int32

  /// Makes the folder if it is missing and takes the lock.
  /// - Throws: `sessionInUse` when another process has it.
  package init(folder: String) throws(DownloadError) {
    path = folder + "/session.json"
    let lockPath = folder + "/session.lock"
    do throws(SystemFault) {
      try FileSystem.makeFolder(folder)
      lock = try retrying { open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    } catch {
      throw .cannotCreate(path: lockPath, why: error.text)
    }
    guard clinux_lock(lock) == 0 || (errno != EAGAIN && errno != EACCES) else {
      close(lock)
      throw .sessionInUse(path: path)
    }
  }

  deinit { close(lock) }

  /// Lets others have the session, though somebody here may still hold the store.
  func unlock() { _ = clinux_unlock(lock) }

  /// What the last run left, and a warning in words when the newest file could not be used.
  /// An unreadable file is kept aside under another name, never overwritten.
  package func load() -> (session: SavedSession?, warning: String?) {
    do throws(DownloadError) { return (try Self.read(path), nil) } catch {
      let aside = path + ".unreadable"
      if rename(path, aside) != 0 { return (nil, error.message) }
      do throws(DownloadError) { return (try Self.read(path + "~"), error.message + "; kept as \(aside)") } catch {
        return (nil, error.message)
      }
    }
  }

  /// Reads a session file without taking the lock. Nil when there is none.
  package static func read(folder: String) throws(DownloadError) -> SavedSession? {
    try read(folder + "/session.json")
  }

  static func read(_ path: String) throws(DownloadError) -> SavedSession? {
    let bytes: [UInt8]
    do throws(SystemFault) { bytes = try FileSystem.read(path, limit: largest) } catch {
      if error.number == ENOENT { return nil }
      throw .badSidecar(path: path, why: error.text)
    }
    let session: SavedSession
    do { session = try JSONDecoder().decode(SavedSession.self, from: Data(bytes)) } catch {
      throw .badSidecar(path: path, why: "it is not the JSON that was expected")
    }
    if let fault = session.fault { throw .badSidecar(path: path, why: fault) }
    return session
  }

  func save(_ session: SavedSession) throws(DownloadError) { try Self.save(session, path) }

  static func save(_ session: SavedSession, _ path: String) throws(DownloadError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      try FileSystem.replace(path, with: Array(encoder.encode(session)), previous: path + "~")
    } catch let fault as SystemFault {
      throw fault.isDiskFull ? .diskFull(path: path) : .cannotWrite(path: path, why: fault.text)
    } catch {
      throw .cannotWrite(path: path, why: "\(error)")
    }
  }
}
