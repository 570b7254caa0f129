// Redirects are followed here and not by libcurl, so that secrets never leave the origin that they were given for, every hop counts
// for the host that it goes to, and all segments of a download go where the first one was sent (RFC 9110 §15.4).

extension Download {
  private static let mostHops = 20

  /// Asks for the same bytes where the answer points to.
  mutating func follow(_ index: Int, to location: String, _ head: ResponseHead, _ turn: inout Turn) {
    guard let transfer = run?.transfers[index] else { return }
    guard transfer.hops < Self.mostHops else { return refuseHop(transfer.id, .tooManyRedirects, &turn) }
    guard let target = Origin(of: location) else {
      return refuseHop(transfer.id, .refusedRedirect(to: location), &turn)
    }
    if Origin(of: transfer.url)?.scheme == "https", target.scheme == "http" {
      note("sent on to an address without encryption: \(target.text)", now: turn.now)
    }
    if turn.fullHosts.contains(Origin.authority(of: location)) { return waitThere(index, location, &turn) }
    let next = Transfer(
      id: TransferID(turn.numbers.next()), url: location, hops: transfer.hops + 1, asked: transfer.asked,
      claim: transfer.claim, now: turn.now)
    run?.transfers[index] = next
    turn.perform(.stop(transfer.id))
    send(next, &turn)
  }

  /// No connection is free where the answer points to: it is asked there, without this one's detour, when one is.
  private mutating func waitThere(_ index: Int, _ location: String, _ turn: inout Turn) {
    guard let transfer = run?.transfers.remove(at: index) else { return }
    turn.perform(.stop(transfer.id))
    run?.target = location
    run?.hops = transfer.hops + 1
  }

  private mutating func refuseHop(_ id: TransferID, _ error: DownloadError, _ turn: inout Turn) {
    lose(id, error, retryAfter: nil, stop: true, &turn)
  }

  func send(_ transfer: Transfer, _ turn: inout Turn) {
    turn.perform(
      .startTransfer(
        transfer.id,
        TransferPlan(download: id, request: request.addressed(to: transfer.url), asked: transfer.asked)))
  }
}

/// Scheme, host and port: who a secret is meant for (RFC 9110 §4.3.1).
struct Origin: Hashable {
  let scheme: String
  /// Host and port, in lower case.
  let authority: String

  /// Nil when it is not an http or https address.
  init?(of url: String) {
    guard let mark = url.firstRange(of: "://") else { return nil }
    scheme = url[..<mark.lowerBound].lowercased()
    let host = url[mark.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
    let port = scheme == "https" ? ":443" : ":80"
    authority = host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    guard scheme == "http" || scheme == "https", !authority.isEmpty, !authority.contains("@") else { return nil }
  }

  var text: String { scheme + "://" + authority }

  /// The host and port of any address; one name for one host, however it is spelt.
  static func authority(of url: String) -> String {
    if let origin = Origin(of: url) { return origin.authority }
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    return authority.suffix(from: authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)
      .lowercased()
  }
}

extension Request {
  /// The same request to another address. What may be secret goes to the origin it was given for, and nowhere else.
  func addressed(to address: String) -> Request {
    var other = Origin(of: address) == Origin(of: url) ? self : withoutSecrets
    if Origin(of: address) != Origin(of: url) { other.referer = nil }
    other.url = address
    return other
  }
}
