import DownloadCore

extension DownloadError {
  /// What went wrong in as few words as a column of the table has room for; `message` says it in full.
  var brief: String {
    switch self {
    case .nameNotResolved: "name not resolved"
    case .cannotConnect: "cannot connect"
    case .networkDown: "no network"
    case .connectionLost: "connection lost"
    case .timedOut: "timed out"
    case .stalled(let seconds): "no data for \(seconds) s"
    case .tls: "not secure"
    case .unknownHostKey: "unknown host key"
    case .notFound(let status), .unauthorized(let status), .overloaded(let status), .unexpectedStatus(let status),
      .serverFault(let status):
      String(status)
    case .missingFile: "no such file"
    case .cannotRead: "cannot read"
    case .tooManyRedirects: "redirects"
    case .refusedRedirect: "redirect refused"
    case .webPage: "a web page"
    case .badAnswer: "unusable answer"
    case .changed: "changed"
    case .incomplete: "ended early"
    case .checksumMismatch: "bad checksum"
    case .diskFull: "disk full"
    case .fileExists: "file exists"
    case .alreadyDownloading: "file in use"
    case .cannotOpen: "cannot open"
    case .cannotCreate: "cannot create"
    case .cannotWrite: "cannot write"
    case .cannotMakeFolder: "cannot make folder"
    case .badSidecar: "bad sidecar"
    case .sessionInUse: "session in use"
    case .other(let text): text
    }
  }
}
