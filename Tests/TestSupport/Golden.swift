import Foundation

/// A picture that is missing or not as it was recorded.
package struct SnapshotMismatch: Error, CustomStringConvertible {
  package let description: String
}

/// Compares text with the file `Snapshots/NAME.screen` beside the calling test. `RECORD=1` in the environment rewrites the
/// file; a missing file is a failure.
package func expectSnapshot(named name: String, _ text: String, testFile: StaticString = #filePath) throws {
  let file = URL(filePath: "\(testFile)").deletingLastPathComponent().appending(path: "Snapshots/\(name).screen")
  if ProcessInfo.processInfo.environment["RECORD"] == "1" {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    return try Data(text.utf8).write(to: file)
  }
  guard let wanted = try? String(contentsOf: file, encoding: .utf8) else {
    throw SnapshotMismatch(description: "no snapshot \(name): look at it, then run with RECORD=1\n\(text)")
  }
  guard wanted != text else { return }
  throw SnapshotMismatch(description: "\(name) is not as recorded\n\(difference(wanted, text))")
}

/// The lines that differ, each with its number: `-` as recorded, `+` as it is now.
private func difference(_ wanted: String, _ got: String) -> String {
  let old = wanted.split(separator: "\n", omittingEmptySubsequences: false)
  let new = got.split(separator: "\n", omittingEmptySubsequences: false)
  return (0..<max(old.count, new.count)).compactMap { row in
    let (before, after) = (row < old.count ? old[row] : nil, row < new.count ? new[row] : nil)
    guard before != after else { return nil }
    return "\(row + 1) - \(before ?? "")\n\(row + 1) + \(after ?? "")"
  }.joined(separator: "\n")
}
