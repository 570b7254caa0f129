import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// The servers that people have: vsftpd and OpenSSH.
@Suite(.timeLimit(.minutes(5))) struct FileServerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ url: String, home: String? = nil, _ options: String...) throws -> Program {
    let environment = home.map { ["HOME": $0] } ?? [:]
    let common = ["get", "--no-config", "--json", "--retry-wait", "0", "-d", folder["files"]]
    return try Program.dltui(common + options + [url], environment: environment)
  }

  private func expectFile(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = folder.bytes(of: "files/file.bin") == bytes
    #expect(isSame && !folder.exists("files/file.bin.part"), sourceLocation: sourceLocation)
  }

  /// A run at a slow rate that is stopped in the middle, and one that goes on.
  private func stopAndGoOn(_ url: String, home: String? = nil) async throws -> (first: Int64, second: Ending) {
    let program = try start(url, home: home, "--limit-rate", "2M")
    try await eventually("some of it is there") { completed(program) > 1 << 20 }
    program.send(SIGINT)
    #expect(try await program.end().status == 7)
    let sidecar = try JSONDecoder().decode(
      Sidecar.self, from: Data(folder.bytes(of: "files/file.bin.part.json") ?? []))
    let ending = Ending(try await start(url, home: home).end())
    return (sidecar.doneRanges.count, ending)
  }

  /// What a program that still runs has told last.
  private func completed(_ program: Program) -> Int64 {
    program.output.split(separator: "\n").reduce(0) { most, line in
      let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return max(most, event?["completed"] as? Int64 ?? 0)
    }
  }

  @Test func vsftpdServesAndGoesOn() async throws {
    let server = try await VsftpdServer()
    try server.write(Version.b, to: "file.bin")
    let (first, second) = try await stopAndGoOn(server.url("file.bin"))
    #expect(first > 1 << 20 && second.status == 0 && second.restarts.isEmpty, "\(second)")
    expectFile(Version.b)
    #expect(try await start(server.url("missing.bin")).end().status == 3)
    #expect(try await start(server.url("no/such/folder.bin")).end().status == 3)
  }

  @Test func openSSHServesAndGoesOn() async throws {
    let server = try await SSHServer()
    try server.write(Version.b, to: "file.bin")
    let home = try server.home(knowing: server.hostKey)
    let (first, second) = try await stopAndGoOn(server.url("file.bin"), home: home)
    #expect(first > 1 << 20 && second.status == 0 && second.restarts.isEmpty, "\(second)")
    expectFile(Version.b)
    #expect(try await start(server.url("missing.bin"), home: home).end().status == 3)
  }

  @Test func aHostKeyThatNobodyKnowsIsRefused() async throws {
    let server = try await SSHServer()
    try server.write(Version.v1, to: "file.bin")
    let homes = [try server.home(knowing: nil), folder["nobody"]]
    for home in homes { try await expectRefusal(server, home) }
    try await expectRefusal(server, try server.home(knowing: try await server.otherHostKey()))
    #expect(try await start(server.url("file.bin"), home: try server.home(knowing: nil), "-k").end().status == 0)
    expectFile(Version.v1)
  }

  private func expectRefusal(_ server: SSHServer, _ home: String) async throws {
    let outcome = try await start(server.url("file.bin"), home: home).end()
    #expect(outcome.status == 6, "\(outcome.output)")
    #expect(outcome.output.contains("not a known SSH host key: 127.0.0.1:\(server.port)"), "\(outcome.output)")
    #expect(!outcome.output.contains("retrying") && !folder.exists("files/file.bin"))
  }
}
