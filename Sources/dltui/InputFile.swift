import DownloadCore

/// A list of downloads in aria2's format: an address a line, TAB between mirrors of one file, below it indented `name=value` lines with
/// options for it, `#` begins a comment line.
struct InputFile {
  private(set) var entries: [Entry] = []
  /// What had to be left out, in words.
  private(set) var remarks: [String] = []
  private let text: TextFile
  private var unused: Set<String> = []

  /// One download of the list.
  struct Entry {
    let addresses: [String]
    var options: [(option: Option, name: String, value: String, line: Int)] = []
    fileprivate let line: Int
  }

  /// More than any list of addresses needs.
  static let longest = 64 << 20
  static let noun = "the list of addresses"
  private static let options = Dictionary(
    (OptionTable.all.filter(\.isPerDownload) + Aria2Options.perDownload).map { ($0.name, $0) },
    uniquingKeysWith: { ours, _ in ours })

  init(_ file: WholeFile) throws(UsageError) {
    text = try TextFile(file, Self.noun)
    for (place, line) in text.lines.enumerated() {
      do throws(UsageError) { try take(line, number: place + 1) } catch { throw text.at(place + 1, error) }
    }
    if !unused.isEmpty { remarks.append("\(text.name): of no use here: \(unused.sorted().joined(separator: ", "))") }
  }

  /// What the entry asks for, on top of what holds for all.
  func requests(of entry: Entry, on common: Invocation) throws(UsageError) -> Invocation.Asked {
    var own = common
    for (option, name, value, line) in entry.options {
      do throws(UsageError) { try option.apply(value, as: name, to: &own) } catch { throw text.at(line, error) }
    }
    do throws(UsageError) { return try own.requests(for: entry.addresses, differingFrom: common) } catch {
      throw text.at(entry.line, error)
    }
  }

  private mutating func take(_ line: Substring, number: Int) throws(UsageError) {
    let words = line.utf8.split(separator: UInt8(ascii: "\t")).map { Substring($0).trimmed }.filter { !$0.isEmpty }
    guard let first = words.first, !first.hasPrefix("#") else { return }
    if line.first?.isWhitespace == true, let sign = first.firstIndex(of: "="), Self.isName(first[..<sign]) {
      return try takeOption(line.trimmed, number)
    }
    let addresses = words.filter { !$0.hasPrefix("#") }.map(String.init)
    entries.append(Entry(addresses: addresses, line: number))
  }

  private mutating func takeOption(_ line: Substring, _ number: Int) throws(UsageError) {
    let name = String(line.prefix { $0 != "=" }.trimmed)
    let value = String(line.drop { $0 != "=" }.dropFirst().trimmed)
    guard !entries.isEmpty else { throw UsageError("an option stands above the first address: \(name)") }
    if Aria2Options.withoutUse.contains(name) {
      unused.insert(name)
      return
    }
    guard let option = Self.options[name] else { throw Self.unknown(name) }
    entries[entries.count - 1].options.append((option, name, value, number))
  }

  /// As options are called; an address that is indented holds other characters before its first `=`.
  private static func isName(_ text: Substring) -> Bool {
    text.trimmed.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  private static func unknown(_ name: String) -> UsageError {
    if OptionTable.all.contains(where: { $0.name == name }) {
      return UsageError("it holds for all downloads, not for one: \(name)")
    }
    let near = nearest(to: name, among: Array(options.keys))
    let allowed = options.keys.sorted().joined(separator: ", ")
    return UsageError("unknown option: \(name)", hint: near.map { "did you mean \($0)?" } ?? "allowed are \(allowed)")
  }
}
