// Where the same file is said to be at several addresses: one is used until it fails, then the next. Nothing ties the bytes of two servers
// to each other but the bytes themselves (equal ETags of different addresses prove nothing, RFC 9110 §8.8.1), so those before each gap are
// compared, and a mirror that has others is left.

extension Download {
  /// Turns to the next mirror, where there is one that can help; what is on the disk stays.
  mutating func goesOnAtMirror(after error: DownloadError, _ turn: inout Turn) -> Bool {
    guard let next = request.mirrors?.first, run != nil, error.isItsServers, isElsewhere || !error.isChange else {
      return false
    }
    let left = Origin.authority(of: request.url)
    let words = "\(left) is left, \(error.message); goes on at the mirror \(Origin.authority(of: next))"
    suspend(&turn)
    request = request.movedToMirror
    state = .queued
    (attempts, bytesSinceFailure, trust) = (0, 0, Trust())
    trust.isAtNewAddress = completedBytes > 0
    trust.isAtMirror = completedBytes > 0
    note(words, now: turn.now)
    turn.notify(id, .warning(words))
    _ = start(&turn)
    turn.perform(.saveSession)
    return true
  }

  private var isElsewhere: Bool { trust.isAtNewAddress || trust.isAtMirror }
}

extension DownloadError {
  /// Whether the same file from elsewhere may do better.
  fileprivate var isItsServers: Bool {
    if case .checksumMismatch = self { return true }
    return !isLocal && self != .networkDown
  }

  fileprivate var isChange: Bool { if case .changed = self { true } else { false } }
}

extension Request {
  /// Whether one of its own addresses is this one.
  func isMirrored(_ address: String) -> Bool { mirrors?.contains(address) == true }

  /// The same request to its first mirror, to which no secrets go along.
  fileprivate var movedToMirror: Request {
    guard let next = mirrors?.first else { return self }
    var moved = addressed(to: next)
    moved.formerURLs = [url] + (formerURLs ?? [])
    moved.mirrors = mirrors.map { Array($0.dropFirst()) }
    return moved
  }
}

extension Resource {
  /// Only size and sum hold at every address of a file.
  mutating func forgetValidators() {
    (etag, lastModified, lastModifiedSeconds, dateSeconds) = (nil, nil, nil, nil)
  }
}
