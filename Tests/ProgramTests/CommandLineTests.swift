import TestSupport
import Testing

/// The built program and what people type: every mistake is one line that names it, and touches nothing.
@Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
  /// A command line, and what its complaint must contain.
  struct Mistake: Sendable, CustomStringConvertible {
    let arguments: [String]
    let complaint: String
    var hint: String?
    var description: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., complaint: String, hint: String? = nil) {
      self.arguments = arguments
      self.complaint = complaint
      self.hint = hint
    }
  }

  private static let mistakes = [
    Mistake("get", "--frobnicate", "http://h/", complaint: "unknown option: --frobnicate"),
    Mistake("get", "--dirr=x", "http://h/", complaint: "unknown option: --dirr", hint: "did you mean --dir?"),
    Mistake("get", "-qz", "http://h/", complaint: "unknown option: -z"),
    Mistake("get", "--limit-r", "1", "http://h/", complaint: "ambiguous option: --limit-r", hint: "--limit-rate-each"),
    Mistake("get", "http://h/", "-x", complaint: "a value is missing: -x, --connections N"),
    Mistake("get", "http://h/", "--checksum", complaint: "a value is missing: --checksum ALG=HEX"),
    Mistake("get", "--quiet=yes", "http://h/", complaint: "--quiet takes no value"),
    Mistake("get", "-x", "0", "http://h/", complaint: "--connections must be a whole number from 1 to 32: 0"),
    Mistake("get", "-x33", "http://h/", complaint: "from 1 to 32: 33"),
    Mistake("get", "--connectio", "4x", "http://h/", complaint: "from 1 to 32: 4x"),
    Mistake(
      "get", "--max-h=", "http://h/", complaint: "--max-host-connections must be a whole number from 1 to 1024: "),
    Mistake("get", "-j", "99999999999999999999", "http://h/", complaint: "--jobs must be a whole number"),
    Mistake("get", "--retries", "-1", "http://h/", complaint: "--retries must be a whole number"),
    Mistake("get", "--retry-wait", "inf", "http://h/", complaint: "--retry-wait must be a number of seconds"),
    Mistake("get", "--stall-timeout", "1e99", "http://h/", complaint: "--stall-timeout must be a number of seconds"),
    Mistake("get", "--limit-rate", "fast", "http://h/", complaint: "--limit-rate must be a rate such as"),
    Mistake("get", "--limit-rate", "9E", "http://h/", complaint: "--limit-rate must be a rate such as"),
    Mistake(
      "get", "--limit-rate", "1M; 8-18 1K", "http://h/", complaint: "with others for hours as `2M; 08:00-18:00 500K`"),
    Mistake(
      "get", "--on-complete", "a | b", "http://h/", complaint: "--on-complete must be a program and its arguments"),
    Mistake("get", "--on-complete", "", "http://h/", complaint: "--on-complete must be a program and its arguments"),
    Mistake("get", "--min-split", "0", "http://h/", complaint: "--min-split must be a size such as"),
    Mistake("get", "--color", "red", "http://h/", complaint: "--color must be one of auto, always, never: red"),
    Mistake("get", "--if-exists", "", "http://h/", complaint: "rename, skip, overwrite, fail"),
    Mistake("get", "--checksum", "sha-256=12", "http://h/", complaint: "--checksum must be auto, or ALG=HEX"),
    Mistake("get", "-H", "no colon", "http://h/", complaint: "--header must be a header line"),
    Mistake("get", "-H", "X: a\r\nY: b", "http://h/", complaint: "must not contain control characters: X: a␍␊Y: b"),
    Mistake("get", "-H", "range: bytes=0-1", "http://h/", complaint: "a header that dltui sets itself"),
    Mistake("get", "-A", "a\u{1B}[31m", "http://h/", complaint: "--user-agent must not contain control characters"),
    Mistake("get", "-u", "nobody", "http://h/", complaint: "--user must be NAME:PASSWORD"),
    Mistake("get", "--cacert", "/none", "http://h/", complaint: "--cacert cannot be read (no such file or directory)"),
    Mistake("get", "-d", "", "http://h/", complaint: "--dir needs a name"),
    Mistake("get", "-o", "a", "http://h/1", "http://h/2", complaint: "--output needs exactly one address, got 2"),
    Mistake("get", "-o", "../a", "http://h/", complaint: "--output must not lead out of the folder: ../a"),
    Mistake("get", "-o", "x/../../a", "http://h/", complaint: "--output must not lead out of the folder"),
    Mistake("get", "-o", "..", "http://h/", complaint: "--output must be a file name: .."),
    Mistake("get", "-o", "a/", "http://h/", complaint: "--output must be a file name: a/"),
    Mistake("get", "-o", String(repeating: "n", count: 256), "http://h/", complaint: "longer than 230 bytes"),
    Mistake("get", "-i", "/none", complaint: "the list of addresses cannot be read (no such file or directory): /none"),
    Mistake("get", "-i", "/", complaint: "the list of addresses cannot be read (is a directory): /"),
    Mistake("get", complaint: "no address given"),
    Mistake("get", "-", complaint: "no address given"),
    Mistake(complaint: "no screen without a terminal"),
    Mistake("gte", "http://h/", complaint: "neither a command nor an address: gte", hint: "did you mean `dltui get`?"),
    Mistake("help", "gte", complaint: "no help for: gte", hint: "get, add, list, check, adopt, help"),
  ]

  @Test(arguments: mistakes) func aMistakeIsNamedInOneLineAndTouchesNothing(_ mistake: Mistake) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Program.dltui(mistake.arguments, in: folder.path).end()
    let lines = outcome.errors.split(separator: "\n")
    #expect(outcome.status == 28)
    #expect(lines.first?.hasPrefix("dltui: ") == true && lines.first?.contains(mistake.complaint) == true)
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("hint: ") } && lines.count <= 2)
    if let hint = mistake.hint { #expect(lines.last?.contains(hint) == true) }
    #expect(outcome.output.isEmpty)
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [#"-o $'\xff\xfe' http://h/"#, #"http://h/$'\xff'"#, #"-d $'\xe9' http://h/"#])
  func anArgumentThatIsNoTextIsRefusedRatherThanRepaired(_ words: String) async throws {
    let outcome = try await Program.run("/bin/bash", ["-c", "'\(try Program.dltuiPath())' get \(words)"])
    #expect(outcome.status == 28)
    #expect(outcome.errors.hasPrefix("dltui: an argument is not UTF-8 text: "))
  }

  @Test func aPasswordIsNeverRepeated() async throws {
    for arguments in [["get", "http://me:secret@h:99999/"], ["get", "-u", "se\ncret", "http://h/"]] {
      let outcome = try await Program.dltui(arguments).end()
      #expect(outcome.status == 28)
      #expect(!outcome.errors.contains("cret"))
    }
  }

  @Test func linesOfAListThatCannotBeUsedAreNamed() async throws {
    let list = "# mine\n\r\nhttp://h/1\r\n\tchecksum=md5=00\n"
    let outcome = try await Program.dltui(["get", "-i", "-"], input: list).end()
    #expect(outcome.status == 28)
    #expect(outcome.errors.contains("standard input, line 4: checksum must be auto, or ALG=HEX"))
  }

  @Test(arguments: [["--dir", "/etc/passwd/x"], ["-o", "/etc/passwd/x/y"], ["--dir", "/etc/passwd"]])
  func aFolderThatCannotBeMadeIsToldBeforeAnyTransfer(_ arguments: [String]) async throws {
    let outcome = try await Program.dltui(["get", "http://127.0.0.1:1/"] + arguments).end()
    #expect(outcome.status == 18)
    #expect(outcome.errors.hasPrefix("dltui: cannot make the folder /etc/passwd"))
  }

  @Test(arguments: [["--help"], ["help"], ["-h"], ["get", "--help"], ["help", "list"], ["add", "-h"]])
  func helpIsOnStandardOutputAndFitsEightyColumns(_ arguments: [String]) async throws {
    let outcome = try await Program.dltui(arguments).end()
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.contains("Usage:"))
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func helpNamesEveryOptionOfTheContract() async throws {
    let help = try await Program.dltui(["--help"]).end().output
    let options = [
      "-d, --dir DIR", "-o, --output NAME", "-i, --input-file FILE", "-x, --connections N", "--max-host-connections N",
      "-j, --jobs N", "--min-split SIZE", "--limit-rate RATE", "--limit-rate-each RATE", "-H, --header LINE",
      "-A, --user-agent TEXT", "--referer URL", "-u, --user NAME:PASSWORD", "--retries N", "--retry-wait SECONDS",
      "--retry-max-wait SECONDS", "--connect-timeout SECONDS", "--stall-timeout SECONDS", "--if-exists WHAT",
      "--checksum ALG=HEX", "--preallocate WHAT", "--remote-time", "--config FILE", "--no-config", "--state-dir DIR",
      "--no-session",
      "--cacert FILE", "-k, --insecure",
      "-q, --quiet", "--no-progress", "--json", "--log FILE", "--log-level LEVEL", "--ascii", "--color WHEN",
      "-h, --help", "--version",
    ]
    for option in options { #expect(help.contains(option)) }
  }

  @Test func versionIsOneLine() async throws {
    let outcome = try await Program.dltui(["--version"]).end()
    #expect(outcome.status == 0)
    #expect(outcome.output == "dltui 0.1.0\n")
  }

  @Test func anEmptyListIsEmpty() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Program.dltui(["list", "--state-dir", folder.path]).end()
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
  }
}
