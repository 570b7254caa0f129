import DownloadCore

/// The outside of a session at its best: every file is new, every server sends ranges, every disk writes. It answers effects at once.
struct Outside {
  private var session = Session(settings: Settings(), seed: 1)
  private var now = Duration.zero
  private let fileSize: Int64
  private var answers: [Event] = []
  /// Transfers that were accepted and have not ended.
  private(set) var open: [TransferID] = []
  private(set) var events = 0
  private(set) var finished = 0
  private var added = 0

  init(fileSize: Int64) { self.fileSize = fileSize }

  /// Adds downloads, each from a host of its own, and lets happen what then happens without more bytes: small files come whole.
  mutating func add(_ count: Int) {
    let requests = (added..<added + count).map {
      Request(url: "http://host\($0).example/folder/file-\($0).iso", folder: "/home/user/Downloads")
    }
    added += count
    perform(session.handle(.add(requests), now: now))
    answerAll()
  }

  mutating func receive(_ count: Int64, by transfer: TransferID) {
    now += .microseconds(10)
    handle(.received(transfer, count))
  }

  mutating func look() { _ = session.snapshot(now: now, wallClock: 0, freeSpace: nil) }

  private mutating func handle(_ event: Event) {
    events += 1
    perform(session.handle(event, now: now))
  }

  private mutating func answerAll() {
    while !answers.isEmpty { handle(answers.removeFirst()) }
  }

  private mutating func perform(_ effects: [Effect]) { for effect in effects { perform(effect) } }

  private mutating func perform(_ effect: Effect) {
    switch effect {
    case .findPart(let part, _): answers.append(.found(part, .success(.nothing(warning: nil))))
    case .createPart(let part, let wanted):
      answers.append(.created(part, .success(.open(partName: wanted.name + ".part", name: wanted.name))))
    case .startTransfer(let transfer, let plan): answers.append(.head(transfer, head(for: plan)))
    case .accept(let transfer, let wanted): begin(transfer, wanted.claim)
    case .stop(let transfer): open.removeAll { $0 == transfer }
    case .save(let part, _): answers.append(.saved(part, nil))
    case .finish(let part, let wanted):
      finished += 1
      answers.append(.finished(part, .success(FinishedFile(name: wanted.name, verification: wanted.otherwise))))
    case .cut, .replacePart, .closePart, .discardPart, .deletePart, .deleteFile, .limit, .notify, .saveSession:
      break  // nobody waits for these
    }
  }

  private func head(for plan: TransferPlan) -> ResponseHead {
    var head = ResponseHead(status: 206, url: plan.request.url)
    let first = plan.asked.range?.lowerBound ?? 0
    let end = min(fileSize, plan.asked.range?.upperBound ?? fileSize)
    head.add(line: Array("content-range: bytes \(first)-\(end - 1)/\(fileSize)".utf8))
    head.add(line: Array("content-length: \(end - first)".utf8))
    head.add(line: Array("etag: \"1\"".utf8))
    return head
  }

  /// A file that needs no second connection comes whole; the others wait for `receive`.
  private mutating func begin(_ transfer: TransferID, _ claim: ByteRange) {
    guard fileSize < 1 << 20 else { return open.append(transfer) }
    answers.append(.received(transfer, Int64(claim.count)))
    answers.append(.ended(transfer, .complete))
  }
}
