extension Download {
  private static let stallWord = Duration.seconds(3)

  func item(now: Duration) -> Snapshot.Item {
    var item = Snapshot.Item(id: id, state: state, name: name, folder: request.folder, url: request.url)
    item.total = total
    item.completed = completedBytes
    item.connectionLimit = run?.connectionLimit ?? 0
    item.connections = request.connections
    item.rateLimit = request.rateLimit
    item.server = server
    item.resumability = resource?.resumability ?? .unknown
    item.validator = resource?.validator.description
    item.log = log
    if total != nil { item.missing = missing.ranges }
    if let run { describe(run, in: &item, now: now) }
    return item
  }

  /// Bytes per second; nil when it is not active.
  func speed(now: Duration) -> Int64? { if case .active = state { run?.meter.rate(now: now) } else { nil } }

  private func describe(_ run: Run, in item: inout Snapshot.Item, now: Duration) {
    item.finalURL = run.target?.url
    item.transfers = run.transfers.map {
      Snapshot.Connection(
        claim: $0.claim, speed: $0.meter.rate(now: now), peer: $0.peer, host: run.sources.count > 1 ? $0.host : nil)
    }
    item.history = run.history.samples(now: now)
    guard case .active = state else { return }
    item.speed = speed(now: now)
    let idle = now - run.lastProgress
    guard idle >= Self.stallWord else { return }
    item.waitsForConnection = isHungry
    item.stalledFor = isHungry ? nil : Int(idle.components.seconds)
  }

  /// What the session file keeps of it; the run begins again from the sidecar.
  var saved: SavedDownload {
    var waiting = state
    if run != nil { waiting = .queued }
    return SavedDownload(
      request: request.withoutSecrets, state: waiting, name: name, partName: partName, resource: shown,
      completed: completedBytes)
  }

  /// The resource with the size that it turned out to have.
  private var shown: Resource? {
    var shown = resource
    shown?.total = total
    return shown
  }

  init(id: DownloadID, restoring saved: SavedDownload) {
    self.init(id: id, request: saved.request, state: saved.state, name: saved.name)
    partName = saved.partName
    guard let total = saved.total, total >= 0, (0...total).contains(saved.completed) else { return }
    resource = saved.resource
    missing = ByteRangeSet(saved.completed..<total)
  }
}
