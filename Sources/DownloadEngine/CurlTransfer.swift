import CCurl
import DownloadCore
import Glibc

/// One curl easy handle at work: it gathers the head, waits for the verdict, and collects the accepted bytes into large writes.
/// The body's callback is the hot path: no allocation, no lock, one copy, and a system call for every half megabyte.
final class CurlTransfer {
  let id: TransferID
  let download: DownloadID
  let handle: UnsafeMutableRawPointer
  private let isHTTP: Bool
  private(set) var head: ResponseHead
  let asked: Asked
  /// What libcurl says about a failure (CURLOPT_ERRORBUFFER).
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private let requestHeaders: UnsafeMutablePointer<curl_slist>?

  /// What may happen to the body's bytes.
  enum Body {
    /// The head is not judged yet: what comes waits in the buffer, and nothing is stored.
    case undecided
    case storing(Store)
  }

  /// Where the body's bytes go. An object, so that the hot path changes it in place.
  final class Store {
    let part: PartFile
    let isReadAgain: Bool
    /// Bytes of the body that come before the claim and are there already; the last `overlap` of them are compared with the disk.
    fileprivate(set) var skip: Int64
    let overlap: Int64
    /// File offset of the next byte to be collected.
    fileprivate(set) var position: Int64
    fileprivate(set) var end: Int64
    /// Whether the server goes on after the claim's end, so that the connection has to be given up there.
    fileprivate var surplus: Bool
    /// Whether all is compared and stored.
    var isFull: Bool { skip == 0 && position == end }

    init(_ wanted: Acceptance, _ part: PartFile) {
      let (body, claim) = (wanted.body, wanted.claim)
      (self.part, isReadAgain, overlap) = (part, wanted.isReadAgain, wanted.overlap)
      skip = max(0, claim.lowerBound - body.lowerBound)
      (position, end) = (claim.lowerBound, claim.upperBound)
      surplus = body.upperBound > claim.upperBound
    }
  }

  private(set) var body = Body.undecided
  /// Set for a file of this machine.
  var source: Source?
  private(set) var isPaused = false
  /// Why the transfer gave itself up, when it was not curl.
  private(set) var failure: DownloadError?
  private var differs = false
  /// How curl ended before the verdict.
  private(set) var heldCode: CURLcode?
  private var hasToldHead = false
  private var headSize = 0
  private static let largestHead = 256 << 10
  private static let statusLine = Array("HTTP/".utf8)
  private var buffer: WriteBuffer?
  private var fill = 0
  private var capacity: Int
  private static let leastBuffer = 4 << 10
  private static let smallBuffer = 32 << 10
  /// Where buffers are small, it costs more to collect this than to write it at once.
  private static let worthWriting = 8 << 10
  /// So many bytes that are passed over are a sign of life.
  private static let leastSign = 1 << 10
  private var unreported: Int64 = 0
  /// The TLS connection that the answer comes on.
  private var session: UInt?
  let opening: CurlSockets.Opening
  private unowned let multi: CurlMulti

  init?(_ id: TransferID, _ plan: TransferPlan, _ settings: Settings, capacity: Int, multi: CurlMulti) {
    guard let handle = curl_easy_init() else { return nil }
    self.id = id
    self.handle = handle
    self.capacity = capacity
    self.multi = multi
    (download, asked) = (plan.download, plan.asked)
    isHTTP = CurlFiles.isHTTP(plan.request.url)
    head = ResponseHead(status: 0, url: plan.request.url)
    requestHeaders = CurlOptions.headers(plan)
    let intake = multi.intake(of: download)
    opening = CurlSockets.Opening(multi.sockets, window: intake.window)
    CurlOptions.apply(plan, settings, headers: requestHeaders, readSize: intake.readSize, to: handle)
    words.pointee = 0
    ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, words)
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_pointer(handle, CURLOPT_SHARE, multi.share)
    ccurl_set_pointer(handle, CURLOPT_PRIVATE, context)
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    ccurl_set_sink(handle, CURLOPT_WRITEFUNCTION, takeBody)
    ccurl_set_sink(handle, CURLOPT_HEADERFUNCTION, takeHeader)
    multi.sockets.watch(handle, opening)
    CurlGoodbye.watch(handle)
  }

  deinit {
    session.map(CurlGoodbye.forget)
    curl_easy_cleanup(handle)
    curl_slist_free_all(requestHeaders)
    buffer?.deallocate()
    words.deallocate()
  }

  // MARK: The head

  /// One raw header line. A status line begins a new head: what came before was a proxy's or an interim answer's. False when there are
  /// more of them than any answer needs, all heads taken together.
  fileprivate func header(_ line: UnsafeRawBufferPointer) -> Bool {
    guard isHTTP else { return true }
    headSize += line.count
    guard headSize <= Self.largestHead else {
      failure = .badAnswer("its head is longer than \(ByteCount.text(Int64(Self.largestHead)))")
      return false
    }
    if line.starts(with: Self.statusLine) {
      head = ResponseHead(status: 0, url: head.url)
      listen()
    } else {
      head.add(line: Array(line))
    }
    return true
  }

  private func listen() {
    let current = CurlGoodbye.session(of: handle)
    if let session, session != current { CurlGoodbye.forget(session) }
    session = current
  }

  /// Whether only the connection's end told the body's, and that came without the peer's word.
  private var isCutOff: Bool {
    guard let session, head.values("transfer-encoding").isEmpty, head.contentLength == .unknown else { return false }
    return !CurlGoodbye.isSaid(in: session)
  }

  /// Tells the head once, when the first byte of the final answer's body or its end has come.
  func tellHead() {
    guard !hasToldHead else { return }
    hasToldHead = true
    if let source {
      CurlFiles.describe(&head, asked, source.file)
    } else if isHTTP {
      CurlOptions.complete(&head, from: handle, &multi.dates)
    } else if head.status == 0 {
      CurlFiles.describe(&head, asked, from: handle)
    }
    head.peer = CurlOptions.peer(of: handle)
    multi.report(.head(id, head))
  }

  // MARK: The body

  fileprivate func take(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    guard case .storing = body else {
      tellHead()
      return hold(bytes, count)
    }
    guard source != nil || multi.mayTake(count, self) else { return pause() }
    return store(bytes, count)
  }

  /// What comes while the head is judged and the part file made need not wait in libcurl, which would copy it for that and ask again.
  private func hold(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    guard source == nil, !multi.hasLimits else { return pause() }
    let target = buffer ?? makeBuffer(for: announced)
    guard fill + count <= capacity else { return pause() }
    memcpy(target.bytes + fill, bytes, count)
    fill += count
    return count
  }

  /// What the head says is still to come.
  private var announced: Int64 { if case .bytes(let count) = head.contentLength { count } else { .max } }

  /// False when the transfer has to be given up. What was held is what is collected, unless some of it is not wanted.
  private func storeHeld() -> Bool {
    guard fill > 0, let held = buffer, case .storing(let store) = body else { return true }
    let count = fill
    if store.skip == 0, Int64(count) <= store.end - store.position {
      store.position += Int64(count)
      guard room(store) == 0 || store.position == store.end else { return true }
      return writeCollected(store) && !(store.surplus && store.position == store.end)
    }
    (buffer, fill) = (nil, 0)
    defer { held.deallocate() }
    return self.store(held.bytes, count) == count
  }

  private func store(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    guard case .storing(let store) = body else { return 0 }
    let skipped = Int(min(store.skip, Int64(count)))
    if skipped >= Self.leastSign { multi.willReport(self) }
    guard skip(bytes, skipped, store) else { return 0 }
    let wanted = Int(min(Int64(count - skipped), store.end - store.position))
    let isStored = collect(bytes + skipped, wanted, store)
    guard isStored, !(store.surplus && store.isFull) else { return 0 }
    // Giving up here also drops bytes beyond the announced end, so they are never stored nor taken for the next answer.
    return skipped + wanted == count ? count : 0
  }

  /// Passes over bytes that are on the disk. False when those to be compared are others.
  private func skip(_ bytes: UnsafeRawPointer, _ count: Int, _ store: Store) -> Bool {
    let first = store.position - store.skip
    store.skip -= Int64(count)
    let unchecked = min(count, Int(max(0, store.position - store.overlap - first)))
    guard count > unchecked else { return true }
    failure = store.part.compare(bytes + unchecked, count - unchecked, at: first + Int64(unchecked), differs: &differs)
    return failure == nil && !differs
  }

  private func pause() -> Int {
    isPaused = true
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  /// Until a limit allows the next stretch of a local file.
  func rest() { isPaused = true }

  private func collect(_ bytes: UnsafeRawPointer, _ count: Int, _ store: Store) -> Bool {
    let isLast = store.position + Int64(count) == store.end
    let isEnough = isLast || fill + count >= (capacity <= Self.smallBuffer ? Self.worthWriting : capacity)
    if isEnough, isLast && fill == 0 || capacity < PartFile.leastDirect || !multi.isFast(noting: fill + count) {
      store.position += Int64(count)
      return write(bytes, count, store)
    }
    var (next, rest) = (bytes, count)
    while rest > 0 {
      let target = buffer ?? makeBuffer(for: store.end - store.position)
      let size = min(rest, room(store))
      memcpy(target.bytes + fill, next, size)
      fill += size
      store.position += Int64(size)
      (next, rest) = (next + size, rest - size)
      if room(store) == 0, !handOver(store) { return false }
    }
    return store.position < store.end || writeCollected(store)
  }

  /// No larger than what is to come.
  private func makeBuffer(for rest: Int64) -> WriteBuffer {
    if rest < capacity { capacity = max(Int(rest), Self.leastBuffer) }
    let fresh = multi.buffers.make(capacity)
    buffer = fresh
    return fresh
  }

  /// What the buffer still takes. One that others follow ends where the next can begin on a border of the disk's units.
  private func room(_ store: Store) -> Int {
    let start = store.position - Int64(fill)
    let skew = store.end - start > Int64(capacity) ? Int(start % Int64(PartFile.directUnit)) : 0
    return max(0, capacity - skew - fill)
  }

  /// Writes a full buffer, or has it written.
  private func handOver(_ store: Store) -> Bool {
    guard let full = buffer, !store.isReadAgain,
      let empty = multi.writeBehind(full, fill, to: store.part, at: store.position - Int64(fill), for: self)
    else { return writeCollected(store) }
    (buffer, fill) = (empty, 0)
    return failure == nil
  }

  private func writeCollected(_ store: Store) -> Bool { write(nil, 0, store) }

  /// Writes what is collected and these bytes, which follow it and end at the store's position, without copying them. What comes before them
  /// goes first: where the disk is nearly full they would take its place.
  private func write(_ bytes: UnsafeRawPointer?, _ count: Int, _ store: Store) -> Bool {
    let total = fill + count
    guard total > 0 else { return true }
    defer { fill = 0 }
    multi.settle(self)
    guard failure == nil else { return false }
    let collected = UnsafeRawBufferPointer(start: buffer?.bytes, count: fill)
    let fresh = UnsafeRawBufferPointer(start: bytes, count: count)
    wrote(total, store.part.write(collected, then: fresh, at: store.position - Int64(total)))
    return failure == nil
  }

  /// What comes next in the file is written, or cannot be. Nothing that lies behind a gap counts.
  func wrote(_ count: Int, _ fault: DownloadError?) {
    if case .storing(let store) = body, store.part.takeNeedOfSync() { multi.willSync(store.part) }
    failure = failure ?? fault
    guard failure == nil else { return multi.giveUp(self) }
    if unreported == 0 { multi.willReport(self) }
    unreported += Int64(count)
  }

  /// Writes what is collected, so that nothing is lost by stopping and slow transfers show their progress.
  func flush() {
    multi.settle(self)
    guard case .storing(let store) = body, failure == nil else { return }
    _ = writeCollected(store)
  }

  var hasCollected: Bool { if case .storing = body { fill > 0 } else { false } }

  /// Bytes written since the last call.
  func takeReport() -> Int64 {
    defer { unreported = 0 }
    return unreported
  }

  // MARK: Orders

  func accept(_ wanted: Acceptance, _ part: PartFile) {
    body = .storing(Store(wanted, part))
    if source != nil { return multi.readOn(self) }
    let isStored = storeHeld()
    guard heldCode == nil else { return }
    if isStored { unpause() } else { multi.giveUp(self) }
  }

  func cut(to end: Int64) {
    multi.settle(self)
    guard case .storing(let store) = body else { return }
    fill = max(0, fill - Int(max(0, store.position - end)))
    store.position = min(store.position, end)
    store.surplus = true
    store.end = end
    if store.position == end { multi.giveUp(self) }
  }

  func unpause() {
    guard isPaused else { return }
    isPaused = false
    if source != nil { return multi.readOn(self) }
    if curl_easy_pause(handle, CURLPAUSE_CONT) != CURLE_OK { multi.giveUp(self) }
  }

  /// How it ended, once curl is done with it. Nil while the verdict is still to come: then the end is held until it has.
  func end(_ code: CURLcode) -> TransferEnd? {
    flush()
    if case .undecided = body, fill > 0 { return hold(code) }
    if let failure { return .failed(failure, retryAfter: nil) }
    if differs { return .differs }
    if case .storing(let store) = body, store.isFull, code == CURLE_WRITE_ERROR { return .filled }
    if case .storing(let store) = body, store.end < .max, code == CURLE_PARTIAL_FILE {
      return .failed(.incomplete(missing: store.skip + store.end - store.position), retryAfter: nil)
    }
    if let status = CurlFiles.status(code), !hasToldHead {
      head.status = status
    } else if code != CURLE_OK {
      return .failed(CurlFault.error(code, String(cString: words), handle), retryAfter: nil)
    }
    if case .storing(let store) = body { return cleanEnd(store) }
    tellHead()
    return hold(CURLE_OK)
  }

  private func hold(_ code: CURLcode) -> TransferEnd? {
    heldCode = code
    return nil
  }

  private static let cutOff = TransferEnd.failed(
    .connectionLost(why: "it ended without a close alert"), retryAfter: nil)

  private func cleanEnd(_ store: Store) -> TransferEnd {
    if isCutOff { return Self.cutOff }
    guard store.skip > 0 else { return .complete }
    // A body of untold length that ends before it comes to what is missing is not of this file.
    return store.end == .max ? .differs : .failed(.incomplete(missing: store.skip), retryAfter: nil)
  }
}

/// libcurl's write callback (CURLOPT_WRITEFUNCTION(3)).
private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().take(bytes, size * count)
}

/// libcurl's header callback (CURLOPT_HEADERFUNCTION(3)): one complete line a call.
private func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().header(line) ? line.count : 0
}
