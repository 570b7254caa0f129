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
    case .check: checkUsage
    case .adopt: adoptUsage
    case .help: "Usage: dltui help [COMMAND]\n\nThe commands are \(Verb.names).\n"
    }
  }

  private static func chapters(_ verb: Verb) -> [Option.Group] {
    switch verb {
    case .screen, .get, .list, .add, .check, .adopt: Option.Group.allCases
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

  /// Lines of whole words, no wider than that where the words allow it.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }

  private static var programUsage: String {
    let rows = Verb.allCases.map { verb in
      let call = ["dltui", verb.rawValue, verb.operands].filter { !$0.isEmpty }.joined(separator: " ")
      return "  " + call + String(repeating: " ", count: max(2, 28 - call.count)) + verb.summary + "\n"
    }
    return """
      dltui downloads files over http, https, ftp and sftp, on several connections at
      once, and goes on where it stopped.

      Usage:
      \(rows.joined())
      `-` among the URLs reads more of them from standard input; `--` ends options.

      """
  }

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

  private static let checkUsage = """
    Usage: dltui check [--repair] [--checksum ALG=HEX] [--metalink FILE] FILE…

    Compares unfinished files with the sums that were saved of them, and whole ones
    with --checksum, with what a Metalink file says of them, or with FILE.sha256,
    SHA256SUMS and the like in their folder. --repair fetches again what is wrong:
    in whole files, where a Metalink file has sums of their pieces.
    The exit status is 32 when something is wrong.

    """

  private static let adoptUsage = """
    Usage: dltui adopt [OPTIONS] URL FILE

    Goes on with a partial file that wget, curl, a browser (.part, .crdownload) or
    aria2 (FILE with FILE.aria2) has left. The end of every stretch that it claims is
    compared with the server's bytes first; what differs is fetched again.

    """

  private static let listUsage = """
    Usage: dltui list [--json] [--state-dir DIR] [DIR…]

    Lists the session's downloads or, with folders, the unfinished ones in them.

    """

  private static var closing: String {
    let meanings = ExitStatus.meanings.map { "\($0.number) \($0.words)" }.joined(separator: ", ")
    return wrapped("Exit status: \(meanings).", width).joined(separator: "\n") + "\n"
  }
}

extension Option {
  /// `list` and `add` fetch nothing themselves, so little of the table concerns them; `get` has neither screen nor session.
  func concerns(_ verb: Verb) -> Bool {
    switch verb {
    case .screen, .help: true
    case .get: group != .screen && !["confirm-quit", "state-dir", "no-session", "repair"].contains(name)
    case .adopt: concerns(.get) && !["dir", "output", "input-file", "metalink"].contains(name)
    case .check:
      ["checksum", "metalink", "repair", "if-changed", "config", "no-config", "help"].contains(name)
        || [.request, .output].contains(group)
    case .list: ["json", "state-dir", "config", "no-config", "help"].contains(name)
    case .add:
      isPerDownload || ["input-file", "metalink", "quiet", "state-dir", "config", "no-config", "help"].contains(name)
    }
  }

  /// `-d, --dir DIR`.
  var synopsis: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
}
