import CLinux
import Glibc

/// The signals that end the program in good order.
enum Stopping {
  /// SIGHUP only when nohup(1) did not ask to ignore it. Every other signal counts, even for a job in a script's background.
  static var signals: [Int32] { [SIGINT, SIGTERM] + (clinux_is_ignored(SIGHUP) == 0 ? [SIGHUP] : []) }

  /// How long everything has to be saved.
  static let patience: Duration = .seconds(2)

  /// Unfinished downloads were left.
  static let exitStatus: Int32 = 7
}
