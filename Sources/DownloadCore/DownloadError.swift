/// Everything that can go wrong with a download: what to say, what to do about it, whether trying again may help, and the exit status.
package enum DownloadError: Error, Hashable, Codable, Sendable {
  // The network.
  case nameNotResolved(host: String)
  case cannotConnect(host: String, why: String)
  /// No network interface is up.
  case networkDown
  case connectionLost(why: String)
  case timedOut
  case stalled(seconds: Int)
  case tls(why: String)
  /// Nobody has said yet that this key is the SSH server's.
  case unknownHostKey(host: String)
  // The server's answer.
  case notFound(status: Int)
  /// What a `file:` address names is not there, or nothing that has an end.
  case missingFile(path: String)
  case cannotRead(path: String, why: String)
  case unauthorized(status: Int)
  case overloaded(status: Int)
  case unexpectedStatus(Int)
  case serverFault(status: Int)
  case tooManyRedirects
  case refusedRedirect(to: String)
  case badAnswer(String)
  /// HTML where a file of another kind was: links that have expired do that.
  case webPage
  case changed(String)
  case incomplete(missing: Int64)
  case checksumMismatch(expected: String, got: String)
  /// Pieces, counted from 0, that do not have their sums.
  case wrongPieces([Range<Int>], of: Int)
  // The disk.
  case diskFull(path: String)
  case fileExists(path: String)
  case alreadyDownloading(path: String)
  case cannotOpen(path: String, why: String)
  case cannotCreate(path: String, why: String)
  case cannotWrite(path: String, why: String)
  case cannotMakeFolder(path: String, why: String)
  case badSidecar(path: String, why: String)
  case sessionInUse(path: String)
  // Anything else that libcurl reports.
  case other(String)

  /// Lower case, no full stop, the value last after a colon.
  package var message: String {
    switch self {
    case .nameNotResolved(let host): "name not resolved: \(host)"
    case .cannotConnect(let host, let why): "cannot connect to \(host): \(why)"
    case .networkDown: "no network"
    case .connectionLost(let why): "connection lost: \(why)"
    case .timedOut: "timed out while connecting"
    case .stalled(let seconds): "no data for \(seconds) s"
    case .tls(let why): "secure connection failed: \(why)"
    case .unknownHostKey(let host): "not a known SSH host key: \(host)"
    case .notFound(let status): "not found: \(status)"
    case .missingFile(let path): "no such file: \(path)"
    case .cannotRead(let path, let why): "cannot read \(path): \(why)"
    case .unauthorized(let status): "authorization failed: \(status)"
    case .overloaded(let status): "server overloaded: \(status)"
    case .unexpectedStatus(let status): "unexpected answer: \(status)"
    case .serverFault(let status): "server error: \(status)"
    case .tooManyRedirects: "too many redirects"
    case .refusedRedirect(let target): "redirect to what is no http or https address: \(target)"
    case .badAnswer(let what): "unusable answer: \(what)"
    case .webPage: "the link gives a web page instead of the file"
    case .changed(let what): "the file changed on the server: \(what)"
    case .incomplete(let missing): "the answer ended early, bytes missing: \(missing)"
    case .checksumMismatch(let expected, let got): "checksum mismatch: expected \(expected), got \(got)"
    case .wrongPieces(let pieces, let count): "checksum mismatch in \(Self.list(pieces)) of \(count)"
    case .diskFull(let path): "no space left on the disk: \(path)"
    case .fileExists(let path): "the file exists: \(path)"
    case .alreadyDownloading(let path): "another download is writing this file: \(path)"
    case .cannotOpen(let path, let why): "cannot open \(path): \(why)"
    case .cannotCreate(let path, let why): "cannot create \(path): \(why)"
    case .cannotWrite(let path, let why): "cannot write \(path): \(why)"
    case .cannotMakeFolder(let path, let why): "cannot make the folder \(path): \(why)"
    case .badSidecar(let path, let why): "unreadable file \(path): \(why)"
    case .sessionInUse(let path): "another dltui has this session open: \(path)"
    case .other(let text): text
    }
  }

  /// What a person can do about it, when there is something.
  package var hint: String? {
    switch self {
    case .nameNotResolved: "check the host's spelling and the network"
    case .tls: "--cacert FILE trusts another authority, --insecure trusts anyone"
    case .unknownHostKey: "ssh to it once to check and keep the key; --insecure trusts any"
    case .unauthorized(407): "give the proxy's name and password as --proxy http://NAME:PASSWORD@HOST"
    case .unauthorized: "give a name and password with --user"
    case .overloaded: "fewer connections (-x) may be welcome"
    case .webPage: "the link may have expired or want a sign-in; what is on the disk is kept"
    case .changed: "what is on the disk is kept; --if-changed restart takes the new file"
    case .checksumMismatch: "the part file is kept; resume starts over"
    case .wrongPieces: "what is right is kept; resume fetches only the rest, another address (u) may have it"
    case .diskFull: "make space and resume; nothing is lost"
    case .fileExists: "--if-exists rename, skip or overwrite"
    case .cannotOpen, .cannotCreate, .cannotWrite, .cannotMakeFolder: "choose another folder with --dir"
    case .badSidecar: "move it away to start over; the part file was left alone"
    case .sessionInUse: "--no-session works without one, --state-dir DIR takes another"
    case .alreadyDownloading: "pause it there, or choose another name with --output"
    case .cannotConnect, .networkDown, .connectionLost, .timedOut, .stalled, .notFound, .missingFile, .cannotRead,
      .unexpectedStatus, .serverFault, .tooManyRedirects, .refusedRedirect, .badAnswer, .incomplete, .other:
      nil
    }
  }

  /// Whether the same request may well succeed a little later.
  package var isTransient: Bool {
    switch self {
    case .cannotConnect, .networkDown, .connectionLost, .timedOut, .stalled, .overloaded, .serverFault, .incomplete,
      .nameNotResolved:
      true
    case .tls, .unknownHostKey, .notFound, .missingFile, .cannotRead, .unauthorized, .unexpectedStatus,
      .tooManyRedirects, .refusedRedirect, .badAnswer, .webPage, .changed, .checksumMismatch, .wrongPieces, .diskFull,
      .fileExists, .alreadyDownloading, .cannotOpen, .cannotCreate, .cannotWrite, .cannotMakeFolder, .badSidecar,
      .sessionInUse, .other:
      false
    }
  }

  /// Whether the fault is on this side (disk, names, locks): no other connection can do better.
  package var isLocal: Bool {
    switch self {
    case .diskFull, .fileExists, .alreadyDownloading, .cannotOpen, .cannotCreate, .cannotWrite, .cannotMakeFolder,
      .badSidecar, .sessionInUse, .checksumMismatch, .wrongPieces:
      true
    case .nameNotResolved, .cannotConnect, .networkDown, .connectionLost, .timedOut, .stalled, .tls, .unknownHostKey,
      .notFound, .missingFile, .cannotRead, .unauthorized, .overloaded, .unexpectedStatus, .serverFault,
      .tooManyRedirects, .refusedRedirect, .badAnswer, .webPage, .changed,
      .incomplete, .other:
      false
    }
  }

  /// Whether the bytes on the disk, whole as they are, cannot be those that were wanted.
  package var condemnsBytes: Bool {
    switch self {
    case .checksumMismatch, .badAnswer, .webPage: true
    case .nameNotResolved, .cannotConnect, .networkDown, .connectionLost, .timedOut, .stalled, .tls, .unknownHostKey,
      .notFound, .missingFile, .cannotRead, .unauthorized, .overloaded, .unexpectedStatus, .serverFault,
      .tooManyRedirects, .refusedRedirect, .changed, .incomplete, .wrongPieces,
      .diskFull, .fileExists, .alreadyDownloading, .cannotOpen, .cannotCreate, .cannotWrite, .cannotMakeFolder,
      .badSidecar, .sessionInUse, .other:
      false
    }
  }

  /// From 1, as people count.
  private static func list(_ pieces: [Range<Int>]) -> String {
    let words = pieces.prefix(mostNamed).map { range in
      let first = range.lowerBound &+ 1
      return first == range.upperBound ? "\(first)" : "\(first)–\(range.upperBound)"
    }
    let noun = pieces.count == 1 && pieces.first?.count == 1 ? "piece" : "pieces"
    return "\(noun) \(words.joined(separator: ", "))" + (pieces.count > mostNamed ? " and more" : "")
  }

  private static let mostNamed = 8

  /// The exit status, in aria2's numbering (aria2c(1), EXIT STATUS).
  package var code: Int {
    switch self {
    case .timedOut: 2
    case .notFound, .missingFile: 3
    case .stalled: 5
    case .cannotConnect, .networkDown, .connectionLost, .tls, .unknownHostKey: 6
    case .diskFull: 9
    case .alreadyDownloading: 11
    case .fileExists: 13
    case .cannotRead, .cannotOpen, .badSidecar: 15
    case .cannotCreate: 16
    case .cannotWrite: 17
    case .cannotMakeFolder: 18
    case .nameNotResolved: 19
    case .unexpectedStatus, .serverFault, .badAnswer, .webPage, .changed, .incomplete, .refusedRedirect: 22
    case .tooManyRedirects: 23
    case .unauthorized: 24
    case .overloaded: 29
    case .checksumMismatch, .wrongPieces: 32
    case .sessionInUse, .other: 1
    }
  }
}
