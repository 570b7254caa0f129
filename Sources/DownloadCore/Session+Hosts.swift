// Connections and the hosts that bear them: who may have how many, and what experience teaches.

extension Session {
  /// Lessons about hosts, from what this turn has seen of them.
  mutating func learnAboutHosts(_ turn: inout Turn) {
    for host in turn.contentHosts { hostLimits.succeeded(host, most: settings.hostConnections) }
    for (host, retryAfter) in turn.overloadedHosts {
      hostLimits.overloaded(host, survivors: connections(to: host), retryAfter: retryAfter, now: turn.now)
    }
    (turn.contentHosts, turn.overloadedHosts) = ([], [])
  }

  private func connections(to host: String) -> Int {
    working.reduce(0) { $0 + $1.connections(to: host) }
  }

  /// The host of this address, if it has all the connections that it may have, and one more than that without the transfer's own.
  func fullHosts(for location: String, besides transfer: TransferID) -> Set<String> {
    let host = Origin.authority(of: location)
    let asking = transferOwners[transfer].flatMap { downloads[$0]?.run?.transfers.first { $0.id == transfer } }
    let isThere = asking?.host == host
    let others = connections(to: host) - (isThere ? 1 : 0)
    return others < hostLimits.limit(host, most: settings.hostConnections) ? [] : [host]
  }

  /// No host gets more than its cap; one of its slots is kept for each download that has no transfer yet.
  mutating func startTransfers(_ turn: inout Turn) {
    guard working.contains(where: { $0.isReady || !$0.mirrorHosts.isEmpty }) else { return }
    var (used, waiting): ([String: Int], [String: Int]) = ([:], [:])
    for download in working {
      for host in download.hosts { used[host, default: 0] += 1 }
      if let host = download.hostWaitedFor { waiting[host, default: 0] += 1 }
    }
    for download in working where download.isReady {
      let (host, isFirst) = (download.host, download.hosts.isEmpty)
      let free = hostLimits.limit(host, most: settings.hostConnections) - used[host, default: 0]
      let others = waiting[host, default: 0] - (isFirst ? 1 : 0)
      // Where more wait than there are slots, the first of them begin.
      var slots = isFirst ? max(min(1, free), free - others) : free - others
      guard slots > 0 else { continue }
      let before = slots
      change(download.id) { $0.startTransfers(slots: &slots, &turn) }
      used[host, default: 0] += before - slots
      if isFirst, before > slots { waiting[host, default: 0] -= 1 }
    }
    startTransfersAtMirrors(&used, waiting, &turn)
    feedTheHungry(&turn)
  }

  private mutating func startTransfersAtMirrors(
    _ used: inout [String: Int], _ waiting: [String: Int], _ turn: inout Turn
  ) {
    for download in working where !download.mirrorHosts.isEmpty {
      for host in Set(download.mirrorHosts).sorted() {
        let taken = used[host, default: 0] + waiting[host, default: 0]
        let free = hostLimits.limit(host, most: settings.hostConnections) - taken
        var slots = free
        change(download.id) { $0.startTransfers(atMirrorsOn: host, slots: &slots, &turn) }
        used[host, default: 0] += free - slots
      }
    }
  }

  /// A download without a connection does not wait for a segment of one with many to end: the one with the most gives one up.
  private mutating func feedTheHungry(_ turn: inout Turn) {
    let hosts = Set(working.compactMap { $0.isHungry ? $0.host : nil })
    for host in hosts where hostLimits.limit(host, most: settings.hostConnections) > 0 {
      let hungry = working.count { $0.isHungry && $0.host == host }
      let ending = working.reduce(0) { $0 + $1.endingHosts.count { $0 == host } }
      for _ in 0..<max(0, hungry - ending) {
        let richest = working.max { $0.lastingConnections(to: host) < $1.lastingConnections(to: host) }
        guard let richest, richest.lastingConnections(to: host) > 1 else {
          endTurns(at: host, count: hungry - ending, &turn)
          break
        }
        change(richest.id) { $0.makeRoom(at: host, &turn) }
      }
    }
  }

  /// Nobody has a connection too many: those who have had one for the longest time pass it on.
  private mutating func endTurns(at host: String, count: Int, _ turn: inout Turn) {
    for download in working.filter({ $0.mayEndTurn && $0.lastingConnections(to: host) == 1 }).prefix(count) {
      change(download.id) { $0.endTurnSoon(at: host, &turn) }
    }
  }
}
