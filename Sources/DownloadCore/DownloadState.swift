/// Where a download stands. Data lives in the case where it is true.
package enum DownloadState: Hashable, Codable, Sendable {
  case queued
  case active
  case retrying(Retry)
  case verifying
  /// By a person, or for a reason that will not go away by itself (a full disk).
  case paused(because: DownloadError?)
  case completed(Verification)
  case failed(DownloadError)

  package struct Retry: Hashable, Codable, Sendable {
    /// On the session's clock.
    package var at: Duration
    /// The number of the coming attempt, from 1, and how many there will be (nil: without end).
    package var attempt: Int
    package var of: Int?
    package var error: DownloadError

    package init(at: Duration, attempt: Int, of: Int?, error: DownloadError) {
      self.at = at
      self.attempt = attempt
      self.of = of
      self.error = error
    }
  }
}

/// What a completed file was checked against.
package enum Verification: Hashable, Codable, Sendable {
  case checksum(Checksum.Algorithm)
  /// The sums of all its pieces.
  case pieces(Checksum.Algorithm, count: Int)
  /// The size that the server had promised.
  case size
  /// The size, but the bytes of several sessions are tied together by comparing some of them only: the server gave no strong validator.
  case overlap
  /// Nothing: the server never said how long the file is.
  case nothing

  /// As the log of a download says it.
  var sentence: String {
    switch self {
    case .checksum(let algorithm): "its \(algorithm.rawValue) sum is right"
    case .pieces(let algorithm, let count): "the \(algorithm.rawValue) sums of its \(count) pieces are right"
    case .size: "its size is right"
    case .overlap: "its size is right, bytes of several answers were compared in part"
    case .nothing: "nothing to check it against"
    }
  }

  /// The word of the JSON events: `sha-256`, `size`, `none`.
  package var word: String {
    switch self {
    case .checksum(let algorithm), .pieces(let algorithm, _): algorithm.rawValue
    case .size: "size"
    case .overlap, .nothing: "none"
    }
  }
}

/// Whether stopping costs bytes.
package enum Resumability: Hashable, Codable, Sendable {
  /// No answer has been seen yet.
  case unknown
  case resumable
  /// The server gives no strong validator: bytes on the disk are compared with the server's before going on.
  case comparing
  /// Stopping means starting over, for this reason.
  case startsOver(Reason)

  package enum Reason: String, Codable, Sendable {
    case noRanges = "the server sends no ranges"
    case noLength = "the size is unknown"
    case coded = "the server sends it compressed on the fly"
  }
}
