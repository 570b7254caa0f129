import DownloadCore
import Glibc
import TerminalUI

/// The value that was typed for an option, and the ways to read it. Every reader names the option when it complains.
struct Argument {
  let option: String
  let text: String

  func whole(_ range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), range.contains(number) else {
      throw wrong("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// At most a week, so that no sum of waits can overflow.
  func seconds(from least: Double) throws(UsageError) -> Duration {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard isPlain, let number = Double(text), (least...604_800).contains(number) else {
      throw wrong(
        "must be a number of seconds from \(least == least.rounded() ? "\(Int(least))" : "\(least)") to 604800")
    }
    return .milliseconds(Int64((number * 1000).rounded()))
  }

  func size() throws(UsageError) -> Int64 {
    guard let bytes = ByteCount.parse(text), bytes > 0 else { throw wrong("must be a size such as 512K, 1M or 2.5G") }
    return bytes
  }

  /// Nil, typed as 0, is no limit.
  func rate() throws(UsageError) -> Int64? {
    guard let bytes = ByteCount.parse(text) else { throw wrong("must be a rate such as 500K or 2.5M, or 0 for none") }
    return bytes == 0 ? nil : bytes
  }

  func schedule() throws(UsageError) -> RateSchedule {
    guard let schedule = RateSchedule(parsing: text) else {
      throw wrong("must be a rate such as 500K or 2.5M, or 0 for none, with others for hours as `2M; 08:00-18:00 500K`")
    }
    return schedule
  }

  /// A program and its arguments, quoted as in a shell. Nothing else that a shell would do is done.
  func command() throws(UsageError) -> [String] {
    guard let words = ShellWords.split(text), let program = words.first, !program.isEmpty else {
      throw wrong("must be a program and its arguments; a shell's operators mean nothing here")
    }
    return words
  }

  func word<Words: RawRepresentable<String> & CaseIterable>() throws(UsageError) -> Words {
    guard let word = Words(rawValue: text) else {
      throw wrong("must be one of \(Words.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// Text that will travel in a header: one line, no control characters.
  func line() throws(UsageError) -> String {
    guard isOneLine else { throw wrong("must not contain control characters") }
    return text
  }

  var isOneLine: Bool {
    !text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\t" }
  }

  func path() throws(UsageError) -> String {
    guard !text.isEmpty else { throw UsageError("\(option) needs a name, got an empty one") }
    return text
  }

  func readableFile() throws(UsageError) -> String {
    guard access(text, R_OK) == 0 else { throw wrong("cannot be read (\(systemWords(errno)))") }
    return text
  }

  func checksum() throws(UsageError) -> Checksum {
    guard let checksum = Checksum(parsing: text) else {
      let names = Checksum.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("must be auto, or ALG=HEX with all digits of the sum, ALG one of \(names)")
    }
    return checksum
  }

  /// Never repeats what was typed: it may hold a password.
  func proxy() throws(UsageError) -> String {
    let scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() } ?? "http"
    guard ["http", "https", "socks5", "socks5h"].contains(scheme), isOneLine, !text.isEmpty else {
      throw UsageError("\(option) must be an address that begins with http, https, socks5 or socks5h")
    }
    return text
  }

  /// Never repeats what was typed: it may hold a password.
  func credentials() throws(UsageError) -> String {
    guard text.contains(":"), !text.hasPrefix(":"), isOneLine else {
      throw UsageError("\(option) must be NAME:PASSWORD on one line")
    }
    return text
  }

  func header() throws(UsageError) -> String {
    let (name, value) = (text.prefix { $0 != ":" }, text.drop { $0 != ":" })
    guard !value.isEmpty, !name.isEmpty, name.allSatisfy(Self.isTokenCharacter) else {
      throw wrong("must be a header line, `Name: value`")
    }
    if Self.ownHeaders.contains(name.lowercased()) { throw wrong("must not set a header that dltui sets itself") }
    return try line()
  }

  /// What resuming and splitting rely on (RFC 9110, sections 12.5.3, 13.1.5 and 14.2; RFC 9112, section 6).
  private static let ownHeaders = ["range", "if-range", "accept-encoding", "content-length", "transfer-encoding"]

  /// RFC 9110, section 5.6.2.
  private static func isTokenCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
  }

  private func wrong(_ what: String) -> UsageError { UsageError("\(option) \(what): \(text)") }
}

/// What the system says about an error number, as a sentence goes on: `no such file or directory`.
func systemWords(_ number: Int32) -> String {
  let words = String(cString: strerror(number))
  guard words.dropFirst().first?.isLowercase == true else { return words }
  return words.prefix(1).lowercased() + words.dropFirst()
}
