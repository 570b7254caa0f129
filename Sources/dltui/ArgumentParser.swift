import CLinux
import Glibc

/// Reads a command line with getopt_long(3): abbreviations, `--x=y`, `-xVALUE`, `--` and options after operands all work as in
/// other GNU programs. Used once, from the main thread.
struct ArgumentParser {
  private let options: [Option]
  private let arguments: [String]

  /// Numbers from here on are long options; below are letters and getopt's own answers.
  private static let firstLong: Int32 = 0x1000

  static func parse(_ arguments: [String], options: [Option] = OptionTable.all) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    let operands = try ArgumentParser(options: options, arguments: arguments).read(into: &invocation)
    invocation.takeCommand(from: operands)
    return invocation
  }

  /// Applies every option and returns the rest.
  private func read(into invocation: inout Invocation) throws(UsageError) -> [String] {
    let words = CWords(arguments)
    let names = CNames(options, firstCode: Self.firstLong)
    clinux_arguments_restart()
    while true {
      let found = clinux_next_argument(words.count, words.pointers, letters, names.pointers)
      if found.code == -1 { return words.texts(from: Int(found.next)) }
      try apply(found, before: words.texts(from: max(1, Int(found.next)) - 1).first ?? "", to: &invocation)
    }
  }

  /// `:` first makes a missing value its own answer.
  private var letters: String {
    options.reduce(into: ":") { letters, option in
      if let letter = option.letter { letters += "\(letter)\(option.placeholder == nil ? "" : ":")" }
    }
  }

  private func apply(
    _ found: clinux_argument, before token: String, to invocation: inout Invocation
  ) throws(UsageError) {
    let typed = token.prefix { $0 != "=" }
    switch found.code {
    case 0x3A: throw missingValue(option(found.culprit), String(typed))
    case 0x3F: throw refused(found.culprit, String(typed))
    case let code:
      guard let option = option(code) else { throw unknown(String(typed)) }
      try option.apply(found.value.map { String(cString: $0) } ?? "", to: &invocation)
    }
  }

  private func option(_ code: Int32) -> Option? {
    if code >= Self.firstLong { return options.dropFirst(Int(code - Self.firstLong)).first }
    return UInt8(exactly: code).flatMap { byte in
      options.first { $0.letter == Character(Unicode.Scalar(byte)) }
    }
  }

  private func missingValue(_ option: Option?, _ typed: String) -> UsageError {
    guard let option else { return unknown(typed) }
    return UsageError("a value is missing: \(option.synopsis)", hint: option.help)
  }

  /// `culprit` is a letter, the number of a long option that takes no value, or 0 for a name that fits none or several.
  private func refused(_ culprit: Int32, _ typed: String) -> UsageError {
    if culprit >= Self.firstLong, let option = option(culprit) {
      return UsageError("--\(option.name) takes no value")
    }
    if let byte = UInt8(exactly: culprit), byte > 0 { return unknown("-\(Character(Unicode.Scalar(byte)))") }
    let fitting = options.filter { "--\($0.name)".hasPrefix(typed) }.map { "--\($0.name)" }
    guard fitting.isEmpty else {
      return UsageError("ambiguous option: \(typed)", hint: fitting.joined(separator: ", "))
    }
    return unknown(typed)
  }

  private func unknown(_ typed: String) -> UsageError {
    let near = nearest(to: typed, among: options.map { "--\($0.name)" })
    return UsageError(
      "unknown option: \(typed)", hint: near.map { "did you mean \($0)?" } ?? "dltui --help lists them all")
  }
}

extension Invocation {
  fileprivate mutating func takeCommand(from words: [String]) {
    guard let first = words.first, let verb = Verb(rawValue: first), verb != .screen else { return operands = words }
    command = verb
    operands = Array(words.dropFirst())
  }
}

/// Strings as C's `argv`, which getopt_long reorders.
private final class CWords {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let count: Int32

  init(_ words: [String]) {
    count = Int32(clamping: words.count)
    pointers = .allocate(capacity: words.count + 1)
    pointers.initialize(repeating: nil, count: words.count + 1)
    for (place, word) in words.enumerated() { pointers[place] = strdup(word) }
  }

  deinit {
    for place in 0..<Int(count) { free(pointers[place]) }
    pointers.deallocate()
  }

  func texts(from start: Int) -> [String] {
    (min(start, Int(count))..<Int(count)).compactMap { pointers[$0].map { String(cString: $0) } }
  }
}

/// The long options as getopt_long wants them, ended by an empty one.
private final class CNames {
  let pointers: UnsafeMutablePointer<option>
  private let count: Int

  init(_ options: [Option], firstCode: Int32) {
    count = options.count
    pointers = .allocate(capacity: count + 1)
    pointers.initialize(repeating: option(), count: count + 1)
    for (place, row) in options.enumerated() {
      let needsValue: Int32 = row.placeholder == nil ? 0 : 1
      let code = firstCode + Int32(clamping: place)
      pointers[place] = option(name: strdup(row.name), has_arg: needsValue, flag: nil, val: code)
    }
  }

  deinit {
    for place in 0..<count { free(UnsafeMutablePointer(mutating: pointers[place].name)) }
    pointers.deallocate()
  }
}
