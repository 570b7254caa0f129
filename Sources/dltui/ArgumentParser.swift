import CLinux
import Glibc

/// What a command line says, read but not yet obeyed: the options with their values in order, and everything else.
struct ReadArguments {
  fileprivate(set) var options: [(option: Option, value: String)] = []
  fileprivate(set) var operands: [String] = []

  func apply(to invocation: inout Invocation) throws(UsageError) {
    for (option, value) in options { try option.apply(value, to: &invocation) }
    invocation.given += options.map(\.option.name)
    invocation.takeCommand(from: operands)
  }
}

/// Reads a command line with getopt_long(3): abbreviations, `--x=y`, `-xVALUE`, `--` and options after operands all work as in
/// other GNU programs. Used from the main thread only.
struct ArgumentParser {
  private let options: [Option]
  private let arguments: [String]

  /// Numbers from here on are long options; below are letters and getopt's own answers.
  private static let firstLong: Int32 = 0x1000

  static func read(_ arguments: [String], options: [Option] = OptionTable.all) throws(UsageError) -> ReadArguments {
    try ArgumentParser(options: options, arguments: arguments).read()
  }

  private func read() throws(UsageError) -> ReadArguments {
    let words = CWords(arguments)
    let names = CNames(options, firstCode: Self.firstLong)
    var result = ReadArguments()
    clinux_arguments_restart()
    while true {
      let found = clinux_next_argument(words.count, words.pointers, letters, names.pointers)
      guard found.code != -1 else {
        result.operands = words.texts(from: Int(found.next))
        return result
      }
      let option = try option(found, before: words.texts(from: max(1, Int(found.next)) - 1).first ?? "")
      result.options.append((option, found.value.map { String(cString: $0) } ?? ""))
    }
  }

  /// `:` first makes a missing value its own answer.
  private var letters: String {
    options.reduce(into: ":") { letters, option in
      if let letter = option.letter { letters += "\(letter)" + String(repeating: ":", count: Int(option.hasValue)) }
    }
  }

  private func option(_ found: clinux_argument, before token: String) throws(UsageError) -> Option {
    let typed = token.prefix { $0 != "=" }
    switch found.code {
    case 0x3A: throw missingValue(option(found.culprit), String(typed))
    case 0x3F: throw refused(found.culprit, String(typed))
    case let code:
      guard let option = option(code) else { throw unknown(String(typed)) }
      return option
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

extension Option {
  /// getopt(3): 0 never, 1 always, 2 perhaps.
  fileprivate var hasValue: Int32 { placeholder == nil ? 0 : isValueOptional ? 2 : 1 }
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
      let code = firstCode + Int32(clamping: place)
      pointers[place] = option(name: strdup(row.name), has_arg: row.hasValue, flag: nil, val: code)
    }
  }

  deinit {
    for place in 0..<count { free(UnsafeMutablePointer(mutating: pointers[place].name)) }
    pointers.deallocate()
  }
}
