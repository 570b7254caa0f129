import DownloadCore

/// aria2's names for what a download may have of its own (aria2c(1), Input File), where they are not dltui's.
enum Aria2Options {
  static let perDownload: [Option] = [
    Option("out", "o", "NAME", .files, "file name") { $0.wish.name = try $1.path() },
    Option("split", "s", "N", .speed, "connections") { $0.settings.connections = try $1.whole(1...32) },
    Option("max-connection-per-server", "x", "N", .speed, "connections to one server") {
      $0.settings.connections = min($0.settings.connections, try $1.whole(1...32))
    },
    Option("max-download-limit", nil, "RATE", .speed, "bytes per second") {
      $0.settings.rateLimitEach = try $1.rate()
    },
    Option("http-user", nil, "NAME", .request, "who asks") { $0.wish.setUser(try $1.credential()) },
    Option("http-passwd", nil, "PASSWORD", .request, "the password") { $0.wish.setPassword(try $1.credential()) },
    Option("ftp-user", nil, "NAME", .request, "who asks") { $0.wish.setUser(try $1.credential()) },
    Option("ftp-passwd", nil, "PASSWORD", .request, "the password") { $0.wish.setPassword(try $1.credential()) },
  ]

  /// Those that say what dltui does anyway, or that change nothing about the file: lists that aria2 has saved are full of them.
  static let withoutUse: Set<String> = [
    "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns", "auto-file-renaming",
    "check-integrity", "conditional-get", "connect-timeout", "content-disposition-default-utf8", "continue",
    "enable-http-keep-alive", "enable-http-pipelining", "enable-mmap", "file-allocation", "follow-metalink",
    "follow-torrent", "force-save", "ftp-pasv", "ftp-reuse-connection", "ftp-type", "gid", "http-accept-gzip",
    "http-auth-challenge", "http-no-cache", "lowest-speed-limit", "max-file-not-found", "max-mmap-limit",
    "max-resume-failure-tries", "max-tries", "min-split-size", "no-file-allocation-limit", "pause", "piece-length",
    "realtime-chunk-checksum", "remote-time", "remove-control-file", "retry-wait", "reuse-uri",
    "stream-piece-selector", "timeout", "uri-selector", "use-head",
  ]
}

extension Invocation.Wish {
  fileprivate mutating func setUser(_ name: String) {
    credentials = name + (credentials.map { String($0.drop { $0 != ":" }) } ?? ":")
  }

  fileprivate mutating func setPassword(_ password: String) {
    credentials = (credentials.map { String($0.prefix { $0 != ":" }) } ?? "") + ":" + password
  }
}

extension Argument {
  /// Never repeats what was typed: it may be a password.
  fileprivate func credential() throws(UsageError) -> String {
    guard (try? line()) != nil else { throw UsageError("\(option) must be on one line") }
    return text
  }
}
