// Connections and the hosts that bear them: who may have how many, and what experience teaches.

extension Session {
  /// Lessons about hosts, from what this turn has seen of them.
  mutating func learnAboutHosts(_ turn: Turn) {
    for host in turn.contentHosts { hostLimits.succeeded(host, most: settings.hostConnections) }
    for (host, retryAfter) in turn.overloadedHosts {
      hostLimits.overloaded(host, survivors: connections(to: host), retryAfter: retryAfter, now: turn.now)
    }
  }

  private func connections(to host: String) -> Int {
    working.reduce(0) { $0 + (downloads[$1]?.transfers(to: host).count ?? 0) }
  }

  /// The host of this address, if it has all the connections that it may have, and one more than that without the transfer's own.
  func fullHosts(for location: String, besides transfer: TransferID) -> Set<String> {
    let host = Origin.authority(of: location)
    let isThere = working.contains { downloads[$0]?.transfers(to: host).contains { $0.id == transfer } == true }
    let others = connections(to: host) - (isThere ? 1 : 0)
    return others < hostLimits.limit(host, most: settings.hostConnections) ? [] : [host]
  }

  /// No host gets more than its cap; one of its slots is kept for each download that has no transfer yet.
  mutating func startTransfers(_ turn: inout Turn) {
    var used: [String: Int] = [:]
    var waiting: [String: Int] = [:]
    for case let download? in working.map({ downloads[$0] }) {
      for transfer in download.run?.transfers ?? [] { used[transfer.host, default: 0] += 1 }
      if download.run?.transfers.isEmpty == true, !download.isWaitingForRetry {
        waiting[download.host, default: 0] += 1
      }
    }
    for id in working {
      guard let download = downloads[id], !download.isWaitingForRetry else { continue }
      let (host, isFirst) = (download.host, download.run?.transfers.isEmpty == true)
      let free = hostLimits.limit(host, most: settings.hostConnections) - used[host, default: 0]
      let others = waiting[host, default: 0] - (isFirst ? 1 : 0)
      // Where more wait than there are slots, the first of them begin.
      var slots = isFirst ? max(min(1, free), free - others) : free - others
      let before = slots
      change(id) { $0.startTransfers(slots: &slots, &turn) }
      used[host, default: 0] += before - slots
      if isFirst, before > slots { waiting[host, default: 0] -= 1 }
    }
    feedTheHungry(&turn)
  }

  /// A download without a connection does not wait for a segment of one with many to end: the one with the most gives one up.
  private mutating func feedTheHungry(_ turn: inout Turn) {
    let hosts = Set(working.compactMap { downloads[$0].flatMap { $0.isHungry ? $0.host : nil } })
    for host in hosts where hostLimits.limit(host, most: settings.hostConnections) > 0 {
      let hungry = working.count { downloads[$0]?.isHungry == true && downloads[$0]?.host == host }
      let ending = working.reduce(0) { sum, id in
        sum + (downloads[id]?.transfers(to: host).count { Download.isAboutToEnd($0) } ?? 0)
      }
      for _ in 0..<max(0, hungry - ending) {
        let richest = working.max { transferCount($0, host) < transferCount($1, host) }
        guard let richest, transferCount(richest, host) > 1 else {
          endTurns(at: host, count: hungry - ending, &turn)
          break
        }
        change(richest) { $0.makeRoom(&turn) }
      }
    }
  }

  /// Nobody has a connection too many: those who have had one for the longest time pass it on.
  private mutating func endTurns(at host: String, count: Int, _ turn: inout Turn) {
    for id in working.filter({ transferCount($0, host) == 1 }).prefix(count) { change(id) { $0.endTurnSoon(&turn) } }
  }

  private func transferCount(_ id: DownloadID, _ host: String) -> Int {
    downloads[id]?.transfers(to: host).count { !Download.isAboutToEnd($0) } ?? 0
  }
}
