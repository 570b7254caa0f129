import CLinux
import Glibc

/// Gives the terminal back when the program traps: its modes, its main screen, and what was written to stderr in the meantime.
enum TerminalRescue {
  /// Undoes what the screen has switched on: the mouse, bracketed paste, colours, the hidden cursor, the alternate screen.
  private static let reset =
    "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h\u{1B}[?1l\u{1B}>\u{1B}[?1049l\r"

  private static let signals = [SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT]

  /// What a signal handler may touch: plain memory, set up before the handler is installed.
  fileprivate struct Saved {
    var modes = termios()
    var hasModes = false
    var sequence: UnsafeMutablePointer<CChar>?
    var sequenceLength = 0
    /// The real stderr while `held` takes its place; 0 otherwise. All zeros on purpose: swift 6.3.1 -O lays out the constant of a
    /// struct with a `termios` in it wrongly, so any other initial value ends up in the wrong place.
    var standardError: Int32 = 0
    var held: Int32 = 0
  }

  /// Remembers the terminal's modes and catches the signals of traps. To be called before the screen opens.
  static func install() {
    saved.hasModes = tcgetattr(STDIN_FILENO, &saved.modes) == 0
    saved.sequence = strdup(reset)
    saved.sequenceLength = reset.utf8.count
    useOwnStack()
    for signal in signals { catchSignal(signal) }
  }

  /// What is to be undone besides.
  static func undo(_ sequence: String) {
    guard saved.sequenceLength == reset.utf8.count, let longer = strdup(sequence + reset) else { return }
    saved.sequence = longer  // the old one stays: a handler may be at it
    saved.sequenceLength = (sequence + reset).utf8.count
  }

  static func uninstall() {
    for signal in signals { Glibc.signal(signal, SIG_DFL) }
  }

  /// So that the handler runs when the main thread's stack is used up, too.
  private static func useOwnStack() {
    let size = 64 * 1024
    var stack = stack_t(ss_sp: .allocate(byteCount: size, alignment: 16), ss_flags: 0, ss_size: size)
    sigaltstack(&stack, nil)
  }

  private static func catchSignal(_ signal: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = restoreAndDie
    action.sa_flags = SA_ONSTACK
    sigemptyset(&action.sa_mask)
    sigaction(signal, &action, nil)
  }

  /// Keeps what is written to stderr from scribbling over the screen.
  static func holdStandardError() {
    guard isatty(STDERR_FILENO) == 1, saved.held == 0 else { return }
    let held = clinux_memory_file("stderr")
    guard held >= 0 else { return }
    saved.standardError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    saved.held = held
    dup2(held, STDERR_FILENO)
  }

  /// Gives stderr back, with what was held.
  static func releaseStandardError() {
    guard saved.held > 0 else { return }
    copyHeld()
    dup2(saved.standardError, STDERR_FILENO)
    close(saved.standardError)
    close(saved.held)
    (saved.standardError, saved.held) = (0, 0)
  }
}

/// Written by the main thread before the handlers are installed, read by them.
nonisolated(unsafe) private var saved = TerminalRescue.Saved()

/// Only calls that signal-safety(7) allows.
private func restoreAndDie(_ number: Int32) {
  if let sequence = saved.sequence { _ = write(STDOUT_FILENO, sequence, saved.sequenceLength) }
  if saved.hasModes { tcsetattr(STDIN_FILENO, TCSANOW, &saved.modes) }
  if saved.held > 0 { copyHeld() }
  signal(number, SIG_DFL)
  raise(number)
}

/// Copies what was held to the real stderr, with calls that a signal handler may make.
private func copyHeld() {
  withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
    guard let start = buffer.baseAddress else { return }
    var offset: off_t = 0
    while true {
      let count = pread(saved.held, start, 4096, offset)
      guard count > 0, write(saved.standardError, start, count) > 0 else { return }
      offset += off_t(count)
    }
  }
}
