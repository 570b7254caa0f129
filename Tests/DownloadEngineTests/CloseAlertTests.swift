import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// A body that ends with its TLS connection is whole only after the close alert (case A24).
@Suite(.timeLimit(.minutes(2))) struct CloseAlertTests {
  private let certificate: Certificate
  private let folder: TemporaryFolder
  private let port: UInt16

  init() async throws {
    certificate = try await Certificate()
    folder = try TemporaryFolder()
    port = try freePort()
  }

  /// Starts `openssl s_server` with these words, `input` being a shell's redirection.
  private func serve(_ options: String, input: String = "</dev/null") async throws -> Program {
    let command = "exec openssl s_server -quiet -accept \(port) -cert \"$1\" -key \"$2\" \(options) \(input)"
    let words = ["-c", command, "-", certificate.file, certificate.keyFile, folder["answer"]]
    let server = try Program("/bin/bash", words, in: folder.path)
    // Its only connection must not be used up by asking whether it listens.
    try await eventually("the server listens") { try isListening }
    return server
  }

  /// What proc_net_tcp(5) says; 0A is LISTEN.
  private var isListening: Bool {
    get throws {
      try ["/proc/net/tcp", "/proc/net/tcp6"].contains { table in
        try String(contentsOfFile: table, encoding: .ascii).split(separator: "\n").contains { line in
          line.contains(String(format: ":%04X ", port)) && line.contains(" 0A ")
        }
      }
    }
  }

  private func fetch(_ file: String) throws -> RunningEngine {
    var settings = Settings()
    (settings.network.authorities, settings.retry.attempts, settings.retry.firstWait) = (certificate.file, 1, .zero)
    let engine = try RunningEngine(settings)
    engine.add(Request(url: "https://127.0.0.1:\(port)/\(file)", folder: folder["files"]))
    return engine
  }

  @Test(arguments: [500_000, 0]) func aBodyWithoutACloseAlertIsNotAFile(_ count: Int) async throws {
    try folder.write(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + Version.v1[..<count], to: "answer")
    let server = try await serve("", input: "< <(tail -c +1 -f --pid=$$ \"$3\")")
    let engine = try fetch("file.bin")
    try await eventually("its bytes are there") { engine.item?.completed == Int64(count) && engine.isConnected }
    // Killing it ends the connection without a word.
    server.send(SIGKILL)
    try await eventually("it has failed") { engine.hasEnded }
    try await engine.quit()
    #expect(Ending(engine.notices).status == 6)
    #expect(!folder.exists("files/file.bin"))
  }

  @Test func aBodyThatACloseAlertEndsIsAFile() async throws {
    try folder.write(Version.v1, to: "file.bin")
    try folder.write([], to: "empty")
    let server = try await serve("-WWW")
    for (name, bytes) in [("file.bin", Version.v1), ("empty", [])] {
      let engine = try fetch(name)
      try await eventually("it has ended") { engine.hasEnded }
      try await engine.quit()
      #expect(Ending(engine.notices).verified == "none")
      let isSame = folder.bytes(of: "files/\(name)") == bytes
      #expect(isSame)
    }
    server.send(SIGKILL)
  }
}
