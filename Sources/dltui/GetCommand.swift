import DownloadCore
import DownloadEngine
import Glibc

/// `dltui get`: downloads without a screen and ends when all have ended.
struct GetCommand {
  private let invocation: Invocation
  private let engine: Engine
  private let signals: SignalDescriptor
  private var tally: Tally
  private var events: JSONProgress?
  private var progress: PlainProgress
  private let outputs: [Output]

  /// `remark` is said first, once the command line has proved to be right.
  static func run(_ invocation: Invocation, remark: String? = nil) throws(UsageError) -> Int32 {
    let (requests, remarks) = try invocation.requests()
    guard !requests.isEmpty else { throw UsageError("no address given", hint: "dltui get [OPTIONS] URL…") }
    return try run(invocation, fetching: consume requests, [remark].compactMap(\.self) + remarks)
  }

  static func run(
    _ invocation: Invocation, fetching requests: consuming [Request], _ remarks: [String] = []
  ) throws(UsageError) -> Int32 {
    for remark in remarks where !invocation.output.isQuiet { Program.complain(remark) }
    do throws(DownloadError) {
      let folders = Set(requests.map(\.folder)).sorted()
      if let problem = folders.lazy.compactMap(FolderCheck.problem).first { throw problem }
      var command = try GetCommand(invocation, asked: requests.count)
      return command.run(consume requests)
    } catch {
      return Program.fail(error)
    }
  }

  /// The signals are blocked before the engine starts its threads, so that those inherit it.
  private init(_ invocation: Invocation, asked: Int) throws(DownloadError) {
    self.invocation = invocation
    signals = SignalDescriptor(Stopping.signals)
    outputs = [Output(STDOUT_FILENO), Output(STDERR_FILENO)]
    for output in outputs { output.interrupt = signals.descriptor }
    events = invocation.output.json ? JSONProgress(outputs[0]) : nil
    progress = PlainProgress(outputs[1], invocation.output)
    tally = Tally(asked: asked)
    var configuration = Engine.Configuration()
    configuration.settings = invocation.settings
    configuration.settings.ifChanged = invocation.ifChanged ?? .restart
    configuration.log = invocation.log
    configuration.onComplete = invocation.onComplete
    engine = try Engine(configuration)
  }

  private mutating func run(_ requests: consuming [Request]) -> Int32 {
    engine.post(.add(consume requests))
    var wasInterrupted = false
    while !tally.allEnded || engine.isRunningHook, !engine.hasStopped, !wasInterrupted {
      wait(for: progress.period)
      report()
      wasInterrupted = signals.next() != nil
    }
    stop(within: wasInterrupted ? Stopping.patience : .seconds(30))
    progress.finish(unfinished: tally.unfinished)
    return status
  }

  /// Lets the engine save everything. A second SIGINT ends the program at once: what is on disk is good.
  private mutating func stop(within patience: Duration) {
    let deadline = ContinuousClock.now + patience
    for output in outputs { output.patience = 100 }
    engine.post(.quit)
    while !engine.hasStopped {
      let left = deadline - .now
      guard left > .zero else { return }
      wait(for: left)
      report()
      if signals.next() == SIGINT { _exit(tally.exitStatus) }
    }
    report()
  }

  /// Until the engine has news, a signal came, or the time is over.
  private func wait(for time: Duration) {
    let milliseconds = Int32(clamping: Int((time / .milliseconds(1)).rounded(.up)))
    var waits = [engine.descriptor, signals.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&waits, 2, milliseconds)
    var count: UInt64 = 0
    if waits[0].revents != 0 { _ = read(engine.descriptor, &count, 8) }
  }

  private mutating func report() {
    let notices = engine.takeNotices().flatMap { [$0] + follow($0) }
    // A long queue is only described for somebody who looks at it.
    let snapshot = events != nil || progress.showsState ? engine.snapshot : Snapshot()
    for notice in notices { tally.count(notice) }
    events?.report(notices, snapshot)
    progress.report(notices, snapshot)
  }

  /// Adds what a Metalink file names that is complete, and tells what could not be added.
  private mutating func follow(_ notice: Notice) -> [Notice] {
    guard case .completed(let path, _, _, _) = notice.kind else { return [] }
    do throws(UsageError) {
      guard let asked = try invocation.followed(path) else { return [] }
      tally.ask(for: asked.requests.count)
      engine.post(.add(asked.requests))
      return asked.remarks.map { Notice(notice.id, .warning($0)) }
    } catch {
      return [Notice(notice.id, .failed(.other(error.message)))]
    }
  }

  /// A file is not the less complete because nobody reads the events; any other failure to write them is told.
  private var status: Int32 {
    guard events != nil, tally.exitStatus == 0, let failure = outputs[0].failure, failure != EPIPE else {
      return tally.exitStatus
    }
    Program.complain("cannot write to standard output: \(systemWords(failure))")
    return 1
  }
}
