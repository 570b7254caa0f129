import DownloadCore
import Foundation
import TestSupport

/// What outlives the runs of `dltui` in a test: a folder for the files, a folder for the state, and how the program is
/// started on them.
struct Desk {
  let folder: TemporaryFolder
  /// Said on every start, before the rest.
  var options: [String] = []

  init(_ options: String...) throws {
    folder = try TemporaryFolder()
    self.options = options
  }

  /// The command line as shell words.
  func command(_ arguments: [String] = []) throws -> String {
    ([try Program.dltuiPath()] + self.arguments + arguments).map { "'\($0)'" }.joined(separator: " ")
  }

  /// What every start is given.
  var arguments: [String] {
    ["--no-config", "--state-dir", folder["state"], "--confirm-quit", "never", "-d", folder["files"]] + options
  }

  /// Opens the screen in a terminal.
  func open(_ addresses: String..., columns: Int = 120, rows: Int = 32) async throws -> Tmux {
    try await open(addresses, columns: columns, rows: rows)
  }

  func open(_ addresses: [String], columns: Int = 120, rows: Int = 32) async throws -> Tmux {
    try await Tmux(try command(addresses), columns: columns, rows: rows)
  }

  func file(_ name: String) -> String { folder["files/\(name)"] }
  func bytes(of name: String) -> [UInt8]? { folder.bytes(of: "files/\(name)") }
  func exists(_ name: String) -> Bool { folder.exists("files/\(name)") }

  /// What is in the folder for the files, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder["files"])) ?? []).sorted()
  }

  /// What the sidecar of a file says at the moment; nil without one, or when it makes no sense.
  func sidecar(of name: String) -> Sidecar? {
    guard let bytes = bytes(of: name + ".part.json"),
      let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes))
    else { return nil }
    return sidecar.fault == nil ? sidecar : nil
  }
}

/// The row of a download on a screen; empty while there is none.
func row(of name: String, on screen: String) -> Substring {
  screen.split(separator: "\n").first { $0.contains(" \(name) ") } ?? ""
}

/// The percentage in the row of a download; nil while it has none.
func percent(of name: String, on screen: String) -> Int? {
  row(of: name, on: screen).firstMatch(of: /(\d+)%/).flatMap { Int($0.1) }
}

extension Tmux {
  /// Waits until the row of a download says something.
  @discardableResult func waitForRow(of name: String, saying words: String) async throws -> String {
    try await waitUntil("\(name): \(words)") { row(of: name, on: $0).contains(words) }
  }

  /// Waits until a download has come so far.
  func waitForPercent(_ least: Int, of name: String) async throws {
    try await waitUntil("\(least)% of \(name)") { percent(of: name, on: $0).map { $0 >= least } ?? false }
  }
}
