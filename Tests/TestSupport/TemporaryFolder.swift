import Foundation
import Glibc
import Synchronization

/// A folder of its own for a test, removed with everything in it when it is released.
package final class TemporaryFolder: Sendable {
  /// Absolute, without a slash at the end.
  package let path: String

  package init() throws {
    var name = Array((NSTemporaryDirectory() + "/dltui-test-XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil, let resolved = realpath(name, nil) else { throw SystemError("mkdtemp") }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name in it.
  package subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// What is in it, sorted, hidden names too.
  package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// The bytes of a file in it; nil if there is none.
  package func bytes(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: self[name]).map { [UInt8]($0) }
  }

  package func text(of name: String) -> String? { bytes(of: name).map { String(decoding: $0, as: UTF8.self) } }

  package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self[name]) }

  /// Writes a file, and the folders that it needs.
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    let file = URL(filePath: self[name])
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let data = Data(bytes)
    try inheritance.withLock { _ in try data.write(to: file) }
  }
}
