import Synchronization

/// Closed until a test opens it; a handler that holds at it goes on from there.
package final class Gate: Sendable {
  private let opened = Atomic(false)

  package init() {}
  package func open() { opened.store(true, ordering: .sequentiallyConsistent) }
  package var isOpen: Bool { opened.load(ordering: .sequentiallyConsistent) }
}
