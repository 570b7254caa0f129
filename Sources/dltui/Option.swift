/// One option: its words for people, and what it does to an invocation. Help, parsing, config keys and the lines after `:` all read it.
struct Option: Sendable {
  let name: String
  let letter: Character?
  /// Nil when the option takes no value.
  let placeholder: String?
  let group: Group
  /// Nil hides it from the help.
  let help: String?
  let defaultText: String?
  /// Whether it can be changed while the program runs.
  private(set) var isLive = false
  /// Whether it is meant for one call, so that the config file must not say it.
  private(set) var isForOneCall = false
  /// Whether each download may have its own.
  private(set) var isPerDownload = false
  /// Whether its value, if there is one, follows a `=`.
  private(set) var isValueOptional = false
  /// Whether it may be given several times.
  private(set) var isRepeatable = false
  /// The words that its value may be; empty when it may be others too.
  private(set) var choices: [String] = []
  /// Words of the environment that say the same; they beat the config file.
  private(set) var environment: [String] = []
  /// Throws nothing but `UsageError` (a closure in a table cannot say so yet).
  private let effect: @Sendable (inout Invocation, Argument) throws -> Void

  init(
    _ name: String, _ letter: Character? = nil, _ placeholder: String? = nil, _ group: Group, _ help: String?,
    default defaultText: String? = nil,
    effect: @escaping @Sendable (inout Invocation, Argument) throws -> Void
  ) {
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.group = group
    self.help = help
    self.defaultText = defaultText
    self.effect = effect
  }

  /// The same option, which can be changed while the program runs.
  var live: Option {
    var copy = self
    copy.isLive = true
    return copy
  }

  /// The same option, for one call only.
  var forOneCall: Option {
    var copy = self
    copy.isForOneCall = true
    return copy
  }

  /// The same option, of which each download may have its own.
  var perDownload: Option {
    var copy = self
    copy.isPerDownload = true
    return copy
  }

  /// The same option, whose value may be left out.
  var withOptionalValue: Option {
    var copy = self
    copy.isValueOptional = true
    return copy
  }

  /// The same option, which may be given several times.
  var repeatable: Option {
    var copy = self
    copy.isRepeatable = true
    return copy
  }

  /// The same option, whose value is one of these words.
  func choosing<Words: RawRepresentable<String> & CaseIterable>(_: Words.Type) -> Option {
    var copy = self
    copy.choices = Words.allCases.map(\.rawValue)
    return copy
  }

  /// The same option, which these words of the environment say too.
  func orEnvironment(_ words: String...) -> Option {
    var copy = self
    copy.environment = words
    return copy
  }

  /// Does to the invocation what the option means with this value. A complaint calls it by `name`, or as it was written.
  func apply(
    _ value: String, as writtenName: String? = nil, to invocation: inout Invocation
  ) throws(UsageError) {
    do {
      try effect(&invocation, Argument(option: writtenName ?? "--\(name)", text: value))
    } catch let error as UsageError {
      throw error
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// A chapter of the help.
  enum Group: String, CaseIterable, Sendable {
    case files = "Files"
    case speed = "Connections and speed"
    case request = "Requests"
    case patience = "Retries and time-outs"
    case output = "Output"
    case screen = "Screen"
    case session = "Session"
    case other = "Other"
  }
}
