import DownloadCore

extension DownloadError {
  /// What went wrong in at most 13 cells, as the narrowest column for it has; `message` says it in full.
  var brief: String {
    switch self {
    case .nameNotResolved: "no such host"
    case .cannotConnect: "no connection"
    case .networkDown: "no network"
    case .connectionLost: "cut off"
    case .timedOut: "timed out"
    case .stalled(let seconds): "no data \(seconds) s"
    case .tls: "not secure"
    case .unknownHostKey: "unknown key"
    case .notFound(let status), .unauthorized(let status), .overloaded(let status), .unexpectedStatus(let status),
      .serverFault(let status):
      String(status)
    case .missingFile: "no such file"
    case .cannotRead: "cannot read"
    case .tooManyRedirects: "redirect loop"
    case .refusedRedirect: "bad redirect"
    case .webPage: "a web page"
    case .badAnswer: "bad answer"
    case .changed: "changed"
    case .incomplete: "ended early"
    case .checksumMismatch: "bad checksum"
    case .wrongPieces: "bad pieces"
    case .diskFull: "disk full"
    case .fileExists: "file exists"
    case .alreadyDownloading: "file in use"
    case .cannotOpen: "cannot open"
    case .cannotCreate: "cannot create"
    case .cannotWrite: "cannot write"
    case .cannotMakeFolder: "no folder"
    case .badSidecar: "bad sidecar"
    case .sessionInUse: "in use"
    case .other(let text): text
    }
  }
}
