import Foundation
import Glibc
import TestSupport
import Testing

/// The session file: what is restored from it, what is not, and who may have it.
@Suite(.timeLimit(.minutes(2))) struct SessionFileTests {
  private let desk: Desk
  private let origin: ScriptedOrigin
  private let body = Blob.random(count: 32 << 20, seed: 41)

  init() throws {
    desk = try Desk()
    origin = try ScriptedOrigin(ServedFile(body).with { $0.bytesPerSecond = 100_000 })
  }

  /// Leaves a session with one paused download.
  private func leaveSession() async throws {
    let terminal = try await desk.open(origin.url("/paused.iso"))
    try await terminal.waitForRow(of: "paused.iso", saying: "active")
    try await terminal.press("p")
    try await terminal.waitForRow(of: "paused.iso", saying: "paused")
    try await terminal.press("q")
    #expect(try await terminal.end() == 7)
  }

  /// What can become of a file, and how.
  enum Damage: String, CaseIterable, Sendable {
    case cutInHalf, empty, zeroes, otherVersion, notJSON, invalidUTF8, nestedDeeply

    func damaged(_ bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .cutInHalf: Array(bytes.prefix(bytes.count / 2))
      case .empty: []
      case .zeroes: [UInt8](repeating: 0, count: bytes.count)
      case .otherVersion:
        Array(String(decoding: bytes, as: UTF8.self).replacing("\"version\":1", with: "\"version\":999").utf8)
      case .notJSON: Array("paused.iso\n".utf8)
      case .invalidUTF8: bytes.map { $0 == UInt8(ascii: "p") ? 0xFF : $0 }
      case .nestedDeeply: [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
      }
    }
  }

  /// Leaves a session, damages it, and opens it.
  private func openDamaged(_ damage: Damage) async throws -> (terminal: Tmux, damaged: [UInt8]) {
    try await leaveSession()
    let damaged = damage.damaged(try #require(desk.folder.bytes(of: "state/session.json")))
    try desk.folder.write(damaged, to: "state/session.json")
    try? FileManager.default.removeItem(atPath: desk.folder["state/session.json~"])
    return (try await desk.open(), damaged)
  }

  @Test(arguments: Damage.allCases) func aBadSessionIsKeptAside(_ damage: Damage) async throws {
    let (terminal, damaged) = try await openDamaged(damage)
    try await terminal.waitFor("dltui")
    try await eventually("kept aside") { desk.folder.bytes(of: "state/session.json.unreadable") == damaged }
    try await terminal.press("q")
    #expect(try await terminal.end() == 0)
    #expect(desk.exists("paused.iso.part") && desk.exists("paused.iso.part.json"))
  }

  @Test func aBadSessionIsToldOnTheScreen() async throws {
    let (terminal, _) = try await openDamaged(.cutInHalf)
    try await terminal.waitFor("session.json")
  }

  @Test func theCopyBeforeABadSessionIsUsed() async throws {
    try await leaveSession()
    let good = try #require(desk.folder.bytes(of: "state/session.json"))
    try desk.folder.write(good, to: "state/session.json~")
    try desk.folder.write([], to: "state/session.json")
    let terminal = try await desk.open()
    try await terminal.waitForRow(of: "paused.iso", saying: "paused")
  }

  @Test(arguments: ["/proc/dltui", "/dev/null/dltui"])
  func aStateFolderThatCannotBeUsedIsToldInOneLine(_ path: String) async throws {
    let command = "'\(try Program.dltuiPath())' --no-config --state-dir \(path) 2>'\(desk.folder["errors"])'"
    let terminal = try await Tmux(command)
    #expect(try #require(try await terminal.end()) != 0)
    let errors = try #require(desk.folder.text(of: "errors"))
    #expect(errors.hasPrefix("dltui: cannot ") && errors.contains(path) && errors.contains("--no-session"))
    #expect(terminal.rawOutput.filter { $0 == 0x1B }.isEmpty)
  }

  @Test func aFolderForFilesThatCannotBeUsedIsToldBeforeTheScreenOpens() async throws {
    let terminal = try await Tmux(
      try desk.command(["-d", "/dev/null/x", origin.url("/x")]) + " 2>'\(desk.folder["errors"])'")
    #expect(try await terminal.end() == 18)
    let errors = try #require(desk.folder.text(of: "errors"))
    #expect(errors.hasPrefix("dltui: cannot make the folder /dev/null/x") && errors.contains("--dir"))
    #expect(terminal.rawOutput.filter { $0 == 0x1B }.isEmpty)
  }

  @Test func twoProgramsDoNotShareASession() async throws {
    let first = try await desk.open(origin.url("/mine.iso"))
    try await first.waitForRow(of: "mine.iso", saying: "active")
    let second = try await Tmux(try desk.command() + " 2>'\(desk.folder["errors"])'")
    #expect(try await second.end() == 1)
    let errors = try #require(desk.folder.text(of: "errors"))
    #expect(errors.contains("another dltui has this session open") && errors.contains("--no-session"))
    #expect(row(of: "mine.iso", on: try await first.screen()).contains("active"))
  }

  @Test func withoutASessionTwoProgramsGetAlong() async throws {
    let first = try await desk.open(origin.url("/mine.iso"))
    try await first.waitForRow(of: "mine.iso", saying: "active")
    let second = try await desk.open("--no-session", origin.url("/yours.iso"))
    try await second.waitForRow(of: "yours.iso", saying: "active")
    #expect(try await second.screen().contains("mine.iso") == false)
    try await second.press("q")
    #expect(try await second.end() == 7)
    #expect(desk.folder.text(of: "state/session.json").map { $0.contains("yours") } == false)
  }

  @Test func aCrashedProgramBlocksNobody() async throws {
    let first = try await desk.open(origin.url("/mine.iso"))
    try await first.waitForRow(of: "mine.iso", saying: "active")
    kill(try #require(try await first.identifier()), SIGKILL)
    try await first.end()
    let second = try await desk.open()
    try await second.waitForRow(of: "mine.iso", saying: "active")
  }

  @Test func secretsAreNotInTheSession() async throws {
    let address = origin.url("/x").replacing("http://", with: "http://me:hush-hush@")
    let terminal = try await desk.open("-H", "Authorization: Bearer hush-hush", "-H", "Cookie: a=hush-hush", address)
    try await terminal.waitForRow(of: "x", saying: "active")
    try await terminal.press("q")
    try await terminal.end()
    for file in ["state/session.json", "files/x.part.json"] {
      #expect(desk.folder.text(of: file).map { $0.contains("hush") } == false, "\(file)")
    }
    let mode = try FileManager.default.attributesOfItem(atPath: desk.folder["state/session.json"])[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }
}
