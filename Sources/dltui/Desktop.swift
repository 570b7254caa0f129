import DownloadEngine
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
    return ChildProcess.launch([opener, path]).map { "\(opener) cannot be started: \($0)" }
  }
}
