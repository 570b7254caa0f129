// Redirects are followed here and not by libcurl, so that secrets never leave the origin that they were given for, every hop counts
// for the host that it goes to, and all segments of a download go where the first one was sent (RFC 9110 §15.4).

extension Download {
  private static let mostHops = 20

  /// Asks for the same bytes where the answer points to.
  mutating func follow(_ index: Int, to location: ResponseHead.Location, _ turn: inout Turn) {
    guard let transfer = run?.transfers[index] else { return }
    guard transfer.hops < Self.mostHops else { return refuseHop(transfer.id, .tooManyRedirects, &turn) }
    let address: String
    switch location {
    case .unusable(let text): return refuseHop(transfer.id, .refusedRedirect(to: text), &turn)
    case .address(let url): address = url
    }
    guard let target = Origin(of: address) else {
      return refuseHop(transfer.id, .refusedRedirect(to: address), &turn)
    }
    let place = Address(address)
    if turn.fullHosts.contains(place.host) { return waitThere(index, place, &turn) }
    if let origin = Origin(of: transfer.url) { tellHop(from: origin, to: target, address, &turn) }
    replace(index, asking: place, hops: transfer.hops + 1, isLookup: transfer.isLookup, &turn)
  }

  /// Without the query: that may be half a page of signatures.
  private mutating func tellHop(from origin: Origin, to target: Origin, _ address: String, _ turn: inout Turn) {
    guard origin.scheme == "https", target.scheme == "http" else {
      return note("sent on to \(address.prefix { $0 != "?" && $0 != "#" })", now: turn.now)
    }
    let words = "sent on to an address without encryption: \(target.text)"
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
  }

  private mutating func replace(
    _ index: Int, asking address: Address, hops: Int, isLookup: Bool, _ turn: inout Turn
  ) {
    guard let transfer = run?.transfers[index] else { return }
    let next = Transfer(
      id: TransferID(turn.numbers.next()), source: transfer.source, address: address, hops: hops, isLookup: isLookup,
      asked: transfer.asked, claim: transfer.claim, now: turn.now)
    run?.transfers[index] = next
    turn.perform(.stop(transfer.id))
    send(next, &turn)
  }

  // MARK: Addresses that expire

  /// Whether the answer is that of a redirect's target which was good before and is no longer, as signed addresses are after a while.
  func isExpired(_ transfer: Transfer, _ head: ResponseHead) -> Bool {
    transfer.hops == 0 && transfer.address != run?.sources[transfer.source].address
      && [401, 403, 404, 410].contains(head.status)
  }

  /// The first transfer that finds out asks where the file is now; the others give up their stretches and wait for what it learns.
  mutating func lookUpAgain(_ index: Int, _ turn: inout Turn) {
    guard let run else { return }
    let transfer = run.transfers[index]
    let source = run.sources[transfer.source]
    guard source.target == transfer.address else {
      self.run?.transfers.remove(at: index)
      if transfer.asked.overlap > 0, !transfer.isProbe { trust.suspects.insert(transfer.claim.lowerBound) }
      return turn.perform(.stop(transfer.id))
    }
    self.run?.sources[transfer.source].target = nil
    note("the address that it was sent on to has expired: asked for again", now: turn.now)
    if turn.fullHosts.contains(source.address.host) {
      self.run?.transfers.remove(at: index)
      return turn.perform(.stop(transfer.id))
    }
    replace(index, asking: source.address, hops: 0, isLookup: true, &turn)
  }

  /// Whether it is just being found out where the file of a source is now.
  func isLookingUp(_ source: Int) -> Bool {
    run?.transfers.contains { $0.isLookup && !$0.isAccepted && $0.source == source } == true
  }

  /// No connection is free where the answer points to: it is asked there, without this one's detour, when one is.
  private mutating func waitThere(_ index: Int, _ location: Address, _ turn: inout Turn) {
    guard let transfer = run?.transfers.remove(at: index) else { return }
    turn.perform(.stop(transfer.id))
    run?.sources[transfer.source].target = location
    run?.sources[transfer.source].hops = transfer.hops + 1
  }

  private mutating func refuseHop(_ id: TransferID, _ error: DownloadError, _ turn: inout Turn) {
    lose(id, error, retryAfter: nil, stop: true, &turn)
  }

  func send(_ transfer: Transfer, _ turn: inout Turn) {
    turn.perform(
      .startTransfer(
        transfer.id,
        TransferPlan(
          download: id, request: request.addressed(to: transfer.url), asked: transfer.asked,
          usesNetrc: request.mayUseNetrc(at: transfer.url))))
  }
}

/// Scheme, host and port: who a secret is meant for (RFC 9110 §4.3.1).
struct Origin: Hashable {
  let scheme: String
  /// Host and port, in lower case.
  let authority: String

  /// Nil when it is not an http or https address.
  init?(of url: String) {
    guard let parts = Self.parts(of: url) else { return nil }
    scheme = parts.scheme.lowercased()
    let host = parts.authority.lowercased()
    let port = scheme == "https" ? ":443" : ":80"
    authority = host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    guard scheme == "http" || scheme == "https", !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else {
      return nil
    }
  }

  var text: String { scheme + "://" + authority }

  /// Without the port.
  var host: Substring {
    authority.last == "]" ? authority[...] : authority.lastIndex(of: ":").map { authority[..<$0] } ?? authority[...]
  }

  /// The host and port of any address; one name for one host, however it is spelt.
  static func authority(of url: String) -> String {
    if let origin = Origin(of: url) { return origin.authority }
    let authority = parts(of: url)?.authority ?? authority(at: url[...])
    return authority.suffix(from: authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)
      .lowercased()
  }

  /// The two halves before the path of an absolute address, as they are spelt.
  static func parts(of url: String) -> (scheme: Substring, authority: Substring)? {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url[colon...].utf8.starts(with: "://".utf8) else {
      return nil
    }
    return (url[..<colon], authority(at: url[url.utf8.index(colon, offsetBy: 3)...]))
  }

  private static func authority(at rest: Substring) -> Substring {
    rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
      .map { rest[..<$0] } ?? rest
  }
}

/// Where a request goes: the address, and its host and port as limits are counted.
struct Address: Hashable, Sendable {
  let url: String
  let host: String

  init(_ url: String) {
    self.url = url
    host = Origin.authority(of: url)
  }
}

extension Request {
  /// The same request to another address. What may be secret goes to the origin it was given for, and nowhere else.
  func addressed(to address: String) -> Request {
    if address == url { return self }
    var other = Origin(of: address) == Origin(of: url) ? self : withoutSecrets
    if Origin(of: address) != Origin(of: url) { other.referer = nil }
    other.url = address
    return other
  }

  /// A netrc entry is for a host and knows no ports: it is not for another service on the host that the person named, nor for an
  /// address without encryption that one with it led to.
  func mayUseNetrc(at address: String) -> Bool {
    guard address != url, let asked = Origin(of: url), let target = Origin(of: address), asked != target else {
      return true
    }
    return asked.host != target.host && (asked.scheme == target.scheme || target.scheme == "https")
  }
}
