/// What the user asked for: one file, and how to get it.
package struct Request: Hashable, Codable, Sendable {
  /// An `http` or `https` address without credentials: those go to `credentials`.
  package var url: String
  /// Addresses that it had before; a part file may still be described by one of them.
  package var formerURLs: [String]?
  /// Addresses where the same file should be, in the order in which they are turned to when the one before fails.
  package var mirrors: [String]?
  /// Absolute path of the folder that the file goes to.
  package var folder: String
  /// The name the user chose, nil to take the server's or the address's.
  package var name: String?
  package var checksum: Checksum?
  /// What each piece of the file must be, where a Metalink says so.
  package var pieces: PieceSums?
  /// Bytes that the file must have, where a Metalink says so: it overrides what servers say (RFC 5854 §4.2.14).
  package var size: Int64?
  /// Whether its sum is looked for in lists beside the file, where none is given.
  package var findsChecksum: Bool?
  /// Extra request header lines, `Name: value`.
  package var headers: [String] = []
  package var userAgent: String?
  package var referer: String?
  /// `name:password`. Never shown and never written to a file.
  package var credentials: String?
  /// Most connections for this download, 1–32; nil takes the setting.
  package var connections: Int?
  /// Bytes per second for this download; nil is no limit.
  package var rateLimit: Int64?

  package init(url: String, folder: String) {
    self.url = url
    self.folder = folder
  }

  /// Credentials are left out on purpose: what is encoded may be read by others.
  private enum CodingKeys: String, CodingKey {
    case url, formerURLs, mirrors, folder, name, checksum, pieces, size, findsChecksum, headers, userAgent, referer,
      connections, rateLimit
  }
}
