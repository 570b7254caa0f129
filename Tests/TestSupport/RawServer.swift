import Foundation
import Glibc

/// A server of whatever protocol: who connects is in the hands of the handler, on a thread of its own, before a word is said.
/// It stops when it is released.
package final class RawServer: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let record = OriginRecord({ _, _ in })

  package init(_ handler: @escaping @Sendable (Connection) -> Void) throws {
    (listener, port) = try openListener()
    Thread.detachNewThread { [listener, record] in accept(on: listener, nil, record, handler) }
  }

  deinit {
    guard record.stop() else { return }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  package var connectionsAccepted: Int { record.counters.connectionsAccepted }
}
