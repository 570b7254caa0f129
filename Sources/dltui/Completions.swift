/// What the shells need to complete dltui's command line, made from the tables of commands and options.
enum Completions {
  private static var options: [Option] { OptionTable.all.filter { $0.help != nil } }
  private static var verbs: [Verb] { Verb.allCases.filter { $0 != .screen } }

  // MARK: bash

  static var bash: String {
    """
    # bash completion for dltui(1)
    _dltui() {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
      COMPREPLY=()
      if [[ $cur == = ]]; then
        cur=
      elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      case $prev in
    \(bashValues)
      esac
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '\(options.map { "--\($0.name)" }.joined(separator: " "))' -- "$cur")
      else
        ((COMP_CWORD > 1)) || mapfile -t COMPREPLY < <(compgen -W '\(verbs.map(\.rawValue).joined(separator: " "))' -- "$cur")
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
      fi
    }
    complete -o filenames -F _dltui dltui

    """
  }

  /// One branch for all options that complete alike.
  private static var bashValues: String {
    let valued = options.filter { $0.placeholder != nil }
    let ways = Dictionary(grouping: valued, by: bashWay).sorted { $0.key < $1.key }
    return ways.map { way, options in
      let words = options.flatMap { ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? []) }
      return "    \(words.joined(separator: " | ")))\n"
        + (way.isEmpty ? "" : "      mapfile -t COMPREPLY < <(\(way) -- \"$cur\")\n")
        + "      return\n      ;;"
    }.joined(separator: "\n")
  }

  private static func bashWay(_ option: Option) -> String {
    switch option.placeholder {
    case "DIR": "compgen -d"
    case "FILE": "compgen -f"
    case _: option.choices.isEmpty ? "" : "compgen -W '\(option.choices.joined(separator: " "))'"
    }
  }

  // MARK: zsh

  static var zsh: String {
    let specs = options.map { "    \(zshSpec($0)) \\\n" }.joined()
    let commands = verbs.map { "      \(quoted("\($0.rawValue):\($0.summary)"))\n" }.joined()
    return """
      #compdef dltui
      # zsh completion for dltui(1)

      _dltui_operands() { _alternative 'urls:URL:_urls' 'files:file:_files' }

      _dltui_first() {
        local -a commands=(
      \(commands)    )
        _describe -t commands command commands
        _dltui_operands
      }

      _dltui() {
        _arguments -s -S \\
      \(specs)    '1:command or URL:_dltui_first' '*:operand:_dltui_operands'
      }

      _dltui "$@"

      """
  }

  private static func zshSpec(_ option: Option) -> String {
    let names = [option.letter.map { "-\($0)" }, "--\(option.name)"].compactMap(\.self)
    let isRepeatable = option.isRepeatable
    let before = isRepeatable ? "*" : names.count > 1 ? "(\(names.joined(separator: " ")))" : ""
    let after = "[\(zshEscaped(option.help ?? ""))]" + zshValue(option)
    let forms = names.map { $0 + (option.placeholder == nil ? "" : $0.hasPrefix("--") ? "=" : "+") }
    return forms.map { quoted(before + $0 + after) }.joined(separator: " ")
  }

  private static func zshValue(_ option: Option) -> String {
    guard let placeholder = option.placeholder else { return "" }
    let action =
      switch placeholder {
      case "DIR": "_files -/"
      case "FILE": "_files"
      case _: option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
      }
    return ":\(zshEscaped(placeholder)):\(action)"
  }

  private static func zshEscaped(_ text: String) -> String {
    text.reduce(into: "") { $0 += "\\:[]".contains($1) ? "\\\($1)" : String($1) }
  }

  // MARK: fish

  static var fish: String {
    let commands = verbs.map {
      "complete -c dltui -n __fish_use_subcommand -a \($0.rawValue) -d \(fishQuoted($0.summary))\n"
    }
    return "# fish completion for dltui(1)\n" + commands.joined() + options.map(fishLine).joined()
  }

  private static func fishLine(_ option: Option) -> String {
    let names = (option.letter.map { "-s \($0) " } ?? "") + "-l \(option.name)"
    return "complete -c dltui \(names)\(fishValue(option)) -d \(fishQuoted(option.help ?? ""))\n"
  }

  private static func fishValue(_ option: Option) -> String {
    switch option.placeholder {
    case nil: ""
    case "DIR": " -x -a '(__fish_complete_directories)'"
    case "FILE": " -r -F"
    case _: option.choices.isEmpty ? " -x" : " -x -a '\(option.choices.joined(separator: " "))'"
    }
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  /// As a POSIX shell reads it.
  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
