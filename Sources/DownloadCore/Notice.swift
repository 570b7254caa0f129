/// A turning point in a download's life, for those who must not miss one (`--json`, plain progress, hooks).
package struct Notice: Sendable, Equatable {
  package let id: DownloadID
  package let kind: Kind

  package init(_ id: DownloadID, _ kind: Kind) {
    self.id = id
    self.kind = kind
  }

  package enum Kind: Sendable, Equatable {
    /// What there is to say of what was to be added once more.
    package static let inTheList = "already in the list"

    case added(url: String)
    /// It was to be added once more, and nothing came of that.
    case addedAlready
    /// Bytes are flowing into `path`; `completed` bytes were there already.
    case started(path: String, total: Int64?, completed: Int64, resumability: Resumability)
    case retrying(DownloadState.Retry, in: Duration)
    case paused
    case verifying
    /// What was there could not be used; the reason in words.
    case restarted(String)
    case warning(String)
    /// `seconds` since the download first became active in this session.
    case completed(path: String, total: Int64, seconds: Double, verification: Verification)
    case failed(DownloadError)
  }
}
