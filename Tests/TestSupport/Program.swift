import Foundation
import Synchronization

/// A program in a process of its own, its output collected in files. It is killed when it is released.
package final class Program: Sendable {
  /// What is left of a process.
  package struct Outcome: Sendable {
    /// Exit status, or 128 and the signal's number as a shell would say.
    package let status: Int32
    package let output: String
    package let errors: String
  }

  private let process: Process
  private let folder: TemporaryFolder

  /// Starts `dltui`.
  package static func dltui(
    _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: String? = nil
  ) throws -> Program {
    try Program(dltuiPath(), arguments, environment: environment, input: input, in: directory)
  }

  /// The built `dltui`: `DLTUI_BINARY`, else the one beside the running test bundle.
  package static func dltuiPath() throws -> String {
    if let chosen = ProcessInfo.processInfo.environment["DLTUI_BINARY"] { return chosen }
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "dltui").path
  }

  /// Runs a program to its end.
  package static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: String? = nil, within deadline: Duration = .seconds(60)
  ) async throws -> Outcome {
    try await Program(path, arguments, environment: environment, input: input, in: directory).end(within: deadline)
  }

  /// `environment` is added to that of the test; an empty value takes a variable out of it.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.filter { !$1.isEmpty }
    process.currentDirectoryURL = URL(filePath: directory ?? folder.path)
    for (name, text) in ["in": input, "out": "", "err": ""] { try folder.write(text.utf8, to: name) }
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder["in"]))
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder["out"]))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: folder["err"]))
    try process.run()
  }

  deinit { if process.isRunning { send(SIGKILL) } }

  package var identifier: Int32 { process.processIdentifier }
  package var isRunning: Bool { process.isRunning }
  /// What it has written so far.
  package var output: String { folder.text(of: "out") ?? "" }
  package var errors: String { folder.text(of: "err") ?? "" }

  package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end.
  package func end(within deadline: Duration = .seconds(60)) async throws -> Outcome {
    try await eventually("the end of \(process.executableURL?.path ?? "")", within: deadline) { !process.isRunning }
    let signalled = process.terminationReason == .uncaughtSignal
    return Outcome(status: process.terminationStatus + (signalled ? 128 : 0), output: output, errors: errors)
  }
}

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
