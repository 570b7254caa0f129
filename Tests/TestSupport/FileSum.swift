/// The SHA-256 of a file in hexadecimal, by coreutils.
package func sha256(ofFile path: String) async throws -> String {
  let outcome = try await Program.run("/usr/bin/sha256sum", ["--", path])
  return String(outcome.output.drop { $0 == "\\" }.prefix(64))
}

/// The SHA-256 of bytes in hexadecimal, by coreutils.
package func sha256(of bytes: [UInt8]) async throws -> String {
  let folder = try TemporaryFolder()
  try folder.write(bytes, to: "bytes")
  return try await sha256(ofFile: folder["bytes"])
}
