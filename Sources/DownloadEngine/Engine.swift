import DownloadCore
import Synchronization

/// Owns curl, the files and the session, each on its own thread. Any thread may post commands and look at the latest snapshot.
package final class Engine: Sendable {
  package struct Configuration: Sendable {
    package var settings = Settings()
    /// Absolute path of the folder for the session file; nil neither restores nor saves the list.
    package var stateFolder: String?
    package init() {}
  }

  /// Readable (eventfd) whenever there is a newer snapshot, a notice, or the engine has stopped. Reading 8 bytes resets it.
  package let descriptor: Int32
  private let state = Mutex(Snapshot())

  /// Restores the session, if there is a state folder, and starts the threads.
  /// - Throws: `DownloadError` when the session file cannot be read or is held by another process.
  package init(_ configuration: Configuration) throws(DownloadError) {
    descriptor = -1
  }

  package func post(_ command: Command) {}

  /// The latest state of everything; at most ten new ones a second, and none while nothing changes.
  package var snapshot: Snapshot { state.withLock { $0 } }

  /// All notices since the last call, oldest first.
  package func takeNotices() -> [Notice] { [] }

  /// True once everything is saved after `.quit`; nothing changes any more.
  package var hasStopped: Bool { false }
}
