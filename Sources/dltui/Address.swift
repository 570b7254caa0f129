import DownloadEngine
import TerminalUI

/// An address that may be asked for, without the credentials that were in it.
struct Address: Equatable {
  let url: String
  /// `name:password`.
  let credentials: String?

  private static let schemes = ["http", "https", "ftp", "ftps", "sftp", "file"]

  init(_ typed: String) throws(UsageError) {
    try Self.checkCharacters(typed)
    try Self.checkShape(typed)
    let parts = try Self.takeApart(typed)
    guard Self.schemes.contains(parts.scheme) else {
      throw Self.foreign(typed)
    }
    guard !parts.host.isEmpty || parts.scheme == "file" else {
      throw UsageError("the address names no host: \(Self.shown(typed))")
    }
    url = parts.url
    credentials = parts.credentials
  }

  private static func foreign(_ typed: String) -> UsageError {
    UsageError("only \(schemes.joined(separator: ", ")) addresses can be fetched: \(shown(typed))")
  }

  private static func takeApart(_ typed: String) throws(UsageError) -> CurlURL {
    do throws(CurlURL.Problem) {
      return try CurlURL(typed)
    } catch {
      throw UsageError("not a usable address, \(error.why): \(shown(typed))")
    }
  }

  private static func checkCharacters(_ typed: String) throws(UsageError) {
    guard !typed.isEmpty else { throw UsageError("an address must not be empty") }
    let isPlain = typed.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPlain || VisibleText.of(typed) == typed && !typed.contains(where: \.isWhitespace) else {
      throw UsageError(
        "an address must not contain blanks or control characters: \(shown(typed))", hint: "a blank is written %20")
    }
  }

  private static func checkShape(_ typed: String) throws(UsageError) {
    let colon = typed.utf8.firstIndex(of: UInt8(ascii: ":")) ?? typed.endIndex
    if ["http", "https"].contains(typed[..<colon].lowercased()) {
      return try checkHost(typed[colon...], typed)
    }
    if !typed.contains("://") { try checkBare(typed) }
  }

  /// libcurl would take the first step of the path for the host.
  private static func checkHost(_ rest: Substring, _ typed: String) throws(UsageError) {
    guard rest.hasPrefix("://"), let first = rest.dropFirst(3).first, !"/?#".contains(first) else {
      throw UsageError("the address names no host: \(shown(typed))", hint: "an address looks like \(example)")
    }
  }

  /// Without a scheme: a word is more often a misspelt command than a host, and what a colon follows is no name for a host.
  private static func checkBare(_ typed: String) throws(UsageError) {
    guard typed.contains(where: { ".:/".contains($0) }) else {
      let near = nearest(to: typed, among: Verb.allCases.map(\.rawValue).filter { !$0.isEmpty })
      let hint = near.map { "did you mean `dltui \($0)`?" } ?? "an address looks like \(example)"
      throw UsageError("neither a command nor an address: \(typed)", hint: hint)
    }
    let authority = typed.prefix { !"/?#".contains($0) }
    let port = authority.drop { $0 != ":" }.dropFirst()
    guard authority.hasPrefix("[") || !authority.contains(":") || isNumber(port) else {
      throw foreign(typed)
    }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }

  private static let example = "https://example.org/file"

  /// The address as it may be printed.
  private static func shown(_ typed: String) -> String { AddressText.withoutPassword(typed) }
}
