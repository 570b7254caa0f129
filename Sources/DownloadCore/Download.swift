/// One file on its way: what was asked for, what the server said it is, what is still missing, and who is fetching it.
struct Download: Sendable {
  let id: DownloadID
  var request: Request {
    didSet { if request.url != oldValue.url { origin = Address(request.url) } }
  }
  private(set) var origin: Address
  var state: DownloadState
  /// The file's name; a guess from the address until the part file exists.
  var name: String
  /// The part file's name once there is one on the disk.
  var partName: String?
  var resource: Resource?
  var missing = Self.all
  /// Where a file of unpromised length turned out to end.
  var foundEnd: Int64?
  /// Exists exactly while the state is active, retrying or verifying. It takes no room before: ten thousand downloads may wait.
  var run: Run? {
    _read { yield running.run }
    _modify {
      if !isKnownUniquelyReferenced(&running) { running = running.copy }
      yield &running.run
      if running.isOver { running = Running.none }
    }
  }
  private var running = Running.none
  /// The most bytes that were ever on the disk: only what goes beyond is progress, fetching the same ones again is none.
  var mostCompleted: Int64 = 0
  /// Failed attempts since the last real progress, and the bytes since the last failure.
  var attempts = 0
  var bytesSinceFailure: Int64 = 0
  var trust = Trust()
  /// How the server that answered last names itself.
  var server: String?
  /// The moment of the first start in this session.
  var startedAt: Duration?
  var log: [Snapshot.LogLine] = []

  static let everything: ByteRange = 0..<Int64.max
  /// The same as a set, which all share that know nothing yet.
  private static let all = ByteRangeSet(everything)
  private static let logLength = 10

  /// `name`: when it is known already.
  init(id: DownloadID, request: Request, state: DownloadState = .queued, name: String? = nil) {
    self.id = id
    self.request = request
    origin = Address(request.url)
    self.state = state
    self.name = name ?? request.name ?? FileName.suggested(by: nil, url: request.url)
  }

  /// What experience with this server has taught.
  struct Trust: Sendable {
    /// How often the file turned out to be another one.
    var restarts = 0
    /// Ranges do not work: ask for the whole file.
    var asksPlainly = false
    /// Answers do not say which version they are of: bytes have to be compared.
    var comparesAlways = false
    /// The person has agreed to take the file as it is now.
    var acceptsChange = false
    var keepsOld = false
    /// A person has given a new address, and nothing has proved yet that the same file is there.
    var isAtNewAddress = false
    /// Bytes of several connections are tied together by comparing only.
    var isOverlapOnly = false
    /// Where a connection broke: the bytes before may be garbage, so the next one compares them.
    var suspects: Set<Int64> = []
  }

  /// What only exists while a download works: its part file, its transfers and their pace.
  struct Run: Sendable {
    let part: PartID
    var phase = Phase.finding
    var transfers: [Transfer] = []
    /// The addresses of the file, never none: the first one, and its mirrors.
    var sources: [Source]
    /// The source whose word on what the file is counts.
    var lead = 0
    /// Whether only that one is used: what several gave has turned out to be wrong somewhere.
    var isAlone = false
    var connectionLimit: Int
    /// Exists while one connection may be enough.
    var pace: ConnectionPace?

    /// How many transfers may run at once.
    var allowed: Int { min(connectionLimit, pace?.connections ?? connectionLimit) }
    var meter: SpeedMeter
    var history: SpeedHistory
    var lastProgress: Duration
    /// Connections that have brought all that was asked of them and wait for more, as far as that can be told.
    var idle = 0
    /// How many rests were taken from silent transfers.
    var takeovers = 0
    /// The shortest time that passed so far from a request to its answer.
    var latency = Duration.seconds(1)
    /// When the sidecar is due; nil while it says all that there is to say.
    var saveAt: Duration?
    var hasSidecar = false
    var firstSave = FirstSave.counting(0)
    /// What is in the part file belongs to another version; it is set aside when a new answer is accepted.
    var holdsOtherBytes = false
    /// What the file was before it turned out to be another one: no error page may take its place.
    var former: Resource?
  }

  /// What makes the first sidecar of a run due at its time.
  enum FirstSave: Sendable {
    /// So many bytes have come.
    case counting(Int64)
    /// It is due sooner, since they are many.
    case hurried
    /// It has been written, or put off.
    case decided
  }

  /// Where a run is kept. Copies of a download share it until one of them changes it, so that a download is a value.
  private final class Running: @unchecked Sendable {
    var run: Run?
    static let none = Running(nil)
    init(_ run: Run?) { self.run = run }

    // Not inlined, so that the accessor of `run` has no room to make for one.
    @inline(never) var copy: Running { Running(run) }
    @inline(never) var isOver: Bool { run == nil }
  }

  enum Phase: Sendable {
    /// Looking for a part file to go on with.
    case finding
    /// One transfer asks, and its answer tells what the file is.
    case asking(partIsOpen: Bool)
    /// The answer is accepted; its body waits for the part file.
    case creating(TransferID, body: ByteRange)
    /// Bytes flow; more transfers may join.
    case flowing
  }

  var total: Int64? { resource?.total ?? foundEnd }

  var completedBytes: Int64 {
    if let total { return total - missing.count }
    return resource == nil && run == nil ? 0 : missing.first?.lowerBound ?? 0
  }

  /// Whether several transfers may fetch it at once: only where ranges work and a validator ties their answers together.
  var isSplittable: Bool {
    guard let resource, resource.total != nil, resource.coding == nil, trust.restarts < 2 else { return false }
    return resource.sendsRanges && !mustCompare && !trust.asksPlainly
  }

  /// Whether only the bytes themselves can tie later ones to those on the disk.
  var mustCompare: Bool { trust.comparesAlways || resource?.isProvable == false }

  /// When it tries again; nil unless it waits for that.
  var retryAt: Duration? {
    if case .retrying(let retry) = state { retry.at } else { nil }
  }

  var isFinishing: Bool { if case .verifying = state { true } else { false } }

  var isWaitingForRetry: Bool { retryAt != nil }

  /// The host and port that its next request goes to.
  var host: String { run.map { $0.sources[$0.lead].next.host } ?? origin.host }

  func index(of id: TransferID) -> Int? { run?.transfers.firstIndex { $0.id == id } }

  mutating func note(_ text: String, now: Duration) {
    log.append(Snapshot.LogLine(at: now, text: text))
    if log.count > Self.logLength { log.removeFirst() }
  }
}
