import DownloadCore
import DownloadEngine
import Glibc
import TerminalUI

/// The program: reads the command line, hands over to a command, and says what went wrong.
enum Program {
  static let version = "0.1.0"

  /// Runs to the end and returns the exit status.
  static func run() -> Int32 {
    do throws(UsageError) {
      let words = try arguments()
      if words.first?.split(separator: "/").last.map(String.init) == Aria2Options.programName {
        return try perform(try Aria2Options.invocation(words))
      }
      return try perform(try invocation(try ArgumentParser.read(words)))
    } catch {
      complain(error.message, hint: error.hint)
      return UsageError.exitStatus
    }
  }

  /// A name that is not UTF-8 would be repaired on the way, and another file be written than the one that was meant.
  private static func arguments() throws(UsageError) -> [String] {
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    for case let word? in words where String(validatingCString: word) == nil {
      throw UsageError("an argument is not UTF-8 text: \(String(cString: word))")
    }
    return CommandLine.arguments
  }

  /// Defaults, then the config file, then the command line; each beats what came before.
  private static func invocation(_ arguments: ReadArguments) throws(UsageError) -> Invocation {
    var alone = Invocation()
    try arguments.apply(to: &alone)
    guard alone.readsConfig, !alone.wantsHelp, !alone.wantsVersion, alone.print == nil, alone.command != .help
    else { return alone }
    guard let file = try ConfigFile.chosen(alone.configFile) else { return alone }
    var invocation = Invocation()
    try file.apply(to: &invocation)
    try arguments.apply(to: &invocation)
    return invocation
  }

  private static func perform(_ invocation: Invocation) throws(UsageError) -> Int32 {
    if invocation.wantsHelp { return show(Help.text(for: invocation.command)) }
    if invocation.wantsVersion { return show("dltui \(version)\n") }
    if let wanted = invocation.print { return show(wanted.text) }
    switch invocation.command {
    case .screen: return try logged(invocation, ScreenCommand.run)
    case .get: return try logged(invocation) { (open) throws(UsageError) in try GetCommand.run(open) }
    case .add: return try AddCommand.run(invocation)
    case .check: return try logged(invocation, CheckCommand.run)
    case .adopt: return try logged(invocation, AdoptCommand.run)
    case .list: return try ListCommand.run(invocation)
    case .help: return show(Help.text(for: try topic(invocation.operands)))
    }
  }

  /// Runs a command with the log that was asked for.
  private static func logged(
    _ invocation: Invocation, _ command: (Invocation) throws(UsageError) -> Int32
  ) throws(UsageError) -> Int32 {
    guard let path = invocation.logPath else { return try command(invocation) }
    var open = invocation
    open.log = try LogFile.open(path, invocation.logLevel)
    open.log?.say(.info, "dltui \(version) begins")
    let status = try command(open)
    open.log?.say(.info, "dltui ends with status \(status)")
    return status
  }

  /// `help` alone is about the whole program.
  private static func topic(_ words: [String]) throws(UsageError) -> Verb {
    guard let word = words.first else { return .screen }
    guard words.count == 1, let verb = Verb(rawValue: word), verb != .screen else {
      throw UsageError("no help for: \(words.joined(separator: " "))", hint: "the commands are \(Verb.names)")
    }
    return verb
  }

  /// Prints on standard output; the status tells whether that worked.
  static func show(_ text: String) -> Int32 {
    let output = Output(STDOUT_FILENO)
    output.write(text)
    guard let failure = output.failure, failure != EPIPE else { return 0 }
    complain("cannot write to standard output: \(systemWords(failure))")
    return 1
  }

  static func complain(_ message: String, hint: String? = nil) {
    let text = "dltui: \(VisibleText.of(message))\n" + (hint.map { "hint: \(VisibleText.of($0))\n" } ?? "")
    Output(STDERR_FILENO).write(text)
  }

  /// Says why a whole command failed; the status is that of the catalogue.
  static func fail(_ error: DownloadError) -> Int32 {
    complain(error.message, hint: error.hint)
    return Int32(clamping: error.code)
  }
}

extension Invocation.Printable {
  fileprivate var text: String {
    switch self {
    case .man: ManualPage.text
    case .bash: Completions.bash
    case .zsh: Completions.zsh
    case .fish: Completions.fish
    }
  }
}

extension Verb {
  /// The words that may be typed, for messages.
  static var names: String { allCases.map(\.rawValue).filter { !$0.isEmpty }.joined(separator: ", ") }
}
