import DownloadCore
import DownloadEngine
import Glibc

/// `dltui` without a command: the screen, or `get` where there is no terminal for one.
enum ScreenCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    guard Place.hasScreen else { return try runWithoutScreen(invocation) }
    if invocation.output.json { throw UsageError("--json belongs to a command: dltui get or dltui list") }
    let (requests, remarks) = try invocation.requestsForScreen()
    if let problem = requests.lazy.compactMap({ FolderCheck.problem($0.folder) }).first { return Program.fail(problem) }
    var configuration = Engine.Configuration()
    configuration.settings = invocation.screenSettings
    configuration.stateFolder = invocation.keepsSession ? try Place.stateFolder(invocation.stateFolder) : nil
    configuration.log = invocation.log
    configuration.onComplete = invocation.onComplete
    do throws(DownloadError) {
      return try show(invocation, configuration, requests, greeting: remarks.first)
    } catch {
      if case .sessionInUse = error, !requests.isEmpty { return try AddCommand.handOver(requests, invocation) }
      return fail(error)
    }
  }

  /// At the start only the state folder can be at fault, so `--dir` is no remedy.
  private static func fail(_ error: DownloadError) -> Int32 {
    let hint =
      if case .cannotCreate = error { "--state-dir DIR takes another folder, --no-session works without one" } else {
        error.hint
      }
    Program.complain(error.message, hint: hint)
    return Int32(clamping: error.code)
  }

  /// The signals are blocked before the engine starts its threads, so that those inherit it.
  private static func show(
    _ invocation: Invocation, _ configuration: Engine.Configuration, _ requests: [Request], greeting: String?
  ) throws(DownloadError) -> Int32 {
    let signals = SignalDescriptor(Interactive.signals)
    let engine = try Engine(configuration)
    let spool: Spool? = if let folder = configuration.stateFolder { try Spool(stateFolder: folder) } else { nil }
    if !requests.isEmpty { engine.post(.add(requests)) }
    let style = invocation.output
    let options = Interactive.Options(
      isASCII: style.ascii, theme: style.theme,
      terminal: CursesTerminal.Wishes(
        hasColour: style.color.isOn(isTerminal: true), takesMouse: style.takesMouse, setsTitle: style.setsTitle,
        notification: style.notification), greeting: greeting)
    let status = Interactive.run(
      engine: engine, signals: signals, spool: spool, options: options, invocation: invocation)
    return status ?? leave(engine)
  }

  /// Nothing is lost: what was asked for waits in the session.
  private static func leave(_ engine: Engine) -> Int32 {
    engine.post(.quit)
    let deadline = ContinuousClock.now + Stopping.patience
    while !engine.hasStopped, ContinuousClock.now < deadline { usleep(10_000) }
    Program.complain("no screen can be drawn on this terminal", hint: "dltui get downloads without one")
    return 1
  }

  private static func runWithoutScreen(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let reason = Place.hasCursor ? "standard input or output is no terminal" : "TERM is unset or dumb"
    if invocation.operands.isEmpty, invocation.inputFiles.isEmpty, invocation.metalinks.isEmpty {
      throw UsageError("no screen without a terminal (\(reason)), and no address given", hint: "dltui get URL…")
    }
    return try GetCommand.run(invocation, remark: "no screen (\(reason)), going on as `dltui get`")
  }
}

extension Invocation {
  /// The screen may open empty.
  fileprivate func requestsForScreen() throws(UsageError) -> (requests: [Request], remarks: [String]) {
    operands.isEmpty && inputFiles.isEmpty && metalinks.isEmpty && wish.name == nil && wish.checksum == nil
      ? ([], []) : try requests()
  }

  /// What holds for downloads that are added on the screen: a file name and a checksum were meant for one file.
  var forLater: Invocation {
    var copy = self
    (copy.wish.name, copy.wish.checksum) = (nil, nil)
    return copy
  }

  /// The settings while there is a screen that can ask.
  var screenSettings: Settings {
    var settings = settings
    settings.ifChanged = ifChanged ?? .ask
    return settings
  }
}
