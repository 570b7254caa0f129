import DownloadCore
import DownloadEngine
import TerminalUI

/// What the config file and the command line ask for.
struct Invocation: Sendable {
  var command = Verb.screen
  /// Names of the options that the command line has, for commands that take few.
  var given: [String] = []
  /// Addresses, or folders for `list`, or a command's name for `help`, in the order given.
  var operands: [String] = []
  var inputFiles: [String] = []
  var metalinks: [String] = []
  /// Whether what a downloaded Metalink file names is downloaded too.
  var followsMetalinks = true

  var settings = Self.defaults
  var wish = Wish()
  var output = OutputStyle()

  private static var defaults: Settings {
    var settings = Settings()
    settings.areConnectionsPaced = true
    return settings
  }

  /// Nil asks on the screen and starts over elsewhere.
  var ifChanged: Settings.IfChanged?

  /// Nil takes the XDG place, where there need not be one.
  var configFile: String?
  var readsConfig = true
  /// Nil takes the XDG place.
  var stateFolder: String?
  var keepsSession = true
  /// Whether `check` has what is wrong fetched again.
  var repairs = false
  /// The program that is run for every complete file, and its arguments.
  var onComplete: [String] = []
  /// The file of the log and how much goes there; nil is none.
  var logPath: String?
  var logLevel = Log.Level.info
  /// The same, opened.
  var log: Log?
  /// Something made from the tables, to be printed instead of anything else.
  var print: Printable?
  var wantsHelp = false
  var wantsVersion = false

  init() { settings.userAgent = "dltui/\(Program.version)" }

  /// What is the same for every download that this command line adds.
  struct Wish: Sendable {
    var folder: String?
    var name: String?
    var checksum: Checksum?
    /// Look for it beside the file.
    var findsChecksum = false
    var headers: [String] = []
    var userAgent: String?
    var referer: String?
    var credentials: String?
  }

  /// What is written where, and how it looks.
  struct OutputStyle: Sendable {
    var isQuiet = false
    var showsProgress = true
    var json = false
    var ascii = false
    var color = ColorChoice.auto
    var theme = Theme.auto
    var takesMouse = true
    /// On the screen.
    var quitQuestion = Screen.QuitQuestion.active
    var setsTitle = true
    var notification = TerminalSigns.Notification.bell
  }

  /// What packagers need: the manual page, and the completions of the shells.
  enum Printable: String, CaseIterable, Sendable {
    case man, bash, zsh, fish
  }

  /// When to use colours. `auto` asks the terminal and NO_COLOR.
  enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }
}

/// The commands of the program. Anything else on the command line is an address.
enum Verb: String, CaseIterable, Sendable {
  /// No word: opens the screen.
  case screen = ""
  case get, add, list, check, adopt, help

  /// What follows the word on a command line.
  var operands: String {
    switch self {
    case .screen: "[OPTIONS] [URL…]"
    case .get, .add: "[OPTIONS] URL…"
    case .list: "[--json] [DIR…]"
    case .check: "[--repair] FILE…"
    case .adopt: "[OPTIONS] URL FILE"
    case .help: "[COMMAND]"
    }
  }

  /// What it does, in a line.
  var summary: String {
    switch self {
    case .screen: "a screen with all downloads"
    case .get: "download and exit"
    case .add: "hand them to the dltui that is running"
    case .list: "what the session knows, or is unfinished in DIR"
    case .check: "whether files are what they should be"
    case .adopt: "go on with what another program has left"
    case .help: "this text, or that of a command"
    }
  }
}
