import Foundation
import TerminalUI
import Testing

/// What the design promises about the sources, read from the sources.
@Suite struct HouseRules {
  @Test func libcurlIsOnlyKnownToTheCurlFiles() {
    expectImports(of: "CCurl", onlyIn: #"^Sources/DownloadEngine/Curl[A-Za-z+]*\.swift$"#)
  }

  @Test func ncursesIsOnlyKnownToThePainter() {
    expectImports(of: "CNcurses", onlyIn: #"^Sources/dltui/CursesTerminal\.swift$"#)
  }

  @Test func expatIsOnlyKnownToOneFile() {
    expectImports(of: "CDeflate", onlyIn: #"^Sources/DownloadEngine/BlockSums\.swift$"#)
    expectImports(of: "CExpat", onlyIn: #"^Sources/DownloadEngine/Expat\.swift$"#)
  }

  @Test func theInterfaceKnowsOnlyTheCore() {
    for file in swiftFiles(under: "Sources/TerminalUI") {
      #expect(file.imports.isSubset(of: ["DownloadCore"]), "\(file.path)")
    }
  }

  @Test func theCoreKnowsOnlyTheStandardLibrary() {
    for file in swiftFiles(under: "Sources/DownloadCore") { #expect(file.imports.isEmpty, "\(file.path)") }
  }

  @Test func theEngineKnowsNothingOfScreens() {
    for file in swiftFiles(under: "Sources/DownloadEngine") {
      #expect(file.imports.isDisjoint(with: ["TerminalUI", "CNcurses"]), "\(file.path)")
    }
  }

  @Test func noFileIsTooLong() {
    for file in swiftFiles(under: "Sources") { #expect(file.lines.count <= 400, "\(file.path)") }
  }

  @Test(arguments: ["try!", "as!", "fatalError("])
  func nothingTrapsOnPurpose(_ word: String) {
    for file in swiftFiles(under: "Sources") {
      #expect(!file.lines.contains { $0.contains(word) }, "\(file.path) says \(word)")
    }
  }

  @Test func theTopLevelIsTidy() {
    let known = [
      "CHANGELOG.md", "LICENSE", "Makefile", "Package.swift", "README.md", "Sources", "Tests", "screenshots",
    ]
    let visible = names(in: ".").filter { !$0.hasPrefix(".") }
    #expect(visible.filter { !known.contains($0) } == [])
  }

  @Test func theReadmeHasTheKeysOfTheCode() {
    let table = SourceFile("README.md").lines.drop { $0 != "## Keys" }.prefix { $0 != "## Options" }
    let rows = table.filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(rows == KeyMap.bindings.map { "| `\($0.shown)` | \($0.help) |" })
  }

  @Test func everyTargetHasSources() {
    for folder in names(in: "Sources").map({ "Sources/" + $0 }) + names(in: "Tests").map({ "Tests/" + $0 }) {
      let sources = names(in: folder).filter { $0.hasSuffix(".swift") || $0 == "module.modulemap" }
      #expect(!sources.isEmpty, "\(folder)")
    }
  }
}

/// A source file of the package.
private struct SourceFile {
  /// From the top of the repository.
  let path: String
  let lines: [Substring]

  init(_ path: String) {
    self.path = path
    let text = FileManager.default.contents(atPath: "\(top)/\(path)") ?? Data()
    lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The modules named in `import Module`, `private import Module`, `import struct Module.Name`.
  var imports: Set<String> {
    let modules = lines.compactMap { line -> String? in
      let words = line.prefix { $0 != "/" }.split(separator: " ")
      guard words.contains("import"), let last = words.last else { return nil }
      return String(last.prefix { $0 != "." })
    }
    return Set(modules)
  }
}

/// The top of the repository.
private let top = URL(filePath: #filePath).appending(path: "../../..").standardized.path

private func names(in folder: String) -> [String] {
  ((try? FileManager.default.contentsOfDirectory(atPath: "\(top)/\(folder)")) ?? []).sorted()
}

private func swiftFiles(under folder: String) -> [SourceFile] {
  let paths = (try? FileManager.default.subpathsOfDirectory(atPath: "\(top)/\(folder)")) ?? []
  #expect(!paths.isEmpty, "\(folder) is empty")
  return paths.filter { $0.hasSuffix(".swift") }.sorted().map { SourceFile("\(folder)/\($0)") }
}

private func expectImports(of module: String, onlyIn pattern: String) {
  for file in swiftFiles(under: "Sources") where file.imports.contains(module) {
    #expect(file.path.range(of: pattern, options: .regularExpression) != nil, "\(file.path) imports \(module)")
  }
}
