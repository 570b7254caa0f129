import DownloadCore

/// What a `curl` command line asks for, read and never run. Its words are curl(1)'s; what they become are options of our own.
struct CurlCommand {
  private(set) var offers: [Offer] = []
  private var addresses: [String] = []
  private var options: [NewDownload.Option] = []
  private var outputs: [String] = []
  private var skipped: [String] = []
  private var obstacle: String?

  /// Nil when the command is another one.
  init?(_ command: ShellCommand) {
    let words = command.words.drop(while: Self.isAssignment)
    guard let name = words.first, Self.isName(name) else { return nil }
    for part in words.dropFirst().split(whereSeparator: { $0 == "--next" || $0 == "-:" }) { read(part[...]) }
    if let redirect = command.redirect, offers.count == 1, !offers[0].extras.hasPrefix("as ") {
      offers[0].download.options += Self.output(redirect)
    }
  }

  static func isName(_ word: some StringProtocol) -> Bool { word == "curl" || word.hasSuffix("/curl") }

  static func isAssignment(_ word: some StringProtocol) -> Bool {
    let name = word.prefix { $0 != "=" }
    return name.count < word.count && !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  // MARK: Words

  private mutating func read(_ words: ArraySlice<String>) {
    (addresses, options, outputs, skipped, obstacle) = ([], [], [], [], nil)
    var words = words
    while let word = words.popFirst() {
      if word.hasPrefix("--") {
        take(long: word, &words)
      } else if word.hasPrefix("-"), word != "-" {
        take(letters: word.dropFirst(), &words)
      } else {
        takeAddress(word)
      }
    }
    for (place, address) in addresses.enumerated() {
      let own = place < outputs.count ? Self.output(outputs[place]) : []
      offers.append(Offer(download: NewDownload(address, options + own), skipped: skipped, obstacle: obstacle))
    }
  }

  /// What has no dot and no slash is more likely the value of an option that nobody knows.
  private mutating func takeAddress(_ word: String) {
    if word.contains(where: { ".:/".contains($0) }) { addresses.append(word) }
  }

  private mutating func take(long word: String, _ words: inout ArraySlice<String>) {
    let name = String(word.dropFirst(2))
    if Self.harmless.contains(name) || name.hasPrefix("no-") { return }
    guard Self.withValue.contains(name) else { return takeSwitch(name) }
    if let value = words.popFirst() { take(name, value) }
  }

  /// Several letters may stand together, and the last one's value may follow at once.
  private mutating func take(letters: Substring, _ words: inout ArraySlice<String>) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let name = Self.letters[letter] else {
        skipped.append("-\(letter)")
        continue
      }
      if Self.harmless.contains(name) { continue }
      guard Self.withValue.contains(name) else {
        takeSwitch(name)
        continue
      }
      if let value = letters.isEmpty ? words.popFirst() : String(letters) { take(name, value) }
      return
    }
  }

  // MARK: Meanings

  private mutating func takeSwitch(_ name: String) {
    if name == "head" { obstacle = "it asks for the headers only" } else { skipped.append("--\(name)") }
  }

  private mutating func take(_ name: String, _ value: String) {
    guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) else {
      return skipped.append("--\(name)")
    }
    switch name {
    case "url": addresses.append(value)
    case "header": takeHeader(value)
    case "user-agent", "referer": options.append(.init(name, value.replacing(";auto", with: "")))
    case "user" where value.contains(":"): options.append(.init(name, value))
    case "cookie" where value.contains("="): options.append(.init("header", "Cookie: \(value)"))
    case "oauth2-bearer": options.append(.init("header", "Authorization: Bearer \(value)"))
    case "limit-rate" where ByteCount.parse(value) != nil: options.append(.init("limit-rate-each", value))
    case "output": outputs.append(value)
    case "request": if value.uppercased() != "GET" { obstacle = "it is a \(value.uppercased()) request" }
    case "range": obstacle = "it asks for a part of the file only"
    case "upload-file": obstacle = "it sends a file"
    case "data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "form", "form-string", "json":
      obstacle = "it sends data"
    default:  // a word of curl's that has no counterpart
      if !Self.harmlessValues.contains(name) { skipped.append("--\(name)") }
    }
  }

  /// Headers that resuming and redirects rely on are ours to set.
  private mutating func takeHeader(_ line: String) {
    let name = line.prefix { $0 != ":" }
    let value = line.dropFirst(name.count + 1).drop { $0 == " " }
    guard !name.isEmpty, name.count < line.count, !value.isEmpty, name.allSatisfy(Self.isTokenCharacter) else {
      return skipped.append("-H \(name.prefix(40))")
    }
    switch name.lowercased() {
    case "user-agent", "referer": options.append(.init(name.lowercased(), String(value)))
    case "accept-encoding", "connection", "content-length", "host", "if-range", "range", "te", "transfer-encoding":
      skipped.append(String(name))
    default: options.append(.init("header", "\(name): \(value)"))
    }
  }

  /// RFC 9110, section 5.6.2.
  private static func isTokenCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
  }

  /// Only the name: what was pasted may not choose the folder.
  private static func output(_ path: String) -> [NewDownload.Option] {
    let name = path.split(separator: "/").last ?? ""
    return name.isEmpty || name == "-" || name == ".." || name == "." || path.hasPrefix("/dev/")
      ? [] : [.init("output", String(name))]
  }

  // MARK: curl's words

  /// What is done anyway, or only says how curl is to talk.
  private static let harmless: Set<String> = [
    "location", "silent", "show-error", "fail", "fail-with-body", "fail-early", "remote-name", "remote-name-all",
    "remote-header-name", "compressed", "progress-bar", "verbose", "include", "globoff", "http1.0", "http1.1", "http2",
    "http3", "http2-prior-knowledge", "no-buffer", "parallel", "disable", "get", "create-dirs", "tcp-nodelay",
    "path-as-is", "tlsv1", "tlsv1.2", "tlsv1.3", "ssl-reqd", "raw", "styled-output", "retry-all-errors",
    "retry-connrefused", "remove-on-error", "clobber",
  ]

  private static let harmlessValues: Set<String> = [
    "continue-at", "retry", "retry-delay", "retry-max-time", "max-redirs", "write-out", "max-time", "connect-timeout",
    "speed-limit", "speed-time", "parallel-max", "dump-header", "stderr", "trace", "trace-ascii", "output-dir",
    "cookie-jar",
  ]

  private static let withValue: Set<String> = harmlessValues.union([
    "url", "header", "user-agent", "referer", "user", "cookie", "oauth2-bearer", "output", "request", "range",
    "upload-file", "data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "form", "form-string", "json",
    "proxy", "proxy-user", "proxy-header", "preproxy", "noproxy", "socks5", "socks5-hostname", "cacert", "capath",
    "cert",
    "cert-type", "key", "key-type", "pass", "pinnedpubkey", "ciphers", "tls-max", "resolve", "connect-to", "interface",
    "limit-rate", "config", "max-filesize", "quote", "ftp-port", "time-cond", "netrc-file", "aws-sigv4", "doh-url",
    "dns-servers", "local-port", "unix-socket", "keepalive-time", "proto", "proto-default", "proto-redir", "rate",
    "request-target", "url-query", "variable", "etag-compare", "etag-save", "hsts", "alt-svc", "ipfs-gateway",
  ])

  private static let letters: [Character: String] = [
    "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data", "D": "dump-header",
    "e": "referer", "E": "cert", "f": "fail", "F": "form", "g": "globoff", "G": "get", "H": "header", "i": "include",
    "I": "head", "J": "remote-header-name", "k": "insecure", "K": "config", "L": "location", "m": "max-time",
    "n": "netrc", "N": "no-buffer", "o": "output", "O": "remote-name", "P": "ftp-port", "q": "disable", "Q": "quote",
    "r": "range", "R": "remote-time", "s": "silent", "S": "show-error", "T": "upload-file", "u": "user",
    "U": "proxy-user", "v": "verbose", "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time",
    "Y": "speed-limit", "z": "time-cond", "Z": "parallel", "#": "progress-bar", "0": "http1.0", "1": "tlsv1",
    "4": "ipv4", "6": "ipv6",
  ]
}
