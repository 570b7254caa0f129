import Glibc

/// Options in a file: `name = value` a line, or only the name of an option that takes no value. A line that begins with `#` is a comment.
struct ConfigFile {
  private let text: TextFile
  private static let longest = 1 << 20
  private static let noun = "the config file"

  /// The file that was asked for; else the one in the XDG place, if there is one.
  static func chosen(_ path: String?) throws(UsageError) -> ConfigFile? {
    if let path { return try ConfigFile(path) }
    guard let path = Place.configFile, access(path, F_OK) == 0 else { return nil }
    return try ConfigFile(path)
  }

  private init(_ path: String) throws(UsageError) {
    text = try TextFile(try WholeFile(path, Self.noun, limit: Self.longest), Self.noun)
  }

  /// Does what the file says, except where a word of the environment says something else.
  func apply(to invocation: inout Invocation) throws(UsageError) {
    for (place, line) in text.lines.enumerated() {
      let line = line.trimmed
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      do throws(UsageError) { try apply(line, to: &invocation) } catch { throw text.at(place + 1, error) }
    }
  }

  private func apply(_ line: Substring, to invocation: inout Invocation) throws(UsageError) {
    let (name, value) = Self.takenApart(line)
    let option = try Self.option(name)
    guard option.placeholder != nil else {
      if try Self.isOn(name, value) { try option.apply("", as: name, to: &invocation) }
      return
    }
    guard let value else { throw UsageError("a value is missing: \(name) = \(option.placeholder ?? "")") }
    let word = option.takesPath ? Place.expanded(value) : value
    var changed = invocation
    try option.apply(word, as: name, to: &changed)
    if option.isOverruled { return }
    invocation = changed
  }

  /// `name = value`; nil where there is no `=`.
  private static func takenApart(_ line: Substring) -> (name: String, value: String?) {
    guard let sign = line.firstIndex(of: "=") else { return (String(line), nil) }
    return (String(line[..<sign].trimmed), String(line[sign...].dropFirst().trimmed))
  }

  private static func option(_ name: String) throws(UsageError) -> Option {
    let allowed = OptionTable.all.filter { !$0.isForOneCall && $0.help != nil }
    if let option = allowed.first(where: { $0.name == name }) { return option }
    if OptionTable.all.contains(where: { $0.name == name }) {
      throw UsageError("this belongs on the command line: \(name)")
    }
    let near = nearest(to: name, among: allowed.map(\.name))
    throw UsageError(
      "unknown option: \(name)",
      hint: near.map { "did you mean \($0)?" } ?? "allowed are " + allowed.map(\.name).joined(separator: ", "))
  }

  /// An option without a value is switched on by its name alone, too.
  private static func isOn(_ name: String, _ value: String?) throws(UsageError) -> Bool {
    switch value {
    case nil, "true", "yes", "on": true
    case "false", "no", "off": false
    case let word?: throw UsageError("\(name) must be one of true, yes, on, false, no, off: \(word)")
    }
  }
}

extension Option {
  /// Whether its value is a file or folder, so that `~` means the home folder.
  var takesPath: Bool { placeholder == "DIR" || placeholder == "FILE" }

  /// Whether the environment says something for it.
  fileprivate var isOverruled: Bool {
    environment.contains { !(Place.environment($0) ?? "").isEmpty }
  }
}
