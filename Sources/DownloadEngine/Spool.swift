import CLinux
import DownloadCore
import FoundationEssentials
import Glibc

/// The folder through which other processes hand requests to the one that holds the session: each puts a small session file there, which
/// is moved into place when it is whole and disappears when it is taken.
package final class Spool: Sendable {
  /// Readable (inotify) when something may have come; −1 where folders cannot be watched.
  package let descriptor: Int32
  private let folder: String

  /// What was handed over.
  package struct Delivery: Sendable {
    package var requests: [Request] = []
    /// What could not be read, in words.
    package var problems: [String] = []
  }

  /// Makes the folder if it is missing, and watches it.
  package init(stateFolder: String) throws(DownloadError) {
    folder = try Self.folder(in: stateFolder)
    descriptor = clinux_watch_arrivals(folder)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Takes what is there, oldest first.
  package func take() -> Delivery {
    var events = [UInt8](repeating: 0, count: 4096)
    while descriptor >= 0, read(descriptor, &events, events.count) > 0 {}
    let (delivery, paths) = Self.contents(folder)
    Self.remove(paths)
    return delivery
  }

  /// Puts requests into the spool of the session in `stateFolder`.
  /// - Returns: the path of a file that is gone when somebody has taken them.
  package static func put(_ requests: [Request], stateFolder: String) throws(DownloadError) -> String {
    let path = try folder(in: stateFolder) + "/" + freshName
    let saved = SavedSession(downloads: requests.map { SavedDownload(waiting: $0) })
    try SessionStore.save(saved, path)
    return path
  }

  package static func isWaiting(_ path: String) -> Bool { FileSystem.isTaken(path) }

  /// Adds what is in the spool to the session file, if no process holds the session.
  /// - Returns: false when one does.
  package static func addToWaiting(stateFolder: String) throws(DownloadError) -> Bool {
    let store: SessionStore
    do throws(DownloadError) { store = try SessionStore(folder: stateFolder) } catch {
      if case .sessionInUse = error { return false }
      throw error
    }
    let (delivery, paths) = contents(try folder(in: stateFolder))
    var session = Session(settings: Settings(), seed: 0, restoring: store.load().session)
    _ = session.handle(.quit, now: .zero)  // so that nothing starts
    _ = session.handle(.add(delivery.requests), now: .zero)
    try store.save(session.saved)
    remove(paths)
    store.unlock()
    return true
  }

  private static func folder(in stateFolder: String) throws(DownloadError) -> String {
    let path = stateFolder + "/spool"
    do throws(SystemFault) {
      try FileSystem.makeFolder(stateFolder)
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
    } catch {
      throw .cannotCreate(path: path, why: error.text)
    }
    return path
  }

  /// Names sort by their age.
  private static var freshName: String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let fraction = String(now.tv_nsec)
    return "\(now.tv_sec).\(String(repeating: "0", count: max(0, 9 - fraction.count)))\(fraction).\(getpid()).json"
  }

  private static func contents(_ folder: String) -> (delivery: Delivery, paths: [String]) {
    var delivery = Delivery()
    let paths = FileSystem.names(in: folder).filter { $0.hasSuffix(".json") }.sorted().map { folder + "/" + $0 }
    for path in paths {
      do throws(DownloadError) {
        delivery.requests += try SessionStore.read(path)?.downloads.map(\.request) ?? []
      } catch {
        delivery.problems.append(error.message)
        rename(path, path + ".unreadable")
      }
    }
    return (delivery, paths)
  }

  private static func remove(_ paths: [String]) {
    for path in paths { unlink(path) }
  }
}
