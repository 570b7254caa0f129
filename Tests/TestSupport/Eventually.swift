/// Thrown when a condition did not come true in time.
package struct DeadlinePassed: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until `condition` holds. The deadline is generous on purpose: it ends a hopeless wait, it measures nothing.
package func eventually(
  _ what: String, within deadline: Duration = .seconds(100), _ condition: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + deadline
  while try !condition() {
    guard ContinuousClock.now < end else { throw DeadlinePassed(description: "not within \(deadline): \(what)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}
