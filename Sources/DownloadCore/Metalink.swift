/// What a Metalink file says: files, where each of them is, and what it must be (RFC 5854, and version 3.0 from before it).
package struct Metalink: Hashable, Sendable {
  package var files: [File] = []
  /// What was left out, in words.
  package var remarks: [String] = []

  /// One file, which is the same at all of its addresses.
  package struct File: Hashable, Sendable {
    /// Relative, each step made safe like a server's file name.
    package var name: String
    /// In bytes.
    package var size: Int64?
    /// The strongest sum of the whole file.
    package var checksum: Checksum?
    /// The strongest sums of its pieces.
    package var pieces: PieceSums?
    /// Every address, the best one first, as it is written.
    package var addresses: [String] = []
  }

  /// Why it cannot be used.
  package struct Fault: Error, Hashable, Sendable {
    /// From 1.
    package let line: Int
    package let why: String

    package init(line: Int, why: String) { (self.line, self.why) = (line, why) }
  }

  /// What a file may be called: a relative path that stays where it is put (RFC 5854 §4.1.2.1). Nil for everything else.
  static func safeName(_ name: String) -> String? {
    let steps = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
    guard !steps.contains(where: { ["", ".", ".."].contains(String($0)) }), steps.count <= 16 else { return nil }
    let safe = steps.compactMap { FileName.safe(String($0)) }
    return safe.count == steps.count ? safe.joined(separator: "/") : nil
  }
}
