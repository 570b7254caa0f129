import DownloadCore

/// The rate limits in force: one over everything, one for each download that has one, and the transfers that wait, in the order in which
/// they began to. Only as many are let go as there is room for: all get their turn, and a thousand that wait cost nothing.
struct Throttle {
  /// The most that libcurl hands out at once (CURL_MAX_WRITE_SIZE).
  private static let mouthful = 16 << 10

  private struct Waiting {
    let transfer: TransferID
    let download: DownloadID
  }

  private var global: RateLimiter?
  private var each: [DownloadID: RateLimiter] = [:]
  private var waiting: [Waiting] = []

  var isOn: Bool { global != nil || !each.isEmpty }

  mutating func limit(_ rate: Int64?, now: Duration) {
    guard rate != global?.rate else { return }
    global = rate.map { RateLimiter(rate: $0, now: now) }
  }

  mutating func join(_ download: DownloadID, limit: Int64?, now: Duration) {
    guard each[download]?.rate != limit else { return }
    each[download] = limit.map { RateLimiter(rate: $0, now: now) }
  }

  /// What the download's transfers have in hand beyond what their new limit lets them hold.
  mutating func credit(_ bytes: Int, to download: DownloadID) { each[download]?.credit(bytes) }

  /// The same for all together.
  mutating func credit(_ bytes: Int) {
    global?.credit(bytes)
  }

  mutating func leave(_ transfer: TransferID) { waiting.removeAll { $0.transfer == transfer } }

  /// Takes the bytes, or joins those who wait.
  mutating func take(_ count: Int, _ download: DownloadID, _ transfer: TransferID, now: Duration) -> Bool {
    guard wait(download, now: now) == nil else {
      waiting.append(Waiting(transfer: transfer, download: download))
      return false
    }
    spend(count, download, now: now)
    return true
  }

  /// Those whose turn it is.
  mutating func due(_ now: Duration) -> [TransferID] {
    guard !waiting.isEmpty, global?.wait(now: now) == nil else { return [] }
    var outlook = self
    outlook.waiting = []
    var due: [TransferID] = []
    waiting.removeAll { next in
      guard outlook.wait(next.download, now: now) == nil else { return false }
      outlook.spend(Self.mouthful, next.download, now: now)
      due.append(next.transfer)
      return true
    }
    return due
  }

  /// Those whom nothing but a limit holds back.
  var held: [TransferID] { waiting.map(\.transfer) }

  /// How long until the next turn; nil while nobody waits.
  mutating func nextWake(_ now: Duration) -> Duration? {
    guard !waiting.isEmpty else { return nil }
    guard !each.isEmpty else { return global?.wait(now: now) ?? .zero }
    return waiting.map { wait($0.download, now: now) ?? .zero }.min()
  }

  /// Bytes per second that each of `all` transfers, `own` of them the download's, may hope for; nil is no limit.
  func share(_ download: DownloadID, all: Int, own: Int) -> Int64? {
    [global.map { $0.rate / Int64(max(1, all)) }, each[download].map { $0.rate / Int64(max(1, own)) }]
      .compactMap(\.self).min()
  }

  private mutating func wait(_ download: DownloadID, now: Duration) -> Duration? {
    let waits = [global?.wait(now: now), each.isEmpty ? nil : each[download]?.wait(now: now)]
    return waits.compactMap(\.self).max()
  }

  private mutating func spend(_ count: Int, _ download: DownloadID, now: Duration) {
    global?.take(count, now: now)
    if !each.isEmpty { each[download]?.take(count, now: now) }
  }
}
