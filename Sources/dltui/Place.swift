import Glibc

/// Where things are: the environment's words, folders, the terminal.
enum Place {
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// `path` as seen from the current folder, without a `.` or `/` too many.
  static func absolute(_ path: String) -> String {
    let steps = path.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    let tail = steps.joined(separator: "/")
    if path.hasPrefix("/") { return "/" + tail }
    let here = currentFolder
    return tail.isEmpty ? here : (here == "/" ? "" : here) + "/" + tail
  }

  /// A path that was typed where no shell reads it: `~` is the home folder.
  static func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = environment("HOME"), home.hasPrefix("/") else { return path }
    return home + path.dropFirst()
  }

  /// The absolute path of an existing folder; nil for everything else, addresses among it.
  static func folder(_ word: String) -> String? {
    var status = stat()
    guard stat(word, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return absolute(word)
  }

  /// The folder that an absolute path leads to.
  static func folderOf(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Nobody leaves it.
  private static let currentFolder: String = {
    guard let bytes = getcwd(nil, 0) else { return "/" }
    defer { free(bytes) }
    return String(cString: bytes)
  }()

  /// Where the session is kept (XDG Base Directory Specification 0.8: a relative path in the environment is ignored).
  static func stateFolder(_ chosen: String?) throws(UsageError) -> String {
    if let chosen { return absolute(chosen) }
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") { return base + "/dltui" }
    guard let home = environment("HOME"), home.hasPrefix("/") else {
      throw UsageError("no place for the session: HOME is not set", hint: "--state-dir DIR or --no-session")
    }
    return home + "/.local/state/dltui"
  }

  /// The config file that is read unasked, if there is such a place (the same specification).
  static var configFile: String? {
    if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/dltui/config" }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/.config/dltui/config"
  }

  /// Whether a screen can be shown: a terminal at both ends that can move its cursor.
  static var hasScreen: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && hasCursor }

  /// TERM names a terminal that can do more than print.
  static var hasCursor: Bool { !["", "dumb"].contains(environment("TERM") ?? "") }

  /// Takes the locale's characters. Where a locale of UTF-8 is asked for that is not installed (on another machine over ssh, in a
  /// container), C.UTF-8 does for it.
  static func useLocale() {
    guard setlocale(LC_CTYPE, "") == nil else { return }
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    if ["UTF-8", "UTF8"].contains(where: name.uppercased().hasSuffix) { setlocale(LC_CTYPE, "C.UTF-8") }
  }

  /// The locale's characters, after `useLocale`.
  static var isUTF8: Bool { nl_langinfo(Int32(CODESET)).map { String(cString: $0) } == "UTF-8" }
}
