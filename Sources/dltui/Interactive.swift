import DownloadCore
import DownloadEngine
import Glibc
import TerminalUI

/// The program with a screen: waits for keys, signals, the engine and the spool, and paints. Nothing wakes it but these four, a countdown
/// that is on the screen, and a repaint that was put off so that the engine causes at most ten a second.
struct Interactive {
  /// What the command line says about the screen.
  struct Options {
    var isASCII = false
    var theme = Theme.auto
    var terminal = CursesTerminal.Wishes()
    /// Said in the bottom line when the screen opens.
    var greeting: String?
  }

  /// The signals that the descriptor given to `run` must deliver.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
  private static let frame: Duration = .milliseconds(100)
  static let patience: Duration = .seconds(2)

  let engine: Engine
  let signals: SignalDescriptor
  /// Where other processes put addresses; nil without a session.
  let spool: Spool?
  let terminal: CursesTerminal
  let clock = ContinuousClock()

  /// What holds for downloads that are added on the screen, and the settings that its commands change.
  var invocation: Invocation
  var screen: Screen
  var snapshot = Snapshot()
  var announcer = Announcer()
  /// When the snapshot was taken over, to know how old it is.
  var taken: ContinuousClock.Instant
  /// How many seconds the wall clock is ahead of the session's: kept steady, so that times of the past do not waver.
  var lead: Int64 = 0
  private var painted: ContinuousClock.Instant
  /// The first picture waits a moment for the engine, so that it is no empty one.
  var paint = Paint.soon
  var hasSeenEngine = false
  var phase = Phase.running
  var hasInput = true
  var hasCountdown = false

  /// When to paint next.
  enum Paint {
    case no
    /// As soon as a frame's time has passed.
    case soon
    case now
  }

  enum Phase {
    case running
    /// Stopped by job control, until SIGCONT.
    case suspended
    case saving(until: ContinuousClock.Instant)
    /// Leaves without waiting any longer.
    case over
  }

  /// Runs until the user or a signal ends it, and returns the exit status. `signals` delivers `Interactive.signals`; `invocation` is
  /// what the command line asked for; what comes into `spool` is added. Returns nil when there is no terminal that a screen can be drawn on.
  static func run(
    engine: Engine, signals: SignalDescriptor, spool: Spool? = nil, options: Options = Options(),
    invocation: Invocation
  ) -> Int32? {
    guard let terminal = CursesTerminal(options.terminal) else { return nil }
    var program = Interactive(engine, signals, spool, terminal, options, invocation)
    let status = program.loop()
    terminal.close()
    return status
  }

  private init(
    _ engine: Engine, _ signals: SignalDescriptor, _ spool: Spool?, _ terminal: CursesTerminal, _ options: Options,
    _ invocation: Invocation
  ) {
    self.engine = engine
    self.signals = signals
    self.spool = spool
    self.terminal = terminal
    self.invocation = invocation.forLater
    (taken, painted) = (clock.now, clock.now)
    screen = Screen(
      .init(
        ascii: options.isASCII || !terminal.isUnicode, theme: Self.theme(options.theme),
        themes: Theme.available(colours: terminal.colours), utcOffset: Self.utcOffset()))
    screen.vocabulary = Self.vocabulary
    screen.quitQuestion = invocation.output.quitQuestion
    screen.folder = invocation.folder
    if let text = options.greeting ?? terminal.remark { screen.say(text) }
  }

  private mutating func loop() -> Int32 {
    look()
    takeSpool()
    while !isOver {
      paintIfDue()
      let ready = wait()
      if ready.signals { takeSignals() }
      if ready.engine { look() }
      if ready.spool { takeSpool() }
      if ready.input { takeKeys() }
      if ready.isHungUp { hangUp() }
    }
    return exitStatus
  }

  private var isOver: Bool {
    switch phase {
    case .running, .suspended: engine.hasStopped
    case .saving(let deadline): engine.hasStopped || clock.now >= deadline
    case .over: true
    }
  }

  /// 7 when something is left to do, the last failure's code when something failed, else 0.
  private var exitStatus: Int32 {
    let states = engine.snapshot.downloads.map(\.state)
    let failure = states.reduce(into: Int32(0)) { code, state in
      if case .failed(let error) = state { code = Int32(error.code) }
    }
    return states.contains(where: \.isUnfinished) ? 7 : failure
  }

  // MARK: Waiting

  /// What there is to do after waiting.
  private struct Ready {
    var input = false
    var isHungUp = false
    var engine = false
    var signals = false
    var spool = false
  }

  private func wait() -> Ready {
    var sources = [
      pollfd(fd: hasInput ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: engine.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: takesMore ? spool?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, nfds_t(sources.count), timeout) > 0 else { return Ready() }
    let input = Int32(sources[0].revents)
    return Ready(
      input: input & POLLIN != 0 && hasBytes, isHungUp: input != 0 && (input & POLLIN == 0 || !hasBytes),
      engine: sources[1].revents != 0, signals: sources[2].revents != 0,
      spool: sources[3].revents != 0)
  }

  /// What comes into the spool at the end stays there for the next one.
  private var takesMore: Bool {
    switch phase {
    case .running: true
    case .suspended, .saving, .over: false
    }
  }

  /// A readable terminal without bytes has come to its end.
  private var hasBytes: Bool {
    var count: Int32 = 0
    return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
  }

  /// In milliseconds; −1 is for ever.
  private var timeout: Int32 {
    let now = clock.now
    var moments: [ContinuousClock.Instant] = []
    if case .soon = paint, !isSuspended { moments.append(painted + Self.frame) }
    if hasCountdown, !isSuspended { moments.append(painted + .seconds(1)) }
    if case .saving(let deadline) = phase { moments.append(deadline) }
    guard let first = moments.min() else { return -1 }
    let (seconds, fraction) = max(.zero, now.duration(to: first)).components
    return Int32(min(seconds, 60) * 1000 + fraction / 1_000_000_000_000_000 + 1)
  }

  // MARK: Painting

  var isSuspended: Bool {
    if case .suspended = phase { true } else { false }
  }

  private mutating func paintIfDue() {
    let age = painted.duration(to: clock.now)
    switch paint {
    case .now: break
    case .soon where age >= Self.frame: break
    case .soon, .no: guard hasCountdown, age >= .seconds(1) else { return }
    }
    guard !isSuspended else { return }
    terminal.paint(screen.render(presentSnapshot, size: terminal.size), screen.appearance.theme)
    painted = clock.now
    paint = .no
  }

  /// The snapshot as of now, so that countdowns go on while nothing else happens.
  private var presentSnapshot: Snapshot {
    let age = taken.duration(to: clock.now)
    var present = snapshot
    present.moment += age
    present.wallClock = lead + present.moment.components.seconds
    return present
  }

  /// Where nothing was chosen, some terminals tell what their background is.
  static func theme(_ chosen: Theme) -> Theme {
    guard chosen == .auto, let text = Place.environment("COLORFGBG") else { return chosen }
    return Theme(colorFGBG: text) ?? .auto
  }

  static func utcOffset() -> Int {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return local.tm_gmtoff
  }
}

extension DownloadState {
  fileprivate var isUnfinished: Bool {
    switch self {
    case .queued, .active, .retrying, .verifying, .paused: true
    case .completed, .failed: false
    }
  }
}
