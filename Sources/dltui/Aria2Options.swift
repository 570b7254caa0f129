import DownloadCore

/// aria2's words (aria2c(1)), where they are not dltui's: for what a download may have of its own in a list, and for the command line of
/// programs such as yt-dlp that want to start aria2c.
enum Aria2Options {
  /// Called by this name, the program takes aria2's command line.
  static let programName = "dltui-aria2c"

  /// What aria2 would do with this command line.
  static func invocation(_ arguments: [String]) throws(UsageError) -> Invocation {
    let read = try ArgumentParser.read(arguments, options: commandLine)
    var invocation = Invocation()
    try read.apply(to: &invocation)
    (invocation.command, invocation.operands, invocation.readsConfig) = (.get, read.operands, false)
    return invocation
  }

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

  // MARK: The command line

  private static let sameNames = [
    "dir", "checksum", "referer", "user-agent", "input-file", "load-cookies", "interface", "connect-timeout", "log",
    "quiet", "help",
  ]

  private static let commandLine: [Option] =
    perDownload + OptionTable.all.filter { sameNames.contains($0.name) } + settings
    + withoutUse.subtracting(settings.map(\.name) + sameNames).union(onlyOnTheLine).sorted().map { name in
      Option(name, nil, "VALUE", .other, nil) { _, _ in }.withOptionalValue
    }

  /// More of those that change nothing.
  private static let onlyOnTheLine: Set<String> = [
    "auto-save-interval", "download-result", "human-readable", "no-conf", "optimize-concurrent-downloads",
    "enable-color",
    "keep-unfinished-download-result", "save-session-interval", "disk-cache", "enable-rpc",
  ]

  private static let settings: [Option] = [
    Option("header", nil, "LINE", .request, nil) { invocation, argument in
      // Whoever asks for compressed bodies here means what aria2 would unpack.
      guard !argument.text.lowercased().hasPrefix("accept-encoding:") else { return }
      invocation.wish.headers.append(try argument.header())
    },
    Option("follow-metalink", nil, "WHETHER", .files, nil) { $0.followsMetalinks = $1.text != "false" },
    Option("metalink-file", "M", "FILE", .files, nil) { $0.metalinks.append(try $1.path()) },
    Option("max-concurrent-downloads", "j", "N", .speed, nil) { $0.settings.jobs = try $1.whole(1...1024) },
    Option("min-split-size", "k", "SIZE", .speed, nil) { $0.settings.minSplit = try $1.size() },
    Option("max-overall-download-limit", nil, "RATE", .speed, nil) { $0.settings.rateLimit = try $1.rate() },
    Option("all-proxy", nil, "URL", .request, nil) { invocation, argument in
      invocation.settings.network.proxy = argument.text.isEmpty ? nil : try argument.proxy()
    },
    Option("no-proxy", nil, "LIST", .request, nil) { $0.settings.network.noProxy = try $1.line() },
    Option("check-certificate", nil, "BOOL", .request, nil) { $0.settings.network.insecure = try !$1.isOn() }
      .withOptionalValue,
    Option("disable-ipv6", nil, "BOOL", .request, nil) { if try $1.isOn() { $0.settings.network.family = .ipv4 } }
      .withOptionalValue,
    Option("ca-certificate", nil, "FILE", .request, nil) { $0.settings.network.authorities = try $1.readableFile() },
    Option("max-tries", "m", "N", .patience, nil) { $0.settings.retry.attempts = try $1.whole(0...1_000_000) },
    Option("retry-wait", nil, "SECONDS", .patience, nil) { $0.settings.retry.firstWait = try $1.seconds(from: 0) },
    Option("timeout", "t", "SECONDS", .patience, nil) { $0.settings.stallTimeout = try $1.seconds(from: 1) },
    Option("continue", "c", "BOOL", .files, nil) { if try $1.isOn() { $0.settings.ifExists = .overwrite } }
      .withOptionalValue,
    Option("allow-overwrite", nil, "BOOL", .files, nil) { if try $1.isOn() { $0.settings.ifExists = .overwrite } }
      .withOptionalValue,
    Option("auto-file-renaming", nil, "BOOL", .files, nil) { invocation, argument in
      if try !argument.isOn(), invocation.settings.ifExists == .rename { invocation.settings.ifExists = .fail }
    }.withOptionalValue,
    Option("file-allocation", nil, "METHOD", .files, nil) { $0.settings.preallocate = $1.text != "none" },
    Option("remote-time", "R", "BOOL", .files, nil) { $0.settings.remoteTime = try $1.isOn() }.withOptionalValue,
    Option("show-console-readout", nil, "BOOL", .output, nil) { $0.output.showsProgress = try $1.isOn() }
      .withOptionalValue,
    Option("console-log-level", nil, "LEVEL", .output, nil) { _, _ in },
    Option("summary-interval", nil, "SECONDS", .output, nil) { _, _ in },
    Option("version", "v", nil, .other, nil) { invocation, _ in invocation.wantsVersion = true },
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
  /// aria2's switches: `true` where nothing is said.
  fileprivate func isOn() throws(UsageError) -> Bool {
    guard ["", "true", "false"].contains(text) else { throw UsageError("\(option) must be true or false: \(text)") }
    return text != "false"
  }

  /// Never repeats what was typed: it may be a password.
  fileprivate func credential() throws(UsageError) -> String {
    guard isOneLine else { throw UsageError("\(option) must be on one line") }
    return text
  }
}
