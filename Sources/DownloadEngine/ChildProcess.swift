import CLinux
import Glibc

/// Another program, started without a shell: in a session of its own, with nothing of ours open, ignored or blocked, and /dev/null for its
/// input and output.
package enum ChildProcess {
  /// Starts the program that the first word names or PATH leads to, and lets it be. Returns why it cannot be started, in words.
  package static func launch(_ words: [String]) -> String? {
    do throws(SystemFault) {
      let child = try start(words)
      return NativeThread.start("dltui-child") { waitForEnd(child) } ? nil : "no thread to wait for its end"
    } catch {
      return error.text
    }
  }

  /// `variables` are added to the environment.
  static func start(_ words: [String], adding variables: [(name: String, value: String)] = []) throws(SystemFault)
    -> pid_t
  {
    guard let program = words.first else { throw SystemFault(number: ENOENT) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    makeFresh(&attributes)
    var child: pid_t = 0
    let failure = withCStrings(words) { words in
      withCStrings(environment(adding: variables)) { posix_spawnp(&child, program, &actions, &attributes, words, $0) }
    }
    guard failure == 0 else { throw SystemFault(number: failure) }
    return child
  }

  /// Blocks until it has ended. Returns nil for a good end, else how it ended, in words.
  @discardableResult static func waitForEnd(_ child: pid_t) -> String? {
    var word: Int32 = 0
    guard (try? retrying { waitpid(child, &word, 0) }) != nil else { return nil }
    let (signal, status) = (word & 0x7F, (word >> 8) & 0xFF)
    if signal != 0 { return "ended by signal \(signal)" }
    return status == 0 ? nil : "ended with status \(status)"
  }

  private static func makeFresh(_ attributes: inout posix_spawnattr_t) {
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | clinux_spawn_in_own_session
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  private static func environment(adding variables: [(name: String, value: String)]) -> [String] {
    let names = Set(variables.map(\.name))
    var lines: [String] = []
    var next = environ
    while let line = next.pointee {
      let text = String(cString: line)
      if !names.contains(String(text.prefix { $0 != "=" })) { lines.append(text) }
      next += 1
    }
    return lines + variables.map { "\($0.name)=\($0.value)" }
  }

  /// Lends the strings as a C array that ends in NULL.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies + [nil]).withUnsafeBufferPointer { buffer in
      withExtendedLifetime(buffer) { body(buffer.baseAddress ?? UnsafePointer(environ)) }
    }
  }
}
