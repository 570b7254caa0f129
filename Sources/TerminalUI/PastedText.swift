/// What pasted text offers: every address in it, and what `curl` commands in it bring along.
struct PastedText {
  private(set) var offers: [Offer] = []
  /// Whether a command was among it.
  private(set) var hasCommand = false

  private static let prompts = ["$ ", "% ", "# ", "> "]
  private static let schemes = ["http", "https", "ftp", "ftps", "sftp"]

  init(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      if let (found, after) = Self.command(at: rest) {
        add(found)
        hasCommand = true
        rest = after
      } else {
        let line = rest.prefix { !$0.isNewline }
        add(Self.addresses(in: line).map { Offer(download: NewDownload($0)) })
        rest = rest[line.endIndex...].dropFirst()
      }
    }
  }

  /// An address counts once, the first time.
  private mutating func add(_ more: [Offer]) {
    var known = Set(offers.map { AddressText.normal($0.download.address) })
    for offer in more where known.insert(AddressText.normal(offer.download.address)).inserted { offers.append(offer) }
  }

  /// The curl command that begins here, and what follows it.
  private static func command(at text: Substring) -> (offers: [Offer], rest: Substring)? {
    var start = text.drop { $0.isWhitespace && !$0.isNewline }
    if let prompt = prompts.first(where: start.hasPrefix) { start = start.dropFirst(prompt.count) }
    let first = start.prefix { !$0.isWhitespace }
    guard CurlCommand.isName(first) || CurlCommand.isAssignment(first) else { return nil }
    let (command, rest) = ShellReader.read(start)
    return CurlCommand(command).map { ($0.offers, rest) }
  }

  private static func addresses(in line: Substring) -> [String] {
    var found: [String] = []
    var rest = line
    while let mark = rest.firstRange(of: "://") {
      let scheme = rest[..<mark.lowerBound].suffix(while: { $0.isASCII && $0.isLetter })
      let body = rest[mark.upperBound...].prefix { !$0.isWhitespace && !"<>\"`{}|\\^".contains($0) }
      let end = trimmed(body, openedBefore: rest[..<mark.lowerBound].dropLast(scheme.count).last)
      if schemes.contains(scheme.lowercased()), !end.isEmpty { found.append(scheme + "://" + end) }
      rest = rest[end.endIndex...]
    }
    return found
  }

  /// Without the punctuation of the sentence that it stands in; a bracket that was opened inside stays.
  private static func trimmed(_ text: Substring, openedBefore bracket: Character?) -> Substring {
    var text = text
    if bracket == "'", let quote = text.firstIndex(of: "'") { text = text[..<quote] }
    // How many more of them are closed than opened.
    var surplus: [Character: Int] = [:]
    for (open, close) in [("(", ")"), ("[", "]")] as [(Character, Character)] {
      surplus[close] = text.count { $0 == close } - text.count { $0 == open }
    }
    while let last = text.last {
      if let more = surplus[last] {
        guard more > 0 else { break }
        surplus[last] = more - 1
      } else if !".,;:!?'’”…»*".contains(last) {
        break
      }
      text.removeLast()
    }
    return text
  }
}

extension Substring {
  fileprivate func suffix(while belongs: (Character) -> Bool) -> Substring {
    var start = endIndex
    while start > startIndex, belongs(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
