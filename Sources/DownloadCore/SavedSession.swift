/// The session file: order, queue and finished downloads. The half files are described by their own sidecars.
package struct SavedSession: Codable, Sendable, Equatable {
  package static let format = "dltui session"
  package static let version = 1

  package var format = SavedSession.format
  package var version = SavedSession.version
  package var downloads: [SavedDownload]

  package init(downloads: [SavedDownload]) { self.downloads = downloads }

  /// Why the file cannot be used, in words; nil when it can.
  package var fault: String? {
    guard format == Self.format else { return "it is not a session of dltui" }
    guard version == Self.version else { return "its version is \(version), this program knows \(Self.version)" }
    guard
      downloads.allSatisfy({
        $0.request.urls.allSatisfy(FileName.isPrintable) && $0.request.lines.allSatisfy(Request.isOneLine)
      })
    else {
      return "a field holds control characters"
    }
    return nil
  }
}

/// A download as the session file keeps it: without secrets, and waiting where it was working.
package struct SavedDownload: Codable, Sendable, Equatable {
  package var request: Request
  package var state: DownloadState
  package var name: String
  package var partName: String?
  package var resource: Resource?
  package var completed: Int64

  package var total: Int64? { resource?.total }
}

extension SavedDownload {
  /// A request that nobody has begun to serve.
  package init(waiting request: Request) {
    self.init(request: request.withoutSecrets, state: .queued, name: request.name ?? "", completed: 0)
  }
}

extension Request {
  /// The address, those that it had before, and its mirrors.
  var urls: [String] { [url] + (formerURLs ?? []) + (mirrors ?? []) }

  /// What goes into a request's head as it is.
  var lines: [String] { headers + [userAgent, referer].compactMap(\.self) }

  /// Nothing that could end a line of a head may come back out of a file (CRLF injection; RFC 9110 §5.5).
  static func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 && $0.value != 0x7f }
  }

  /// A header whose name holds one of these may be a secret.
  private static let secretWords = ["auth", "cookie", "token", "key", "secret", "pass", "session", "credential"]

  /// Without what must not be written to a file.
  package var withoutSecrets: Request {
    var plain = self
    plain.credentials = nil
    plain.headers.removeAll { line in
      let name = line.prefix { $0 != ":" }.lowercased()
      return Self.secretWords.contains { name.contains($0) }
    }
    return plain
  }
}
