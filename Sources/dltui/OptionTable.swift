import DownloadCore
import DownloadEngine
import TerminalUI

/// Every option of the program, in the order of the help.
enum OptionTable {
  static let all = files + speed + request + patience + output + screen + session + other

  private static let files: [Option] = [
    Option("dir", "d", "DIR", .files, "folder for the files; made if it is missing", default: "the current folder") {
      $0.wish.folder = try $1.path()
    }.live.perDownload,
    Option(
      "output", "o", "NAME", .files, "file name inside DIR, or an absolute path; for one URL",
      default: "the server's name"
    ) {
      $0.wish.name = try $1.path()
    }.forOneCall.perDownload,
    Option(
      "input-file", "i", "FILE", .files,
      "read URLs from FILE, one a line, options for it indented below; - is standard input"
    ) {
      $0.inputFiles.append(try $1.path())
    }.repeatable.forOneCall,
    Option(
      "metalink", "M", "FILE", .files,
      "download what a Metalink file (.meta4, .metalink) names, with its mirrors and sums; - is standard input"
    ) {
      $0.metalinks.append(try $1.path())
    }.repeatable.forOneCall,
    Option(
      "follow-metalink", nil, "true|false", .files, "download what a Metalink file names that was downloaded",
      default: "true"
    ) {
      $0.followsMetalinks = try $1.word() as Following == .true
    }.choosing(Following.self).live,
    Option(
      "if-exists", nil, "WHAT", .files, "when the file is there already: rename, skip, overwrite or fail",
      default: "rename"
    ) {
      $0.settings.ifExists = try $1.word()
    }.choosing(Settings.IfExists.self).live,
    Option(
      "if-changed", nil, "WHAT", .files, "when an unfinished file has changed on the server: restart, fail or ask",
      default: "ask on the screen, else restart"
    ) {
      $0.ifChanged = try $1.word()
    }.choosing(Settings.IfChanged.self).live,
    Option(
      "checksum", nil, "ALG=HEX", .files,
      "what the file must add up to: sha-256, sha-512, sha-384, sha-224, sha-1 or md5; auto looks for FILE.sha256, SHA256SUMS and the like beside it"
    ) {
      $0.wish.findsChecksum = $1.text == "auto"
      $0.wish.checksum = $0.wish.findsChecksum ? nil : try $1.checksum()
    }.forOneCall.perDownload,
    Option("remote-time", nil, nil, .files, "give a file the modification time that the server tells") {
      invocation, _ in
      invocation.settings.remoteTime = true
    }.live,
    Option("repair", nil, nil, .files, "check: fetch again what is wrong") { invocation, _ in
      invocation.repairs = true
    }.forOneCall,
    Option("preallocate", nil, "WHAT", .files, "reserve the space on disk: auto or none", default: "auto") {
      $0.settings.preallocate = try $1.word() as Preallocation == .auto
    }.choosing(Preallocation.self).live,
  ]

  private static let speed: [Option] = [
    Option(
      "connections", "x", "N", .speed,
      "connections for one download, 1 to 32; otherwise up to 8 where that is worth it",
      default: "auto"
    ) {
      $0.settings.connections = try $1.whole(1...32)
      $0.settings.areConnectionsPaced = false
    }.live.perDownload,
    Option("max-host-connections", nil, "N", .speed, "most connections to one host over all downloads", default: "16") {
      $0.settings.hostConnections = try $1.whole(1...1024)
    }.live,
    Option("jobs", "j", "N", .speed, "downloads active at once", default: "5") {
      $0.settings.jobs = try $1.whole(1...1024)
    }.live,
    Option("min-split", nil, "SIZE", .speed, "never split a gap smaller than this", default: "1M") {
      $0.settings.minSplit = try $1.size()
    }.live,
    Option(
      "limit-rate", nil, "RATE", .speed,
      "bytes per second over all downloads, as 500K or 2.5M; 0 is no limit; `2M; 08:00-18:00 500K` goes by the time of day",
      default: "none"
    ) {
      let schedule = try $1.schedule()
      $0.settings.rateLimit = schedule.base
      $0.settings.rateSchedule = schedule.windows.isEmpty ? nil : schedule
    }.live,
    Option("limit-rate-each", nil, "RATE", .speed, "bytes per second for each download", default: "none") {
      $0.settings.rateLimitEach = try $1.rate()
    }.live.perDownload,
  ]

  private static let request: [Option] = [
    Option("header", "H", "LINE", .request, "extra request header, `Name: value`; may be repeated") {
      $0.wish.headers.append(try $1.header())
    }.repeatable.live.perDownload,
    Option("user-agent", "A", "TEXT", .request, "how the program names itself", default: "dltui/\(Program.version)") {
      $0.wish.userAgent = try $1.line()
    }.live.perDownload,
    Option("referer", nil, "URL", .request, "the page that led here") { $0.wish.referer = try $1.line() }.live
      .perDownload,
    Option("user", "u", "NAME:PASSWORD", .request, "who asks, for servers that want to know") {
      $0.wish.credentials = try $1.credentials()
    }.live.perDownload,
    Option("netrc", "n", nil, .request, "look for names and passwords in ~/.netrc") { invocation, _ in
      invocation.settings.network.netrc = invocation.settings.network.netrc ?? ""
    }.live,
    Option("netrc-file", nil, "FILE", .request, "look for them in FILE") {
      $0.settings.network.netrc = try $1.readableFile()
    }.live,
    Option("load-cookies", "b", "FILE", .request, "begin with the cookies of a Netscape cookies.txt") {
      $0.settings.network.cookies = try $1.readableFile()
    },
    Option(
      "proxy", nil, "URL", .request, "go through an http, https, socks5 or socks5h proxy", default: "http_proxy, …"
    ) {
      $0.settings.network.proxy = try $1.proxy()
    }.live.orEnvironment(
      "http_proxy", "https_proxy", "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY"),
    Option("noproxy", nil, "LIST", .request, "hosts to ask directly, separated by commas", default: "no_proxy") {
      $0.settings.network.noProxy = try $1.line()
    }.live.orEnvironment("no_proxy", "NO_PROXY"),
    Option("ipv4", "4", nil, .request, "use IPv4 addresses only") { invocation, _ in
      invocation.settings.network.family = .ipv4
    }.live,
    Option("ipv6", "6", nil, .request, "use IPv6 addresses only") { invocation, _ in
      invocation.settings.network.family = .ipv6
    }.live,
    Option("interface", nil, "NAME", .request, "network interface or address to send from") {
      $0.settings.network.interface = try $1.line()
    }.live,
    Option("cacert", nil, "FILE", .request, "trust the certificate authorities in FILE", default: "the system's") {
      $0.settings.network.authorities = try $1.readableFile()
    },
    Option("insecure", "k", nil, .request, "accept any certificate and SSH host key") { invocation, _ in
      invocation.settings.network.insecure = true
    }.live,
  ]

  private static let patience: [Option] = [
    Option("retries", nil, "N", .patience, "attempts without progress before giving up; 0 is for ever", default: "8") {
      $0.settings.retry.attempts = try $1.whole(0...1_000_000)
    }.live,
    Option("retry-wait", nil, "SECONDS", .patience, "first pause before trying again; doubles each time", default: "1")
    {
      $0.settings.retry.firstWait = try $1.seconds(from: 0)
    }.live,
    Option("retry-max-wait", nil, "SECONDS", .patience, "longest pause, unless the server asks for more", default: "60")
    {
      $0.settings.retry.longestWait = try $1.seconds(from: 0)
    }.live,
    Option("connect-timeout", nil, "SECONDS", .patience, "how long to wait for a connection", default: "15") {
      $0.settings.connectTimeout = try $1.seconds(from: 0.001)
    }.live,
    Option("stall-timeout", nil, "SECONDS", .patience, "how long a connection may send nothing", default: "30") {
      $0.settings.stallTimeout = try $1.seconds(from: 1)
    }.live,
  ]

  private static let output: [Option] = [
    Option("quiet", "q", nil, .output, "print errors only") { invocation, _ in invocation.output.isQuiet = true },
    Option("no-progress", nil, nil, .output, "print how downloads start and end, nothing in between") { invocation, _ in
      invocation.output.showsProgress = false
    },
    Option("json", nil, nil, .output, "get, list: JSON on standard output, one object a line") { invocation, _ in
      invocation.output.json = true
    },
    Option("log", nil, "FILE", .output, "append what happens to FILE, without passwords and cookies", default: "none") {
      $0.logPath = try $1.path()
    },
    Option("log-level", nil, "LEVEL", .output, "how much of it: error, warn, info or debug", default: "info") {
      $0.logLevel = try $1.word()
    }.choosing(Log.Level.self),
    Option("ascii", nil, nil, .output, "draw with ASCII characters only") { invocation, _ in
      invocation.output.ascii = true
    },
    Option("color", nil, "WHEN", .output, "auto, always or never; NO_COLOR is honoured", default: "auto") {
      $0.output.color = try $1.word()
    }.choosing(Invocation.ColorChoice.self).orEnvironment("NO_COLOR"),
  ]

  private static let screen: [Option] = [
    Option(
      "theme", nil, "WORD", .screen,
      "auto, dark, light, 16 (the terminal's own colours), mono or ascii; the key t changes it",
      default: "auto"
    ) {
      $0.output.theme = try $1.word()
    }.live.choosing(Theme.self),
    Option("no-mouse", nil, nil, .screen, "leave the mouse to the terminal") { invocation, _ in
      invocation.output.takesMouse = false
    },
    Option("no-title", nil, nil, .screen, "leave the window's title and the taskbar alone") { invocation, _ in
      invocation.output.setsTitle = false
    },
    Option(
      "notify", nil, "HOW", .screen, "when all is done: bell, desktop (as the terminal can, OSC 777 or 9) or none",
      default: "bell"
    ) {
      $0.output.notification = try $1.word()
    }.live.choosing(TerminalSigns.Notification.self),
  ]

  private static let session: [Option] = [
    Option(
      "on-complete", nil, "COMMAND", .session,
      "run this program for every complete file, without a shell; DLTUI_PATH, DLTUI_SIZE and DLTUI_VERIFIED tell of it"
    ) {
      $0.onComplete = try $1.command()
    },
    Option("confirm-quit", nil, "WHEN", .session, "whether q asks first: active, always or never", default: "active") {
      $0.output.quitQuestion = try $1.word()
    }.choosing(Screen.QuitQuestion.self).live,
    Option("state-dir", nil, "DIR", .session, "folder of the session file", default: "$XDG_STATE_HOME/dltui") {
      $0.stateFolder = try $1.path()
    },
    Option("no-session", nil, nil, .session, "neither restore nor save the list") { invocation, _ in
      invocation.keepsSession = false
    },
    Option(
      "config", nil, "FILE", .session, "read options from FILE, `name = value` a line, # begins a comment line",
      default: "$XDG_CONFIG_HOME/dltui/config"
    ) {
      $0.configFile = try $1.path()
    }.forOneCall,
    Option("no-config", nil, nil, .session, "read no such file") { invocation, _ in
      invocation.readsConfig = false
    }.forOneCall,
  ]

  private static let other: [Option] = [
    Option("help", "h", nil, .other, "show this text") { invocation, _ in invocation.wantsHelp = true }.forOneCall,
    Option("print", nil, "WHAT", .other, nil) { $0.print = try $1.word() }
      .choosing(Invocation.Printable.self).forOneCall,
    Option("version", nil, nil, .other, "show the version") { invocation, _ in invocation.wantsVersion = true }
      .forOneCall,
  ]

  /// The words of `--follow-metalink`, which are aria2's.
  enum Following: String, CaseIterable {
    case `true`, `false`
  }

  /// The words of `--preallocate`.
  enum Preallocation: String, CaseIterable {
    case auto, none
  }
}
