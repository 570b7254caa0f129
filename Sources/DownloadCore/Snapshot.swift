/// What a viewer sees at one moment. The screen and `--json` show the same one.
package struct Snapshot: Codable, Sendable, Equatable {
  /// The moment on the session's clock; `Retry.at` and `LogLine.at` are on the same one.
  package var moment: Duration
  /// The same moment in seconds since 1970, for showing clock times.
  package var wallClock: Int64
  /// In queue order.
  package var downloads: [Item]
  /// Bytes per second over all downloads, smoothed.
  package var speed: Int64
  /// Bytes per second; nil is no limit.
  package var rateLimit: Int64?
  /// Bytes free on the volume of the default folder; nil until known.
  package var freeSpace: Int64?

  package init(
    moment: Duration = .zero, wallClock: Int64 = 0, downloads: [Item] = [], speed: Int64 = 0, rateLimit: Int64? = nil,
    freeSpace: Int64? = nil
  ) {
    self.moment = moment
    self.wallClock = wallClock
    self.downloads = downloads
    self.speed = speed
    self.rateLimit = rateLimit
    self.freeSpace = freeSpace
  }

  /// One download.
  package struct Item: Codable, Sendable, Equatable, Identifiable {
    package var id: DownloadID
    package var state: DownloadState
    /// The file's name: chosen, or guessed from the address until the server answers.
    package var name: String
    package var folder: String
    /// The address as given, without credentials.
    package var url: String
    /// Where redirects led, when that differs.
    package var finalURL: String?
    /// Bytes; nil while unknown.
    package var total: Int64?
    /// Bytes on disk.
    package var completed: Int64
    /// Bytes per second, smoothed over about 10 s; nil when nothing is in flight.
    package var speed: Int64?
    /// Whole seconds since the last byte, once that is long enough to be worth a word.
    package var stalledFor: Int?
    /// Whether it has had no connection for as long, because its server may not have more of them now.
    package var waitsForConnection: Bool
    package var connectionLimit: Int
    /// Most connections that this download was given by itself; nil takes the setting.
    package var connections: Int?
    /// Bytes per second that this download was given by itself; nil takes the setting.
    package var rateLimit: Int64?
    /// How the server names itself.
    package var server: String?
    /// Bytes in each of the last sixty seconds, oldest first; empty when nothing is under way.
    package var history: [Int64]
    package var resumability: Resumability
    /// The strong ETag, date or nothing that resuming relies on, as text.
    package var validator: String?
    package var transfers: [Connection]
    /// Stretches of the file that are not on disk yet.
    package var missing: [ByteRange]
    /// The last ten events, oldest first.
    package var log: [LogLine]

    package init(id: DownloadID, state: DownloadState, name: String, folder: String, url: String) {
      self.id = id
      self.state = state
      self.name = name
      self.folder = folder
      self.url = url
      completed = 0
      waitsForConnection = false
      connectionLimit = 1
      resumability = .unknown
      history = []
      transfers = []
      missing = []
      log = []
    }

    /// Whole seconds to the end at the present speed; nil when that cannot be told.
    package var eta: Int? {
      guard let total, let speed, speed > 0, state == .active else { return nil }
      let (whole, part) = max(0, total - completed).quotientAndRemainder(dividingBy: speed)
      return whole < 360_000_000 ? Int(whole) + (part > 0 ? 1 : 0) : nil
    }
  }

  /// One transfer in flight: what it has claimed, and how fast it comes.
  package struct Connection: Codable, Sendable, Equatable {
    package var claim: ByteRange
    package var speed: Int64
    /// IP address and port at the other end; nil until it answers.
    package var peer: String?
    /// The host and port that it asks; nil where the download has one address only.
    package var host: String?
    package init(claim: ByteRange, speed: Int64, peer: String? = nil, host: String? = nil) {
      self.claim = claim
      self.speed = speed
      self.peer = peer
      self.host = host
    }
  }

  /// A thing that happened to a download, in words.
  package struct LogLine: Codable, Sendable, Equatable {
    package var at: Duration
    package var text: String
    package init(at: Duration, text: String) {
      self.at = at
      self.text = text
    }
  }

  /// Bytes that are still to come, over all downloads of known size that are not finished, failed or paused. Servers say what the
  /// sizes are: a sum beyond 63 bits stays at the top.
  package var remaining: Int64 {
    downloads.reduce(0) { sum, item in
      switch item.state {
      case .queued, .active, .retrying:
        let (more, overflow) = sum.addingReportingOverflow(max(0, (item.total ?? item.completed) - item.completed))
        return overflow ? .max : more
      case .verifying, .paused, .completed, .failed: return sum
      }
    }
  }
}
