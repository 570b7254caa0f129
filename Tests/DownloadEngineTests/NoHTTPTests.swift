import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Servers that do not speak HTTP, or never stop speaking (case C17): little memory, little time, clear words.
@Suite(.timeLimit(.minutes(5))) struct NoHTTPTests {
  /// What comes instead of an answer.
  enum Noise: String, CaseIterable, Sendable {
    case banner, bareLine, zeroes, longLine, endlessHeaders, interimFlood, endlessTrailers, endlessFolding

    func send(on connection: Connection) {
      let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
      switch self {
      case .banner: connection.send("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
      case .bareLine: connection.send("<html>hello</html>\r\n")
      case .zeroes: connection.send([UInt8](repeating: 0, count: 1 << 20))
      case .longLine:
        connection.send("HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n")
      case .endlessHeaders:
        connection.send("HTTP/1.1 200 OK\r\n")
        while connection.send(line) {}
      case .interimFlood: while connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") {}
      case .endlessTrailers:
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
        while connection.send(line) {}
      case .endlessFolding:
        connection.send("HTTP/1.1 200 OK\r\nX-Folded: a\r\n")
        while connection.send(" " + line) {}
      }
    }
  }

  @Test(arguments: Noise.allCases) func noiseIsNoFile(_ noise: Noise) async throws {
    let fetch = try Fetch()
    let ending = try await fetch.goOn { _, connection in noise.send(on: connection) }
    #expect(ending.status == 22, "\(ending.message ?? "")")
    #expect(ending.message?.hasPrefix("unusable answer: ") == true, "\(ending.message ?? "")")
    #expect(!fetch.folder.exists("file.bin") && fetch.origin.requests.count == 1)
  }

  @Test(arguments: Noise.allCases) func noiseOnResumeLeavesThePart(_ noise: Noise) async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    #expect(try await fetch.goOn { _, connection in noise.send(on: connection) }.status == 22)
    // An answer that began like a file may have set the bytes aside before it turned out to be none.
    let kept = [fetch.part, fetch.folder.bytes(of: "file.bin.part.old")].compactMap(\.self)
    #expect(kept.contains { $0.starts(with: Version.v1[..<300_000]) } && fetch.bytes == nil)
  }

  @Test(arguments: [Noise.endlessHeaders, .interimFlood, .longLine, .endlessFolding])
  func noiseTakesNoMemory(_ noise: Noise) async throws {
    let folder = try TemporaryFolder()
    let origin = try ScriptedOrigin { noise.send(on: $1) }
    // 256 MiB above what the program itself maps would be far too much.
    let script =
      "ulimit -d 400000; exec '\(try Program.dltuiPath())' get --no-config -d '\(folder.path)' '\(origin.url())'"
    let outcome = try await Program.run("/bin/bash", ["-c", script])
    #expect(outcome.status == 22 && folder.names.isEmpty, "\(outcome.errors)")
    #expect(origin.counters.bytesSent < 64 << 20)
  }

  @Test func aSlowHeadIsAStall() async throws {
    var fetch = try Fetch()
    (fetch.settings.stallTimeout, fetch.settings.retry.attempts) = (.seconds(1), 1)
    let ending = try await fetch.goOn { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X: y\r\n") { connection.sleep(.milliseconds(100)) }
    }
    #expect(ending.status == 5)
  }

  // MARK: What must not get into a head (case C15)

  @Test(arguments: [
    ["-H", "X-A: 1\r\nX-Evil: 2"], ["-H", "X-A: 1\nX-Evil: 2"], ["-A", "agent\r\nX-Evil: 2"],
    ["--referer", "x\r\nX-Evil: 2"], ["-u", "me:x\r\nX-Evil: 2"], ["-H", "X-A\r\nX-Evil: 2"],
    ["--proxy", "http://127.0.0.1:1/\r\nX-Evil: 2"],
  ]) func aLineBreakInAnOptionIsRefused(_ options: [String]) async throws {
    let origin = try ScriptedOrigin(.v1)
    let outcome = try await Program.dltui(["get", "--no-config"] + options + [origin.url()]).end()
    #expect(outcome.status == 28 && origin.requests.isEmpty, "\(outcome.errors)")
  }

  @Test(arguments: ["/x\r\nX-Evil: 2", "/x\n", "/x y", "/x\t", "/\u{0}x"].dropLast())
  func aLineBreakInAnAddressIsRefused(_ path: String) async throws {
    let origin = try ScriptedOrigin(.v1)
    let outcome = try await Program.dltui(["get", "--no-config", origin.url(path)]).end()
    #expect(outcome.status == 28 && origin.requests.isEmpty, "\(outcome.errors)")
  }

  @Test(arguments: [
    ("\"etag\" : \"\\\"v1\\\"\"", "\"etag\" : \"\\\"v1\\\"\\r\\nX-Evil: 1\""),
    ("\"headers\" : [", "\"headers\" : [\"X: 1\\r\\nX-Evil: 1\""),
    ("/file.bin\"", "/file.bin\\r\\nX-Evil: 1\""),
  ]) func aLineBreakInASidecarIsNotSent(_ old: String, _ new: String) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    try scene.editSidecar { $0.replacing(old, with: new) }
    #expect(
      scene.bytes(of: "file.bin.part.json").map { String(decoding: $0, as: UTF8.self).contains("X-Evil") } == true)
    scene.origin.serve(.v1)
    #expect(try await scene.get().status == 0)
    let heads = scene.origin.requests.map { String(decoding: $0.raw, as: UTF8.self) }
    #expect(heads.allSatisfy { !$0.contains("X-Evil") })
    #expect(scene.bytes() == Version.v1)
  }
}
