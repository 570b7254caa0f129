/// What `--help` prints, made from the option table.
enum Help {
  private static let width = 80
  private static let indent = 32

  static func text(for verb: Verb) -> String {
    usage(verb) + chapters(verb).map { chapter($0, verb) }.joined() + "\n" + closing
  }

  private static func usage(_ verb: Verb) -> String {
    switch verb {
    case .screen: programUsage
    case .get: getUsage
    case .add: addUsage
    case .list: listUsage
    case .help: "Usage: dltui help [COMMAND]\n\nThe commands are \(Verb.names).\n"
    }
  }

  private static func chapters(_ verb: Verb) -> [Option.Group] {
    switch verb {
    case .screen, .list, .add: Option.Group.allCases
    case .get: Option.Group.allCases.filter { $0 != .screen && $0 != .session }
    case .help: []
    }
  }

  private static func chapter(_ group: Option.Group, _ verb: Verb) -> String {
    let rows = OptionTable.all.filter { $0.group == group && $0.concerns(verb) }.compactMap(row)
    return rows.isEmpty ? "" : "\n\(group.rawValue):\n" + rows.joined()
  }

  private static func row(_ option: Option) -> String? {
    guard let help = option.help else { return nil }
    let words = help + (option.defaultText.map { " (default: \($0))" } ?? "")
    let lines = wrapped(words, width - indent)
    let head = (option.letter == nil ? "      " : "  ") + option.synopsis
    let pad = String(repeating: " ", count: indent)
    let first = head.count + 2 > indent ? head + "\n" + pad : head + pad.dropFirst(head.count)
    return first + lines.joined(separator: "\n" + pad) + "\n"
  }

  private static func wrapped(_ text: String, _ width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }

  private static let programUsage = """
    dltui downloads files over http, https, ftp and sftp, on several connections at
    once, and goes on where it stopped.

    Usage:
      dltui [OPTIONS] [URL…]      a screen with all downloads
      dltui get [OPTIONS] URL…    download and exit
      dltui add [OPTIONS] URL…    hand them to the dltui that is running
      dltui list [--json] [DIR…]  what the session knows, or is unfinished in DIR
      dltui help [COMMAND]        this text, or that of a command

    `-` among the URLs reads more of them from standard input; `--` ends options.

    """

  private static let getUsage = """
    Usage: dltui get [OPTIONS] URL…

    Downloads without a screen and exits when all have ended. What a part file and
    its sidecar say is unfinished goes on. Progress is written to standard error;
    with --json, events go to standard output and only errors to standard error.

    """

  private static let addUsage = """
    Usage: dltui add [OPTIONS] URL…

    Hands downloads to the dltui that is running, or puts them into the queue for
    the next one. Its own settings hold for them, and the options given here.

    """

  private static let listUsage = """
    Usage: dltui list [--json] [--state-dir DIR] [DIR…]

    Lists the session's downloads or, with folders, the unfinished ones in them.

    """

  private static let closing = """
    Exit status: 0 all complete, 2 time-out, 3 not found, 5 too slow, 6 network,
    7 interrupted, 9 disk full, 13 the file exists, 15–18 files and folders, 19 name
    not resolved, 22 unexpected answer, 23 redirects, 24 not authorized, 28 bad
    option or address, 29 overloaded, 32 wrong checksum, 1 anything else.

    """
}

extension Option {
  /// `list` and `add` fetch nothing themselves, so little of the table concerns them.
  func concerns(_ verb: Verb) -> Bool {
    switch verb {
    case .screen, .get, .help: true
    case .list: ["json", "state-dir", "config", "no-config", "help"].contains(name)
    case .add:
      isPerDownload || ["input-file", "quiet", "state-dir", "config", "no-config", "help"].contains(name)
    }
  }

  /// `-d, --dir DIR`.
  var synopsis: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
}
