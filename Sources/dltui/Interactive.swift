import DownloadCore
import DownloadEngine
import Glibc
import TerminalUI

/// The program with a screen: waits for keys, signals and the engine, and paints. Nothing wakes it but these three, a countdown
/// that is on the screen, and a repaint that was put off so that the engine causes at most ten a second.
struct Interactive {
  /// What the command line says about the screen.
  struct Options {
    var isASCII = false
    var hasColour = true
    /// Said in the bottom line when the screen opens.
    var greeting: String?
  }

  /// The signals that the descriptor given to `run` must deliver.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
  private static let frame: Duration = .milliseconds(100)
  private static let patience: Duration = .seconds(2)

  private let engine: Engine
  private let signals: SignalDescriptor
  private let terminal: CursesTerminal
  private let makeRequest: (String) -> Result<Request, DownloadError>
  private let clock = ContinuousClock()

  private var screen: Screen
  private var snapshot = Snapshot()
  /// When the snapshot was taken over, to know how old it is.
  private var taken: ContinuousClock.Instant
  private var painted: ContinuousClock.Instant
  private var paint = Paint.now
  private var phase = Phase.running
  private var hasInput = true
  private var hasCountdown = false

  /// When to paint next.
  private enum Paint {
    case no
    /// As soon as a frame's time has passed.
    case soon
    case now
  }

  private enum Phase {
    case running
    /// Stopped by job control, until SIGCONT.
    case suspended
    case saving(until: ContinuousClock.Instant)
    /// Leaves without waiting any longer.
    case over
  }

  /// Runs until the user or a signal ends it, and returns the exit status. `signals` delivers `Interactive.signals`; `makeRequest`
  /// turns what the user typed as an address into a request. Returns nil when there is no terminal that a screen can be drawn on.
  static func run(
    engine: Engine, signals: SignalDescriptor, options: Options = Options(),
    makeRequest: @escaping (String) -> Result<Request, DownloadError>
  ) -> Int32? {
    guard let terminal = CursesTerminal(colour: options.hasColour) else { return nil }
    var program = Interactive(engine, signals, terminal, options, makeRequest)
    let status = program.loop()
    terminal.close()
    return status
  }

  private init(
    _ engine: Engine, _ signals: SignalDescriptor, _ terminal: CursesTerminal, _ options: Options,
    _ makeRequest: @escaping (String) -> Result<Request, DownloadError>
  ) {
    self.engine = engine
    self.signals = signals
    self.terminal = terminal
    self.makeRequest = makeRequest
    (taken, painted) = (clock.now, clock.now)
    screen = Screen(.init(ascii: options.isASCII || !terminal.isUnicode, utcOffset: Self.utcOffset()))
    if let text = options.greeting ?? terminal.remark { screen.say(text) }
  }

  private mutating func loop() -> Int32 {
    look()
    while !isOver {
      paintIfDue()
      let ready = wait()
      if ready.signals { takeSignals() }
      if ready.engine { look() }
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
  }

  private func wait() -> Ready {
    var sources = [
      pollfd(fd: hasInput ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: engine.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, nfds_t(sources.count), timeout) > 0 else { return Ready() }
    let input = Int32(sources[0].revents)
    return Ready(
      input: input & POLLIN != 0 && hasBytes, isHungUp: input != 0 && (input & POLLIN == 0 || !hasBytes),
      engine: sources[1].revents != 0, signals: sources[2].revents != 0)
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

  private var isSuspended: Bool {
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
    terminal.paint(screen.render(presentSnapshot, size: terminal.size))
    painted = clock.now
    paint = .no
  }

  /// The snapshot as of now, so that countdowns go on while nothing else happens.
  private var presentSnapshot: Snapshot {
    let age = taken.duration(to: clock.now)
    var present = snapshot
    present.moment += age
    present.wallClock += age.components.seconds
    return present
  }

  // MARK: What happens

  /// Takes over what the engine has to say.
  private mutating func look() {
    var count: UInt64 = 0
    if engine.descriptor >= 0 { _ = read(engine.descriptor, &count, 8) }
    snapshot = engine.snapshot
    taken = clock.now
    hasCountdown = snapshot.downloads.contains { $0.state.isRetrying }
    for notice in engine.takeNotices() { tell(notice) }
    screen.observe(snapshot, size: terminal.size)
    if case .no = paint { paint = .soon }
  }

  /// What no column of the table says.
  private mutating func tell(_ notice: Notice) {
    switch notice.kind {
    case .warning(let text), .restarted(let text): screen.say("\(notice.id): \(text)")
    case .added, .started, .retrying, .paused, .verifying, .completed, .failed: break
    }
  }

  private mutating func takeKeys() {
    for key in terminal.readKeys() {
      for action in screen.handle(key, in: snapshot, size: terminal.size) { perform(action) }
    }
    paint = .now
  }

  private mutating func perform(_ action: Action) {
    switch action {
    case .command(let command): engine.post(command)
    case .addresses(let texts): add(texts)
    case .redraw: terminal.redraw()
    case .suspend: suspend()
    case .quit: quit()
    }
  }

  private mutating func add(_ texts: [String]) {
    var requests: [Request] = []
    var refused: [(text: String, why: String)] = []
    for text in texts {
      switch makeRequest(text) {
      case .success(let request): requests.append(request)
      case .failure(let error): refused.append((text, error.message))
      }
    }
    if !requests.isEmpty { engine.post(.add(requests)) }
    if let first = refused.first { screen.refuse(refused.map(\.text), because: first.why) }
  }

  private mutating func takeSignals() {
    while let signal = signals.next() {
      switch signal {
      case SIGWINCH:
        terminal.resize()
        screen.observe(snapshot, size: terminal.size)
        if case .no = paint { paint = .soon }
      case SIGTSTP: suspend()
      case SIGCONT: goOn()
      case SIGHUP: hangUp()
      default: quit()  // SIGINT and SIGTERM
      }
    }
  }

  /// Gives the terminal to the shell and stops, so that the shell sees a stopped job. SIGCONT goes on.
  private mutating func suspend() {
    guard case .running = phase else { return }
    terminal.suspend()
    phase = .suspended
    raise(SIGSTOP)
  }

  private mutating func goOn() {
    if isSuspended { phase = .running }
    terminal.resume()
    screen.appearance.utcOffset = Self.utcOffset()
    paint = .now
  }

  /// Asks the engine to save everything; asked a second time, leaves at once.
  private mutating func quit() {
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
  private mutating func hangUp() {
    hasInput = false
    if case .saving = phase { return }
    quit()
  }

  private static func utcOffset() -> Int {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return local.tm_gmtoff
  }
}

extension DownloadState {
  fileprivate var isRetrying: Bool {
    if case .retrying = self { true } else { false }
  }

  fileprivate var isUnfinished: Bool {
    switch self {
    case .queued, .active, .retrying, .verifying, .paused: true
    case .completed, .failed: false
    }
  }
}
