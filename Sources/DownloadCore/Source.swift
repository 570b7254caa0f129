/// One of the addresses of a file, and what it has taught while the download works.
struct Source: Sendable {
  let address: Address
  var standing = Standing.unproven
  /// What its own answers say that the file is; nil before the first one. That of the leading source is the download's.
  var resource: Resource?
  /// Where redirects led its first accepted answer: further requests go there directly.
  var target: Address?
  /// How many redirects led to a target that has not answered yet.
  var hops = 0
  /// Failures since it last brought what was wanted.
  var failures = 0
  /// It is left alone until then.
  var restsUntil: Duration?
  /// Bytes per second of its last stretch; 0 before it.
  var rate: Int64 = 0
  /// What it gave of the bytes on the disk; kept only where there are several sources.
  var given = ByteRangeSet()
  /// Whether it has given a wrong piece, and is asked once more because nobody else has the file.
  var hasGivenWrong = false

  init(_ address: Address) { self.address = address }

  enum Standing: Sendable {
    /// Nothing shows that the same file is there.
    case unproven
    /// What is on the disk began with it, or its validators are those that were kept.
    case original
    /// Bytes that it sent were those on the disk.
    case compared
    /// It has other bytes than the leading source: not asked unless that one turns out to be wrong.
    case differing
    /// It has no file, or a wrong one: not asked again in this run.
    case dropped

    /// Of two sources with different bytes, the one with less is wrong.
    var weight: Int {
      switch self {
      case .original: 2
      case .compared: 1
      case .unproven, .differing, .dropped: 0
      }
    }
  }

  var isProven: Bool { standing == .original || standing == .compared }
  var isDropped: Bool { standing == .dropped || standing == .differing }
  /// Whether it may be asked now.
  var isUsable: Bool { !isDropped && restsUntil == nil }
  /// The address that its next request goes to.
  var next: Address { target ?? address }
}

extension Download {
  private static let mostMirrors = 16

  /// The addresses that the file is fetched from, the first one before its mirrors.
  var sources: [Source] {
    (request.mirrors ?? []).reduce(into: [Source(origin)]) { sources, url in
      if !sources.contains(where: { $0.address.url == url }) { sources.append(Source(Address(url))) }
    }
  }

  /// Takes in the mirrors that the first address tells (RFC 6249); its digest is what ties them together. What came without encryption where
  /// the person wanted it does not count, nor do mirrors of mirrors.
  mutating func learnMirrors(from head: ResponseHead, now: Duration) {
    guard !head.mirrors.isEmpty, head.digest != nil else { return }
    guard Origin(of: head.url)?.scheme == "https" || Origin(of: request.url)?.scheme != "https" else { return }
    let count = learn(head.mirrors.filter { $0 != head.url })
    if count > 0 { note("\(origin.host) tells of mirrors: \(count)", now: now) }
  }

  /// They are no part of the request: a server may name whatever it likes, and that is not the same file until it has been compared.
  /// - Returns: how many are new.
  @discardableResult mutating func learn(_ urls: [String]) -> Int {
    let before = run?.sources.count ?? 0
    for url in urls where Origin(of: url) != nil {
      guard let run, run.sources.count <= Self.mostMirrors else { break }
      if !run.sources.contains(where: { $0.address.url == url }) { self.run?.sources.append(Source(Address(url))) }
    }
    return (run?.sources.count ?? 0) - before
  }

  /// Those that nobody has given, but a server has told.
  var learnedMirrors: [String]? {
    guard let run, run.sources.count > 1 else { return nil }
    let learned = run.sources.map(\.address.url).filter { $0 != request.url && request.mirrors?.contains($0) != true }
    return learned.isEmpty ? nil : learned
  }
}

extension Resource {
  /// What holds at every address of a file: an entity tag is only ever sent back to where it came from (RFC 9110 §8.8.1).
  var withoutValidators: Resource {
    var plain = self
    (plain.etag, plain.lastModified, plain.lastModifiedSeconds, plain.dateSeconds) = (nil, nil, nil, nil)
    return plain
  }

  /// With the validators of another answer.
  func validated(by seen: Resource) -> Resource {
    var both = self
    (both.etag, both.lastModified) = (seen.etag, seen.lastModified)
    (both.lastModifiedSeconds, both.dateSeconds) = (seen.lastModifiedSeconds, seen.dateSeconds)
    return both
  }
}
