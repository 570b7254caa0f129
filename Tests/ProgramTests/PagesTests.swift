import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import dltui

/// What is made from the tables for packagers: the manual page, the shells' completions, and how they are installed.
@Suite(.timeLimit(.minutes(2))) struct PagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func printed(_ what: String) async throws -> String {
    let outcome = try await Program.dltui(["--print", what]).end()
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    return outcome.output
  }

  @Test func theManualPageIsInGoodStyle() async throws {
    try folder.write(try await printed("man").utf8, to: "dltui.1")
    let lint = try await Program.run("/usr/bin/mandoc", ["-T", "lint", "-W", "style", folder["dltui.1"]])
    #expect(lint.status == 0, "\(lint.output)\(lint.errors)")
  }

  @Test func theManualPageHasAllOptionsKeysAndCommandsAsTheyAreTyped() async throws {
    try folder.write(try await printed("man").utf8, to: "dltui.1")
    let text = try await Program.run("/usr/bin/mandoc", ["-T", "utf8", "-O", "width=200", folder["dltui.1"]]).output
    let plain = text.replacing(/.\u{8}/, with: "")
    for option in OptionTable.all where option.help != nil { #expect(plain.contains("  \(option.synopsis)")) }
    for key in KeyMap.bindings { #expect(plain.contains(key.shown) && plain.contains(key.help)) }
    for verb in Verb.allCases { #expect(plain.contains(verb.summary)) }
    #expect(plain.contains("`2M; 08:00-18:00 500K`"))
  }

  /// What bash offers for the last of these words.
  private func bash(_ words: String...) async throws -> [String] {
    try folder.write(try await printed("bash").utf8, to: "dltui.bash")
    try folder.write([], to: "here/a file")
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      set -eu; source '\(folder["dltui.bash"])'
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _dltui || true; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try await Program.run("/bin/bash", ["-c", script], in: folder["here"])
    #expect(outcome.errors.isEmpty)
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test func bashCompletesCommandsOptionsAndTheirValues() async throws {
    #expect(try await bash("dltui", "l") == ["list"])
    #expect(try await bash("dltui", "get", "--lim") == ["--limit-rate", "--limit-rate-each"])
    #expect(try await bash("dltui", "get", "--if-exists", "r") == ["rename"])
    #expect(try await bash("dltui", "get", "--if-exists", "=", "s") == ["skip"])
    #expect(try await bash("dltui", "get", "--if-exists", "=") == ["rename", "skip", "overwrite", "fail"])
    #expect(try await bash("dltui", "get", "-i", "a") == ["a file"])
    #expect(try await bash("dltui", "get", "-d", "a") == [])
    #expect(try await bash("dltui", "get", "a") == ["a file"])
    #expect(try await bash("dltui", "get", "--print") == [], "what only packagers need is not offered")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
  func zshReadsItsCompletion() async throws {
    try folder.write(try await printed("zsh").utf8, to: "_dltui")
    let outcome = try await Program.run("/usr/bin/zsh", ["-n", folder["_dltui"]])
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func fishCompletesCommandsOptionsAndTheirValues() async throws {
    try folder.write(try await printed("fish").utf8, to: "dltui.fish")
    let script =
      "source \(folder["dltui.fish"]); for line in 'dltui l' 'dltui get --if-ex' 'dltui get --if-exists r'; complete -C $line; end"
    let outcome = try await Program.run(
      "/usr/bin/fish", ["--no-config", "-c", script], environment: ["HOME": folder.path, "XDG_CONFIG_HOME": ""])
    let words = outcome.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(outcome.status == 0 && words == ["list", "--if-exists", "rename"], "\(outcome)")
  }

  @Test func allIsInstalledAndAllOfItGoesAgain() async throws {
    let top = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    let programs = URL(filePath: try Program.dltuiPath()).deletingLastPathComponent().path
    let arguments = ["-C", top, "RELEASE_FOLDER=\(programs)", "DESTDIR=\(folder["root"])", "PREFIX=/usr"]
    let install = try await Program.run("/usr/bin/make", arguments + ["install"])
    #expect(install.status == 0, "\(install)")
    let files = [
      "bin/dltui", "bin/dltui-aria2c", "share/bash-completion/completions/dltui",
      "share/fish/vendor_completions.d/dltui.fish",
      "share/man/man1/dltui-aria2c.1", "share/man/man1/dltui.1", "share/zsh/site-functions/_dltui",
    ]
    #expect(try installed() == files.map { "usr/\($0)" })
    let version = try await Program.run(folder["root/usr/bin/dltui"], ["--version"])
    #expect(version.output == "dltui 0.1.0\n")
    let uninstall = try await Program.run("/usr/bin/make", arguments + ["uninstall"])
    #expect(uninstall.status == 0)
    #expect(try installed() == [])
  }

  private func installed() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder["root"]).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder["root/\(path)"], isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }
}
