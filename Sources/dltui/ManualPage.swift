import TerminalUI

/// dltui(1) as man(7) source, made from the tables of commands, options, keys and exit statuses.
enum ManualPage {
  /// When this version was made.
  private static let date = "2026-11-30"

  static var text: String {
    [
      ".TH DLTUI 1 \(date) \"dltui \(Program.version)\" \"User Commands\"",
      section("NAME"), "dltui \\- download manager for the terminal", section("SYNOPSIS"), synopses,
      section("DESCRIPTION"),
      plain(description), section("COMMANDS"), commands, section("OPTIONS"), options, section("KEYS"), keys,
      section("FILES"), list(files), section("ENVIRONMENT"), list(environment), section("EXIT STATUS"),
      list(ExitStatus.meanings.map { ($0.number, $0.words) }), section("SEE ALSO"), seeAlso,
    ].joined(separator: "\n") + "\n"
  }

  private static let description = """
    dltui downloads files over http, https, ftp and sftp, on several connections at once, and goes on where it stopped. \
    With a terminal it shows all downloads in a table; in scripts `dltui get` does without. `-` among the URLs reads more of \
    them from standard input; `--` ends the options.
    """

  private static let files = [
    (
      "$XDG_CONFIG_HOME/dltui/config, usually ~/.config/dltui/config",
      "options, one `name = value` a line; # begins a comment line"
    ),
    ("$XDG_STATE_HOME/dltui/session.json, usually ~/.local/state/dltui/session.json", "the list of downloads"),
    ("NAME.part", "the bytes of an unfinished download"),
    ("NAME.part.json", "which of them are there, and how the server named that version of the file"),
  ]

  private static let environment = [
    ("http_proxy, https_proxy, ftp_proxy, all_proxy, no_proxy", "proxies, and hosts that are asked directly"),
    ("NO_COLOR", "no colours, when it is not empty"), ("TERM", "the terminal; without one there is no screen"),
    ("COLORFGBG", "whether the terminal's background is dark or light"),
    ("DLTUI_PATH, DLTUI_SIZE, DLTUI_STATE, DLTUI_VERIFIED", "set for the program of --on-complete"),
  ]

  private static let seeAlso = [".BR aria2c (1),", ".BR curl (1),", ".BR wget (1)"].joined(separator: "\n")

  private static var synopses: String {
    Verb.allCases.map { ".B dltui\n" + plain("\($0.rawValue) \($0.operands)".trimmedStart) }.joined(
      separator: "\n.br\n")
  }

  private static var commands: String {
    list(Verb.allCases.map { ("dltui \($0.rawValue) \($0.operands)".replacing("  ", with: " "), $0.summary) })
  }

  private static var options: String {
    Option.Group.allCases.map { group in
      let rows = OptionTable.all.filter { $0.group == group }.compactMap { option in
        option.help.map { (option.synopsis, $0 + (option.defaultText.map { " (default: \($0))" } ?? "")) }
      }
      return ".SS \(group.rawValue)\n" + list(rows)
    }.joined(separator: "\n")
  }

  private static var keys: String { list(KeyMap.bindings.map { ($0.shown, $0.help) }) }

  private static func section(_ name: String) -> String { ".SH \"\(name)\"" }

  private static func list(_ rows: [(head: String, text: String)]) -> String {
    rows.map { ".TP\n.B \(inLine($0.head))\n\(plain($0.text))" }.joined(separator: "\n")
  }

  /// Text on lines of its own: none may look like a request.
  private static func plain(_ text: String) -> String {
    Help.wrapped(inLine(text), 78).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }.joined(separator: "\n")
  }

  /// groff_char(7): what typesetting would turn into something else, and what is not ASCII.
  private static func inLine(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { line, scalar in
      switch scalar {
      case "\\": line += "\\e"
      case "-": line += "\\-"
      case "'": line += "\\(aq"
      case "`": line += "\\(ga"
      case "^": line += "\\(ha"
      case "~": line += "\\(ti"
      case "\"": line += "\\(dq"
      case _ where scalar.isASCII: line.unicodeScalars.append(scalar)
      case _:
        let code = String(scalar.value, radix: 16, uppercase: true)
        line += "\\[u" + String(repeating: "0", count: max(0, 4 - code.count)) + code + "]"
      }
    }
  }
}

extension String {
  fileprivate var trimmedStart: String { String(drop { $0 == " " }) }
}
