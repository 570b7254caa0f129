/// What the session has to know at every turn of a download that works, so that it need not look into all of them. A class, because
/// whoever goes through them copies each.
final class Working: Sendable {
  let id: DownloadID
  let part: PartID
  /// The host and port that its next request goes to.
  let host: String
  /// The hosts and ports of its transfers, one for each.
  let hosts: [String]
  /// Those that are about to end by themselves.
  let endingHosts: [String]
  let isFinishing: Bool
  /// Whether it may start transfers now, as far as it is concerned.
  let isReady: Bool
  /// Hosts of mirrors that it may start a transfer at now, as far as it is concerned.
  let mirrorHosts: [String]
  /// Whether it has no connection and only waits for one.
  let isHungry: Bool
  /// Whether a transfer of it is so long that others may have its connection before its end.
  let mayEndTurn: Bool
  let retryAt: Duration?
  /// When time alone makes a difference to it. Bytes that come meanwhile make it later.
  let deadline: Duration?

  /// Nil when it does not work.
  init?(_ download: borrowing Download, stallTimeout: Duration) {
    guard let run = download.run else { return nil }
    (id, part, host) = (download.id, run.part, download.host)
    hosts = run.transfers.map(\.host)
    endingHosts = run.transfers.filter(Download.isAboutToEnd).map(\.host)
    isFinishing = download.isFinishing
    isReady = download.isReadyForTransfers
    mirrorHosts = download.mirrorHosts
    isHungry = download.isHungry
    mayEndTurn = download.isSplittable && run.transfers.contains(where: Download.isLongerThanTurn)
    retryAt = download.retryAt
    deadline = download.deadline(stallTimeout: stallTimeout)
  }

  /// The host that it waits for, as long as it has no connection.
  var hostWaitedFor: String? { hosts.isEmpty && retryAt == nil && !isFinishing ? host : nil }

  func connections(to host: String) -> Int { hosts.count { $0 == host } }

  /// Without those that are about to end by themselves.
  func lastingConnections(to host: String) -> Int { connections(to: host) - endingHosts.count { $0 == host } }
}
