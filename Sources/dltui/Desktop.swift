import CLinux
import Glibc

/// The desktop around the terminal, if there is one.
enum Desktop {
  private static let opener = "xdg-open"

  /// Opens a file or folder with the program that the desktop has for it. Returns what is in the way, in words. There is no shell in
  /// between, and an absolute path cannot be taken for an option or an address.
  static func open(_ path: String) -> String? {
    guard path.hasPrefix("/") else { return "it is no absolute path: \(path)" }
    guard access(path, F_OK) == 0 else { return "it is not there: \(path)" }
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(Place.environment($0) ?? "").isEmpty }
    guard hasDisplay else { return "there is no desktop to open it with: \(path)" }
    guard start(opener, path) else { return "\(opener) cannot be started" }
    return nil
  }

  /// In a session of its own, with nothing of ours open, ignored or blocked. Nobody waits for its end.
  private static func start(_ program: String, _ path: String) -> Bool {
    signal(SIGCHLD, SIG_IGN)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | clinux_spawn_in_own_session
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(path), nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    return posix_spawnp(&child, program, &actions, &attributes, &words, environ) == 0
  }
}
