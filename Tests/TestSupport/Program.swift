import Foundation
import Glibc
import Synchronization

/// A program in a process of its own, its output collected in files. It is killed when it is released. (Not Foundation's
/// `Process`: that takes a program for running as long as a daemon lives that it has started, such as tmux's server.)
package final class Program: Sendable {
  /// What is left of a process.
  package struct Outcome: Sendable {
    /// Exit status, or 128 and the signal's number as a shell would say.
    package let status: Int32
    package let output: String
    package let errors: String
  }

  package let identifier: Int32
  private let path: String
  private let folder: TemporaryFolder
  /// Nil while it runs.
  private let status = Mutex<Int32?>(nil)

  /// `environment` is added to that of the test; an empty value takes a variable out of it. The working directory is a
  /// temporary one unless it is given.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: String? = nil
  ) throws {
    self.path = path
    folder = try TemporaryFolder()
    try folder.write(input.utf8, to: "in")
    try FileManager.default.createDirectory(atPath: folder["work"], withIntermediateDirectories: false)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.filter { !$1.isEmpty }
    identifier = try spawn(
      ["/usr/bin/env", "-C", directory ?? folder["work"], path] + arguments, variables.map { "\($0)=\($1)" },
      files: (folder["in"], folder["out"], folder["err"]))
  }

  deinit {
    send(SIGKILL)
    waitForEnd()
  }

  /// Runs a program to its end.
  package static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: String? = nil, within deadline: Duration = .seconds(100)
  ) async throws -> Outcome {
    try await Program(path, arguments, environment: environment, input: input, in: directory).end(within: deadline)
  }

  package var isRunning: Bool {
    status.withLock { status in
      guard status == nil else { return false }
      var word: Int32 = 0
      guard waitpid(identifier, &word, WNOHANG) == identifier else { return true }
      status = exitStatus(word)
      return false
    }
  }

  /// Blocks the thread until its end: for the moments when one cannot `await`.
  func waitForEnd() {
    while isRunning { usleep(2000) }
  }

  /// What it has written so far.
  package var output: String { folder.text(of: "out") ?? "" }
  package var errors: String { folder.text(of: "err") ?? "" }

  /// Sends a signal, unless it has ended.
  package func send(_ signal: Int32) {
    if isRunning { kill(identifier, signal) }
  }

  /// Waits for its end.
  package func end(within deadline: Duration = .seconds(100)) async throws -> Outcome {
    try await eventually("the end of \(path)", within: deadline) { !isRunning }
    return Outcome(status: status.withLock { $0 } ?? -1, output: output, errors: errors)
  }
}

extension Program {
  /// Starts `dltui`, without the config file of whoever runs the tests.
  package static func dltui(
    _ arguments: [String], environment: [String: String] = [:], input: String = "", in directory: String? = nil
  ) throws -> Program {
    let environment = environment.merging(["XDG_CONFIG_HOME": "/nowhere"]) { given, _ in given }
    return try Program(dltuiPath(), arguments, environment: environment, input: input, in: directory)
  }

  /// The built `dltui`: `DLTUI_BINARY`, else the one beside the running test bundle.
  package static func dltuiPath() throws -> String {
    if let chosen = ProcessInfo.processInfo.environment["DLTUI_BINARY"] { return chosen }
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "dltui").path
  }
}

/// Held while a process is started and while a socket or a file is open that a process could inherit: a port would stay taken, and a script
/// that somebody still has open for writing cannot be run (ETXTBSY of execve(2)).
let inheritance = Mutex(())

/// Starts a process with nothing of ours but the three files: no other descriptor, signal mask or disposition.
private func spawn(
  _ arguments: [String], _ environment: [String], files: (String, String, String)
) throws -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, files.0, O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, files.1, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  posix_spawn_file_actions_addopen(&actions, 2, files.2, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  resetSignals(&attributes)
  var identifier: pid_t = 0
  let failure = withStrings(arguments) { arguments in
    withStrings(environment) { environment in
      inheritance.withLock { _ in
        posix_spawn(&identifier, "/usr/bin/env", &actions, &attributes, arguments, environment)
      }
    }
  }
  guard failure == 0 else {
    errno = failure
    throw SystemError("start \(arguments[0])")
  }
  return identifier
}

private func resetSignals(_ attributes: inout posix_spawnattr_t) {
  var none = sigset_t()
  var all = sigset_t()
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
}

/// Lends the strings as a C array that ends in NULL.
private func withStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}

/// The macros of waitpid(2) for a process that has ended.
private func exitStatus(_ word: Int32) -> Int32 {
  let signal = word & 0x7F
  return signal == 0 ? (word >> 8) & 0xFF : 128 + signal
}
