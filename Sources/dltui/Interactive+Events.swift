import DownloadCore
import DownloadEngine
import Glibc
import TerminalUI

/// What the keys, the signals and the engine lead to.
extension Interactive {
  /// Takes over what the engine has to say.
  mutating func look() {
    var count: UInt64 = 0
    if engine.descriptor >= 0 { _ = read(engine.descriptor, &count, 8) }
    snapshot = engine.snapshot
    taken = clock.now
    let newLead = snapshot.wallClock - snapshot.moment.components.seconds
    if abs(newLead - lead) > 1 { lead = newLead }
    hasCountdown = snapshot.downloads.contains { $0.state.isRetrying }
    for notice in engine.takeNotices() { tell(notice) }
    screen.observe(snapshot, size: terminal.size)
    if !isSuspended, let news = announcer.observe(snapshot) { terminal.announce(news) }
    if case .no = paint { paint = .soon }
    if !hasSeenEngine, snapshot.wallClock > 0 { (hasSeenEngine, paint) = (true, .now) }
  }

  /// What no column of the table says.
  private mutating func tell(_ notice: Notice) {
    switch notice.kind {
    case .warning(let text), .restarted(let text): screen.say(notice.id.number > 0 ? "\(notice.id): \(text)" : text)
    case .addedAlready: screen.say("\(notice.id): \(Notice.Kind.inTheList)")
    case .completed(let path, _, _, _): follow(path)
    case .added, .started, .retrying, .paused, .verifying, .failed: break
    }
  }

  /// Adds what a Metalink file names that is complete.
  private mutating func follow(_ path: String) {
    do throws(UsageError) {
      guard let asked = try invocation.followed(path) else { return }
      engine.post(.add(asked.requests))
      screen.say(asked.remarks.first ?? "added from \(path): \(asked.requests.count)")
    } catch {
      screen.complain(error.message)
    }
  }

  mutating func takeKeys() {
    for key in terminal.readKeys() {
      for action in screen.handle(key, in: snapshot, size: terminal.size) { perform(action) }
    }
    paint = .now
  }

  private mutating func perform(_ action: Action) {
    switch action {
    case .command(let command): engine.post(command)
    case .add(let downloads): add(downloads)
    case .commandLine(let text): obey(text)
    case .readdress(let id, let text): readdress(id, text)
    case .copy(let text): if !terminal.copy(text) { screen.complain("this terminal has no clipboard") }
    case .open(let path): if let problem = Desktop.open(path) { screen.complain(problem) }
    case .redraw: terminal.redraw()
    case .suspend: suspend(job: true)
    case .quit: quit()
    }
  }

  mutating func takeSignals() {
    while let signal = signals.next() {
      switch signal {
      case SIGWINCH:
        terminal.resize()
        screen.observe(snapshot, size: terminal.size)
        if case .no = paint { paint = .soon }
      case SIGTSTP: suspend(job: false)
      case SIGCONT: goOn()
      case SIGHUP: hangUp()
      default: quit()  // SIGINT and SIGTERM
      }
    }
  }

  /// Gives the terminal to the shell and stops, so that the shell sees a stopped job. SIGCONT, which waits then, goes on.
  private mutating func suspend(job: Bool) {
    guard case .running = phase else { return }
    terminal.suspend()
    phase = .suspended
    guard !signals.stop(job: job) else { return }
    goOn()
    screen.complain("there is no shell to go back to")
  }

  private mutating func goOn() {
    if isSuspended { phase = .running }
    terminal.resume()
    screen.appearance.utcOffset = Self.utcOffset()
    paint = .now
  }

  /// Asks the engine to save everything; asked a second time, leaves at once.
  mutating func quit() {
    switch phase {
    case .running, .suspended:
      engine.post(.quit)
      screen.showSaving()
      phase = .saving(until: clock.now + Self.patience)
      paint = .now
    case .saving, .over: phase = .over
    }
  }

  /// The terminal is gone. It says so in more than one way, which is not impatience.
  mutating func hangUp() {
    hasInput = false
    if case .saving = phase { return }
    quit()
  }
}

extension DownloadState {
  fileprivate var isRetrying: Bool {
    if case .retrying = self { true } else { false }
  }
}
