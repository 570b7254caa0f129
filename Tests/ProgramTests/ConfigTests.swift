import TestSupport
import Testing

/// Options in a file: what they do, what beats them, and how mistakes are told.
@Suite(.timeLimit(.minutes(2))) struct ConfigTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin(ServedFile(Blob.random(count: 1000, seed: 3)))
  }

  /// Runs `dltui get` on `/file.bin` with this text as the config file of the user.
  private func get(
    _ config: String, _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    try folder.write(config.utf8, to: "config/dltui/config")
    let places = ["XDG_CONFIG_HOME": folder["config"], "HOME": folder["home"]]
    return try await Program.dltui(
      ["get", origin.url()] + arguments, environment: places.merging(environment) { $1 }, in: folder.path
    ).end()
  }

  @Test func linesAreOptions() async throws {
    let outcome = try await get(
      """
      \u{FEFF}# mine

        dir = \(folder["files"])
      user-agent=config/1 # not a comment
      header = X-One: 1\r
      header = X-Two: a=b
      no-progress
      quiet = no
      """)
    #expect(outcome.status == 0 && folder.exists("files/file.bin"))
    #expect(outcome.errors.contains("done    file.bin"))
    let request = try #require(origin.requests.first)
    #expect(request["User-Agent"] == "config/1 # not a comment")
    #expect(request["X-One"] == "1" && request["X-Two"] == "a=b")
  }

  @Test func theCommandLineBeatsTheFileAndAddsToWhatMayBeRepeated() async throws {
    let outcome = try await get(
      "dir = nowhere\nuser-agent = config/1\nheader = X-One: 1\n", "-d", "files", "-A", "line/1", "-H", "X-Two: 2")
    #expect(outcome.status == 0 && folder.exists("files/file.bin") && !folder.exists("nowhere"))
    let request = try #require(origin.requests.first)
    #expect(request["User-Agent"] == "line/1" && request["X-One"] == "1" && request["X-Two"] == "2")
  }

  @Test func theEnvironmentBeatsTheFileAndTheCommandLineBeatsBoth() async throws {
    let green = "\u{1B}[32m"
    let text = "color = always\nproxy = http://127.0.0.1:1\nretries = 1\n"
    let none = ["NO_COLOR": "", "no_proxy": "", "NO_PROXY": "", "http_proxy": ""]
    let reached = none.merging(["http_proxy": origin.url("")]) { $1 }
    #expect(try await get(text, environment: none).status == 6, "the proxy of the file is asked, and is not there")
    let byFile = try await get(text, environment: reached)
    #expect(byFile.status == 0 && byFile.errors.contains(green))
    let byWord = try await get(text, environment: reached.merging(["NO_COLOR": "1"]) { $1 })
    #expect(byWord.status == 0 && !byWord.errors.contains(green))
    let byLine = try await get(text, "--color", "always", environment: reached.merging(["NO_COLOR": "1"]) { $1 })
    #expect(byLine.status == 0 && byLine.errors.contains(green))
    let dead = try await get(text, "--proxy", "http://127.0.0.1:1", environment: reached)
    #expect(dead.status == 6)
  }

  @Test func aFolderMayBeginWithATilde() async throws {
    #expect(try await get("dir = ~/files").status == 0)
    #expect(folder.exists("home/files/file.bin"))
  }

  @Test func anotherFileOrNoneIsRead() async throws {
    try folder.write("dir = other\n".utf8, to: "own")
    #expect(try await get("nonsense", "--config", "own").status == 0)
    #expect(folder.exists("other/file.bin"))
    #expect(try await get("nonsense", "--no-config").status == 0)
    #expect(folder.exists("file.bin"))
    let missing = try await get("", "--config", "none")
    #expect(missing.status == 28)
    #expect(missing.errors == "dltui: the config file cannot be read (no such file or directory): none\n")
    #expect(try await get("nonsense", "--help").status == 0, "help is there when it is needed most")
  }

  @Test(arguments: [
    ("# fine\nfrobnicate = 1", "line 2: unknown option: frobnicate", "hint: allowed are dir, "),
    ("jbos = 3", "line 1: unknown option: jbos", "hint: did you mean jobs?"),
    ("--jobs = 3", "line 1: unknown option: --jobs", "did you mean jobs?"),
    ("jobs = many", "line 1: jobs must be a whole number from 1 to 1024: many", ""),
    ("\n\njobs", "line 3: a value is missing: jobs = N", ""), ("jobs =", "line 1: jobs must be a whole number", ""),
    ("if-exists = ask", "line 1: if-exists must be one of rename, skip, overwrite, fail: ask", ""),
    ("quiet = maybe", "line 1: quiet must be one of true, yes, on, false, no, off: maybe", ""),
    ("output = x", "line 1: this belongs on the command line: output", ""),
    ("config = x", "line 1: this belongs on the command line: config", ""),
    ("user = se\u{7}cret:x", "line 1: user must be NAME:PASSWORD on one line", ""),
    ("proxy = ftp://h/", "line 1: proxy must be an address that begins with http", ""),
  ])
  func aMistakeNamesTheFileTheLineAndWhatIsAllowed(_ text: String, _ complaint: String, _ hint: String) async throws {
    let outcome = try await get(text)
    #expect(outcome.status == 28 && outcome.output.isEmpty && origin.requests.isEmpty)
    #expect(outcome.errors.hasPrefix("dltui: \(folder["config/dltui/config"]), \(complaint)"))
    #expect(outcome.errors.contains(hint) && !outcome.errors.contains("cret"))
  }
}
