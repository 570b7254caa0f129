import DownloadCore
import Glibc
import Synchronization

/// The transfer loop: messages, curl and time go into the session as events, and what comes out is performed here and nowhere else.
/// Runs on its own thread until everything is saved after `.quit`.
final class EventLoop {
  private static let publishEvery = Duration.milliseconds(100)
  /// How often what is collected is written when nobody looks.
  private static let flushEvery = Duration.seconds(1)
  private static let saveSessionEvery = Duration.milliseconds(20)
  private static let standstill = Duration.seconds(3)
  /// How long it sleeps at most while transfers run, so that it notices a standstill.
  private static let longestSleep = Duration.seconds(1)
  private static let measureSpaceEvery = Duration.seconds(5)

  var session: Session
  let multi: CurlMulti
  private let store: SessionStore?
  let worker: DiskWorker
  let hook: CompletionHook?
  let port: EnginePort
  var parts: [PartID: PartFile] = [:]
  var notices: [Notice] = []
  var isSessionSaved = true
  /// Not before, so that writing a long list again and again costs a twentieth of the time at most; nil while it is being written.
  private var sessionSaveAt: Duration? = .zero
  private var publishedRevision = -1
  private var publishedAt = Duration.zero
  private var flushedAt = Duration.zero
  private var snapshotAt = Duration.zero
  private var freeSpace: Int64?
  private var spaceMeasuredAt = Duration.seconds(-10)
  private var rateClock = RateClock()
  private var scheduleSeenAt = Duration.zero
  private var stopping = Stopping.no
  /// When the last pause should have ended.
  private var sleptUntil = Duration.zero

  private enum Stopping { case no, saving, done }

  static func run(
    _ configuration: Engine.Configuration, _ store: SessionStore?, _ worker: DiskWorker, _ hook: CompletionHook?,
    _ port: EnginePort
  ) {
    do throws(DownloadError) { try EventLoop(configuration, store, worker, hook, port).run() } catch {
      port.warn(error.message)
    }
    // Not before libcurl is gone: the process may end at once, and its exit handlers take from under it what it stands on.
    port.publish { outbox in outbox.hasStopped = true }
  }

  private init(
    _ configuration: Engine.Configuration, _ store: SessionStore?, _ worker: DiskWorker, _ hook: CompletionHook?,
    _ port: EnginePort
  ) throws(DownloadError) {
    let (restored, settings) = (store?.load(), configuration.settings)
    multi = try CurlMulti(pace: configuration.pace, bell: port.bell)
    session = Session(settings: settings, seed: .random(in: 0 ... .max), restoring: restored?.session)
    (self.store, self.worker, self.hook, self.port) = (store, worker, hook, port)
    multi.limit(settings.rateLimit)
    if let warning = restored?.warning { port.warn(warning) }
  }

  /// Silence while the process itself stood still (stopped by a signal, or the machine was suspended) is nobody's fault.
  private func notice(standstillSince expected: Duration) {
    guard SystemClock.now - expected >= Self.standstill else { return }
    handle([.stoodStill])
  }

  private func run() {
    sleptUntil = SystemClock.now
    perform(session.handle(.timePassed, now: SystemClock.now))
    while stopping != .done {
      notice(standstillSince: sleptUntil)
      receiveMessages()
      followSchedule()
      handle(multi.perform())
      beginSyncs()
      checkTime()
      saveSession()
      publish()
      worker.wake()
      if stopping != .done { sleep() }
    }
    store?.unlock()
    if port.outbox.withLock({ $0.isSnapshotAwaited }) { publishSnapshot() } else { publishNotices() }
  }

  private func sleep() {
    let pause = self.pause
    sleptUntil = SystemClock.now + pause
    multi.wait(pause)
  }

  // MARK: In

  private func receiveMessages() {
    var events: [Event] = []
    for message in port.takeMessages() {
      switch message {
      case .event(let event): events.append(event)
      case .opened(let part, let file, let event):
        if session.uses(part) { parts[part] = file }
        events.append(event)
      case .command(let command):
        handle(events)
        events = []
        handle(command)
      case .freeSpace(let bytes): freeSpace = bytes
      case .sums(let part, let wanted, let found): finish(part, wanted, found)
      case .snapshotAwaited: break  // the loop is awake, and looks itself
      case .sessionSaved(let cost): sessionSaveAt = SystemClock.now + max(Self.saveSessionEvery, cost * 20)
      case .workerIsDone: stopping = .done
      }
    }
    handle(events)
    worker.wake()  // what describes a part should be there before many bytes are
  }

  /// What is collected is written first, so that stopping a transfer loses nothing.
  private func handle(_ command: Command) {
    handle(multi.flush())
    perform(session.handle(command, now: SystemClock.now))
    multi.limit(session.settings.rateLimit)
    switch command {
    case .quit: stop()
    case .adopt: (rateClock, scheduleSeenAt) = (RateClock(), .zero)
    case .add, .pause, .resume, .start, .restart, .remove, .undo, .move, .limitRate, .limit, .connections, .readdress:
      break  // nothing here hangs on it
    }
  }

  /// The wall's clock may be set, or go to summer time: it is looked at every minute too.
  private func followSchedule() {
    guard let schedule = session.settings.rateSchedule, scheduleSeenAt <= SystemClock.now else { return }
    let second = SystemClock.secondOfDay
    scheduleSeenAt = SystemClock.now + .seconds(min(60, schedule.secondsToChange(after: second) ?? 60))
    let rate = schedule.rate(at: second)
    if rateClock.isNews(rate) { handle(Command.limitRate(rate)) }
  }

  private func handle(_ events: [Event]) {
    guard !events.isEmpty else { return }
    if let log = port.log { events.forEach(log.note) }
    perform(session.handle(events, now: SystemClock.now))
  }

  private func beginSyncs() {
    for part in multi.takeDirtyParts() { worker.post { _ in part.beginSync() } }
  }

  private func checkTime() {
    let now = SystemClock.now
    guard let deadline = session.deadline, deadline <= now else { return }
    handle(multi.flush())
    perform(session.handle(.timePassed, now: now))
  }

  private func stop() {
    guard stopping == .no else { return }
    stopping = .saving
    hook?.close()
    saveSession()
    worker.cancelVerifications()
    worker.post { [port] _ in port.post(.workerIsDone) }
    worker.close()
  }

  // MARK: Session file and snapshots

  private func saveSession() {
    let now = SystemClock.now
    guard let store, !isSessionSaved, stopping != .no || sessionSaveAt.map({ $0 <= now }) == true else { return }
    isSessionSaved = true
    sessionSaveAt = nil
    let saved = session.saved
    worker.post { [port] _ in
      let start = SystemClock.now
      do throws(DownloadError) { try store.save(saved) } catch { port.warn(error.message) }
      port.post(.sessionSaved(SystemClock.now - start))
    }
  }

  private func publish() {
    let now = SystemClock.now
    // What ends everything is told at once.
    guard now - publishedAt >= Self.publishEvery || !notices.isEmpty && !session.isWorking else { return }
    let isAwaited = port.outbox.withLock { $0.isSnapshotAwaited }
    if now >= flushAt(isAwaited), multi.hasCollected {
      flushedAt = now
      handle(multi.flush())
    }
    measureSpace(now)
    if isAwaited, isNews(now) { publishSnapshot() } else if !notices.isEmpty { publishNotices() }
  }

  /// When what is collected should be written, so that slow transfers show their progress.
  private func flushAt(_ isAwaited: Bool) -> Duration {
    flushedAt + (isAwaited ? Self.publishEvery : Self.flushEvery)
  }

  /// Whether a new snapshot would tell more than the last one.
  private func isNews(_ now: Duration) -> Bool {
    session.revision != publishedRevision || session.isWorking && now - snapshotAt >= .seconds(1)
  }

  private func publishSnapshot() {
    snapshotAt = SystemClock.now
    publishedRevision = session.revision
    let snapshot = session.snapshot(now: snapshotAt, wallClock: SystemClock.wall, freeSpace: freeSpace)
    port.outbox.withLock { ($0.snapshot, $0.isSnapshotAwaited) = (snapshot, false) }
    publishNotices()
  }

  private func publishNotices() {
    publishedAt = SystemClock.now
    port.publish { [notices] in $0.notices += notices }
    notices = []
  }

  private func measureSpace(_ now: Duration) {
    guard now - spaceMeasuredAt >= Self.measureSpaceEvery, let folder = session.folders.first else { return }
    spaceMeasuredAt = now
    worker.post { [port] _ in port.post(.freeSpace(FileSystem.freeSpace(at: folder))) }
  }

  /// How long nothing has to be done unless something happens.
  private var pause: Duration {
    let now = SystemClock.now
    var next = session.deadline ?? now + .seconds(60)
    let isAwaited = port.outbox.withLock { $0.isSnapshotAwaited }
    if isAwaited && session.revision != publishedRevision || !notices.isEmpty {
      next = min(next, publishedAt + Self.publishEvery)
    }
    if multi.hasCollected { next = min(next, max(flushAt(isAwaited), publishedAt + Self.publishEvery)) }
    if isAwaited, session.isWorking { next = min(next, snapshotAt + .seconds(1)) }
    if !isSessionSaved, store != nil, let sessionSaveAt { next = min(next, sessionSaveAt) }
    if session.settings.rateSchedule != nil { next = min(next, scheduleSeenAt) }
    if multi.hasTransfers { next = min(next, now + Self.longestSleep) }
    return max(.zero, next - now)
  }
}
