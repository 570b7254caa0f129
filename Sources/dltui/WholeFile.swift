import Glibc

/// What a small file that a person has written holds.
struct WholeFile {
  /// What it is called in complaints: its path, or `standard input`.
  let name: String
  let bytes: [UInt8]

  /// Reads the file at `path`; `-` is standard input. `noun` says in complaints what it should be.
  /// - Throws: when it cannot be read or is longer than `limit` bytes.
  init(_ path: String, _ noun: String, limit: Int) throws(UsageError) {
    name = path == "-" ? "standard input" : path
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(noun, name, errno) }
    defer { close(descriptor) }
    bytes = try Self.bytes(descriptor, noun, name, limit)
  }

  private static func bytes(
    _ descriptor: Int32, _ noun: String, _ name: String, _ limit: Int
  ) throws(UsageError) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return all }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(noun, name, errno) }
      all += piece.prefix(count)
      guard all.count <= limit else { throw UsageError("\(noun) is longer than \(limit >> 20) MiB: \(name)") }
    }
  }

  private static func unreadable(_ noun: String, _ name: String, _ number: Int32) -> UsageError {
    UsageError("\(noun) cannot be read (\(systemWords(number))): \(name)")
  }
}
