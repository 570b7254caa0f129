import Synchronization

/// Counters by name, for handlers that answer differently from time to time.
package final class Counts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  package init() {}

  /// 1 at the first call for a name.
  package func next(_ name: String) -> Int {
    counts.withLock {
      $0[name, default: 0] += 1
      return $0[name, default: 0]
    }
  }
}
