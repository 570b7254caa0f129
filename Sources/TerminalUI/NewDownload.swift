/// What a person wants to have: an address, and options of the command line that hold for it alone.
package struct NewDownload: Hashable, Sendable {
  package var address: String
  package var options: [Option]

  /// By its long name: `output`, `header`. The value may be a secret.
  package struct Option: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(_ address: String, _ options: [Option] = []) {
    self.address = address
    self.options = options
  }
}

/// An address that some text offers, before a person has agreed to it.
struct Offer: Hashable, Sendable {
  var download: NewDownload
  /// Options of a pasted command that mean nothing here.
  var skipped: [String] = []
  /// Why it cannot be what was meant; such an offer is not taken unasked.
  var obstacle: String?

  /// What comes along with the address, without any value that may be secret.
  var extras: String {
    let names = download.options.map(\.name)
    let headers = names.count { $0 == "header" }
    let parts = [
      download.options.first { $0.name == "output" }.map { "as \($0.value)" },
      headers == 0 ? nil : headers == 1 ? "1 header" : "\(headers) headers",
      names.contains("user") ? "name and password" : nil,
      names.contains("referer") ? "referer" : nil,
      names.contains("user-agent") ? "user agent" : nil,
      download.options.first { $0.name == "limit-rate-each" }.map { "at most \($0.value)/s" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// Addresses as they may be shown and compared.
package enum AddressText {
  /// A password in it is not for the eyes of others.
  package static func withoutPassword(_ typed: String, hidden: Character = "…") -> String {
    let start = typed.firstRange(of: "://")?.upperBound ?? typed.startIndex
    let rest = typed[start...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return typed }
    return typed[..<start] + String(hidden) + rest[at...]
  }

  /// One spelling for one address: scheme and host in lower case, no credentials, no fragment, a path.
  static func normal(_ text: String) -> String {
    let scheme = text.firstRange(of: "://")
    let rest = text[(scheme?.upperBound ?? text.startIndex)...].prefix { $0 != "#" }
    let authority = rest.prefix { !"/?".contains($0) }
    let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
    let path = rest[authority.endIndex...]
    let name = scheme.map { text[..<$0.lowerBound].lowercased() } ?? "http"
    return name + "://" + host.lowercased() + (path.isEmpty ? "/" : path)
  }
}
