import DownloadCore
import DownloadEngine

/// `dltui` without a command: the screen, or `get` where there is no terminal for one.
enum ScreenCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    guard Place.hasScreen else { return try runWithoutScreen(invocation) }
    if invocation.output.json { throw UsageError("--json belongs to a command: dltui get or dltui list") }
    let (requests, remarks) = try invocation.requestsForScreen()
    var configuration = Engine.Configuration()
    configuration.settings = invocation.settings
    configuration.stateFolder = invocation.keepsSession ? try Place.stateFolder(invocation.stateFolder) : nil
    for remark in remarks { Program.complain(remark) }
    return show(configuration, requests, invocation.output)
  }

  private static func show(
    _ configuration: Engine.Configuration, _ requests: [Request], _ style: Invocation.OutputStyle
  ) -> Int32 {
    // The one place where the screen is started: `Interactive.run(configuration, requests, style)`.
    Program.complain("the screen is not there yet", hint: "dltui get downloads without it")
    return 1
  }

  private static func runWithoutScreen(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let reason = Place.hasCursor ? "standard input or output is no terminal" : "TERM is unset or dumb"
    if invocation.operands.isEmpty, invocation.inputFiles.isEmpty {
      throw UsageError("no screen without a terminal (\(reason)), and no address given", hint: "dltui get URL…")
    }
    return try GetCommand.run(invocation, remark: "no screen (\(reason)), going on as `dltui get`")
  }
}

extension Invocation {
  /// The screen may open empty.
  fileprivate func requestsForScreen() throws(UsageError) -> (requests: [Request], remarks: [String]) {
    operands.isEmpty && inputFiles.isEmpty && wish.name == nil && wish.checksum == nil ? ([], []) : try requests()
  }
}
