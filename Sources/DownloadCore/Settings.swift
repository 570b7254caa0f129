/// What holds for all downloads unless a request says otherwise. The defaults are those of the command line, but for the pace.
package struct Settings: Hashable, Sendable {
  /// Downloads active at once.
  package var jobs = 5
  /// Most connections for one download, 1–32.
  package var connections = 8
  /// Whether a download has only one of them as long as more would not be worth it, unless a number was asked for.
  package var areConnectionsPaced = false
  /// Most connections to one host and port over all downloads.
  package var hostConnections = 16
  /// A gap smaller than this many bytes is never split.
  package var minSplit: Int64 = 1 << 20
  /// Bytes per second over all downloads; nil is no limit.
  package var rateLimit: Int64?
  /// What that is at which time of day; nil leaves it as it is.
  package var rateSchedule: RateSchedule?
  /// Bytes per second for each download; nil is no limit.
  package var rateLimitEach: Int64?
  package var retry = RetryPolicy()
  package var connectTimeout: Duration = .seconds(15)
  package var stallTimeout: Duration = .seconds(30)
  package var ifExists: IfExists = .rename
  package var ifChanged: IfChanged = .restart
  package var preallocate = true
  /// Whether a file gets the modification time that the server tells.
  package var remoteTime = false
  package var userAgent = "dltui"
  package var network = Network()

  package init() {}

  /// How the outside is reached. Files are absolute paths.
  package struct Network: Hashable, Sendable {
    /// A file of certificate authorities instead of the system's.
    package var authorities: String?
    /// Accept any certificate.
    package var insecure = false
    /// `http`, `https`, `socks5` or `socks5h` address; nil takes the environment's.
    package var proxy: String?
    /// Hosts, suffixes and networks that are asked directly, separated by commas; nil takes the environment's.
    package var noProxy: String?
    /// Passwords from a netrc file: this one, or `~/.netrc` where the name is empty. Nil uses none.
    package var netrc: String?
    /// A Netscape cookies.txt to begin with.
    package var cookies: String?
    package var family: Family?
    /// Network interface, address or host name to send from.
    package var interface: String?

    package init() {}

    package enum Family: Hashable, Sendable { case ipv4, ipv6 }
  }

  /// What to do when the final name is taken by a file that is not our part.
  package enum IfExists: String, Hashable, Sendable, CaseIterable {
    case rename, skip, overwrite, fail
  }

  /// What to do when an unfinished file changed on the server.
  package enum IfChanged: String, Hashable, Sendable, CaseIterable {
    /// Take the new one; the old bytes are kept aside until it is complete.
    case restart
    case fail
    /// Stop with the question; `Command.restart` is the answer.
    case ask
  }
}
