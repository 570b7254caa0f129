import CCurl
import DownloadCore
import Glibc

/// A curl multi handle with its transfers. It lives on one thread; its callbacks leave events here, and the loop takes them.
final class CurlMulti {
  private let handle: UnsafeMutableRawPointer
  private let readiness: CurlReadiness
  /// One cookie jar for all transfers, as a browser has it: what a redirect sets is there for the next hop.
  let share: UnsafeMutableRawPointer?
  let sockets = CurlSockets()
  var dates = CurlDates()
  private var transfers: [TransferID: CurlTransfer] = [:]
  private var events: [Event] = []
  private var toReport: [CurlTransfer] = []
  private var toGiveUp: [CurlTransfer] = []
  private var dirtyParts: [PartFile] = []
  /// libcurl (7.88) reads from a socket as long as something is there, and would not return from a server that is always faster.
  private static let breath = 16 << 20
  private var takenInRound = 0
  /// Those who have to stop for a moment, so that everything else gets its turn.
  private var breathless: [CurlTransfer] = []
  private var throttle = Throttle()
  private var pace: Pace
  let buffers = WriteBuffers()
  private var behind: WriteBehind?
  private var hasLoadedCookies = false
  private var limitedTo: Int64?
  /// How many transfers there will be in a moment, at least: the first of many need not have the buffers of a few.
  var expected = 0

  /// `pace` tells when it is worth while to write past the page cache; the bell ends a `wait`.
  init(pace: Pace, bell: Bell) throws(DownloadError) {
    self.pace = pace
    guard ccurl_global_init() == CURLE_OK, let handle = curl_multi_init() else {
      throw .other("libcurl does not start")
    }
    self.handle = handle
    readiness = try CurlReadiness(handle, bell: bell)
    share = curl_share_init()
    ccurl_share_set_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
  }

  deinit {
    for transfer in transfers.values { curl_multi_remove_handle(handle, transfer.handle) }
    transfers = [:]
    curl_multi_cleanup(handle)
    curl_share_cleanup(share)
  }

  // MARK: Sizes

  /// Large reads and writes while there are few transfers; many share less, so that memory stays small.
  private var writeSize: Int {
    switch max(transfers.count, expected) {
    case ..<12: 512 << 10
    case ..<20: 256 << 10
    case ..<64: 128 << 10
    case ..<128: 64 << 10
    default: 32 << 10
    }
  }

  /// What may lie between a download's server and its transfers. Shares are told by the next power of two, so that they seldom change.
  func intake(of download: DownloadID) -> CurlIntake {
    guard throttle.isOn else { return CurlIntake(share: nil, unlimited: writeSize) }
    let own = transfers.values.count { $0.download == download }
    let share = throttle.share(download, all: powerOfTwo(transfers.count), own: powerOfTwo(own))
    return CurlIntake(share: share, unlimited: writeSize)
  }

  private func powerOfTwo(_ count: Int) -> Int { count < 2 ? 1 : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount) }

  /// Open sockets follow the limit over everything; it is the one that can change while they live.
  private func adjustSockets() { sockets.setWindow(window) }

  private var window: Int? {
    let share = limitedTo.map { $0 / Int64(powerOfTwo(transfers.count)) }
    return CurlIntake(share: share, unlimited: 0).window
  }

  // MARK: Orders

  func start(_ id: TransferID, _ plan: TransferPlan, _ settings: Settings) {
    if let path = settings.network.cookies { loadCookies(path) }
    throttle.join(plan.download, limit: plan.request.rateLimit ?? settings.rateLimitEach, now: SystemClock.now)
    guard let transfer = CurlTransfer(id, plan, settings, capacity: writeSize, multi: self),
      CurlFiles.isLocal(plan.request.url) || curl_multi_add_handle(handle, transfer.handle) == CURLM_OK
    else { return report(.ended(id, .failed(.other("libcurl cannot start another transfer"), retryAfter: nil))) }
    let before = powerOfTwo(transfers.count)
    transfers[id] = transfer
    if limitedTo != nil, powerOfTwo(transfers.count) != before { adjustSockets() }
    guard CurlFiles.isLocal(plan.request.url) else { return }
    do throws(DownloadError) { try transfer.openSource() } catch { finish(transfer, .failed(error, retryAfter: nil)) }
  }

  /// Once: what servers have set since must not be undone.
  private func loadCookies(_ path: String) {
    guard !hasLoadedCookies, let reader = curl_easy_init() else { return }
    hasLoadedCookies = true
    ccurl_set_pointer(reader, CURLOPT_SHARE, share)
    ccurl_set_string(reader, CURLOPT_COOKIEFILE, path)
    ccurl_set_string(reader, CURLOPT_COOKIELIST, "RELOAD")
    curl_easy_cleanup(reader)
  }

  func accept(_ id: TransferID, _ wanted: Acceptance, _ part: PartFile) {
    guard let transfer = transfers[id] else { return }
    transfer.accept(wanted, part)
    if let code = transfer.heldCode { end(transfer, code) }
  }

  func cut(_ id: TransferID, to end: Int64) { transfers[id]?.cut(to: end) }

  func stop(_ id: TransferID) {
    if let transfer = transfers.removeValue(forKey: id) {
      settle(transfer)
      curl_multi_remove_handle(handle, transfer.handle)
    }
    throttle.leave(id)
  }

  func limit(_ rate: Int64?) {
    guard rate != limitedTo else { return }
    limitedTo = rate
    throttle.limit(rate, now: SystemClock.now)
    // Sockets that are to hold less have more in them, and the line would stand still until that has been taken at the new rate.
    if let window { throttle.credit(sockets.waiting(beyond: window)) }
    adjustSockets()
  }

  /// One download's own limit. The sockets of its transfers get buffers to match.
  func limit(_ download: DownloadID, _ rate: Int64?) {
    throttle.join(download, limit: rate, now: SystemClock.now)
    let window = intake(of: download).window
    for transfer in transfers.values where transfer.download == download {
      if let window { throttle.credit(sockets.waiting(beyond: window, of: transfer.opening), to: download) }
      sockets.setWindow(window, of: transfer.opening)
    }
  }

  // MARK: One round

  /// Moves bytes, then hands out everything that has happened since the last call, in order for each transfer.
  func perform() -> [Event] {
    let now = SystemClock.now
    takenInRound = 0
    let rested = breathless
    breathless = []
    for transfer in rested where transfers[transfer.id] === transfer { transfer.unpause() }
    for id in throttle.due(now) { transfers[id]?.unpause() }
    readiness.act()
    // The end of one may show that another one has to go too.
    while !toGiveUp.isEmpty {
      let transfer = toGiveUp.removeFirst()
      if transfers[transfer.id] === transfer { end(transfer, CURLE_WRITE_ERROR) }
    }
    collectEnds()
    return takeEvents()
  }

  private func takeEvents() -> [Event] {
    reportProgress()
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  /// Writes everything that is collected, and tells it; also that those are alive whom only a limit holds back.
  func flush() -> [Event] {
    for transfer in transfers.values { transfer.flush() }
    for id in throttle.held { report(.received(id, 0)) }
    return takeEvents()
  }

  var hasTransfers: Bool { !transfers.isEmpty }

  /// Whether there are bytes that a flush would tell of.
  var hasCollected: Bool { behind?.isBusy == true || transfers.values.contains(where: \.hasCollected) }

  /// Sleeps until a socket is ready, curl's timers want to run, the bell is rung, or the time is up.
  func wait(_ limit: Duration) {
    guard events.isEmpty, toReport.isEmpty, toGiveUp.isEmpty, breathless.isEmpty else { return }
    let pause = min(limit, throttle.nextWake(SystemClock.now) ?? limit)
    readiness.wait(pause)
  }

  private func collectEnds() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(handle, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let transfer = owner(of: message.pointee.easy_handle) else { continue }
      end(transfer, ccurl_message_result(message))
    }
  }

  private func owner(of handle: UnsafeMutableRawPointer?) -> CurlTransfer? {
    var context: UnsafeMutableRawPointer?
    guard let handle, ccurl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  }

  private func end(_ transfer: CurlTransfer, _ code: CURLcode) {
    if code == CURLE_OK, transfer.source != nil { return readOn(transfer) }
    if let end = transfer.end(code) { finish(transfer, end) }
  }

  private func finish(_ transfer: CurlTransfer, _ end: TransferEnd) {
    // Whoever takes over a part of what the others have claimed should know how far they are.
    for sibling in transfers.values where sibling.download == transfer.download { sibling.flush() }
    reportProgress()
    stop(transfer.id)
    report(.ended(transfer.id, end))
  }

  /// Has libcurl read the next stretch of a local file, now or as soon as the limits allow it.
  func readOn(_ transfer: CurlTransfer) {
    curl_multi_remove_handle(handle, transfer.handle)
    do throws(DownloadError) {
      guard let stretch = try transfer.nextStretch(limit: intake(of: transfer.download).window) else {
        if let end = transfer.end(CURLE_OK) { finish(transfer, end) }
        return
      }
      guard mayTake(stretch.count, transfer) else { return transfer.rest() }
      transfer.ask(for: stretch)
      guard curl_multi_add_handle(handle, transfer.handle) == CURLM_OK else {
        throw .other("libcurl cannot start another transfer")
      }
    } catch {
      finish(transfer, .failed(error, retryAfter: nil))
    }
  }

  // MARK: What transfers leave here

  func report(_ event: Event) { events.append(event) }
  func willReport(_ transfer: CurlTransfer) { toReport.append(transfer) }
  func willSync(_ part: PartFile) { dirtyParts.append(part) }

  /// Parts that so much was written to that the disk should begin with it.
  func takeDirtyParts() -> [PartFile] {
    guard !dirtyParts.isEmpty else { return [] }
    defer { dirtyParts = [] }
    return dirtyParts
  }

  func giveUp(_ transfer: CurlTransfer) { toGiveUp.append(transfer) }

  /// Whether bytes come so fast, these among them, that it is worth while to write past the page cache.
  func isFast(noting count: Int) -> Bool {
    pace.note(count, now: SystemClock.now)
    return pace.isFast
  }

  /// Takes over a full buffer and returns an empty one, if it can be written past the page cache.
  func writeBehind(
    _ full: WriteBuffer, _ count: Int, to part: PartFile, at offset: Int64, for transfer: CurlTransfer
  ) -> WriteBuffer? {
    guard pace.isFast, PartFile.canBeDirect(offset, count) else { return nil }
    return startedBehind()?.write(full, count, to: part, at: offset, for: transfer, of: transfers.count)
  }

  /// Nil where the system has no more threads.
  private func startedBehind() -> WriteBehind? {
    guard behind == nil else { return behind }
    let fresh = Result { () throws(DownloadError) in try WriteBehind(buffers) }
    if case .success(let fresh) = fresh { behind = fresh }
    return behind
  }

  /// Waits until everything that a transfer has handed over is written.
  func settle(_ transfer: CurlTransfer) { behind?.settle(transfer) }

  private func reportProgress() {
    for transfer in toReport { report(.received(transfer.id, transfer.takeReport())) }
    toReport.removeAll(keepingCapacity: true)
  }

  /// Whether any limit is in force.
  var hasLimits: Bool { throttle.isOn }

  /// Whether the limits allow more bytes now; otherwise the transfer is woken when they do.
  func mayTake(_ count: Int, _ transfer: CurlTransfer) -> Bool {
    takenInRound += count
    if takenInRound > Self.breath {
      breathless.append(transfer)
      return false
    }
    return !throttle.isOn || throttle.take(count, transfer.download, transfer.id, now: SystemClock.now)
  }
}
