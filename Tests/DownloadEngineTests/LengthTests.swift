import DownloadCore
import TestSupport
import Testing

/// Lengths that are announced wrongly, absurdly, or not at all (cases A26 to A28, A34, A51).
@Suite(.timeLimit(.minutes(2))) struct LengthTests {
  private typealias Handler = ScriptedOrigin.Handler

  @Test func a26AnAnnouncedLengthThatNeverComesIsIncompleteAfterBoundedTries() async throws {
    let scene = try Scene(
      ServedFile.v1.with {
        $0.contentLength = "1000050"
        $0.ranges = .ignored
      })
    let outcome = try await scene.get()
    #expect(outcome.status == 22 && outcome.errors.contains("bytes missing: 50"), "\(outcome)")
    #expect(scene.origin.requests.count == 4)
    #expect(scene.names == ["file.bin.part", "file.bin.part.json", "file.bin.part.json~"])
    #expect(scene.sidecar()?.done == [[0, 1_000_000]])
    #expect(scene.bytes(of: "file.bin.part") == Version.v1)
  }

  @Test func a26TheLengthOfARangeThatNeverComesKeepsThePartToo() async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve(ServedFile.v1.with { $0.ending = .closed(after: 1000) })
    let outcome = try await scene.get()
    #expect(outcome.status == 22, "\(outcome)")
    #expect(scene.sidecar()?.done == [[0, Scene.kept + 1000]])
    #expect(scene.bytes(of: "file.bin.part") == Array(Version.v1[..<301_000]))
  }

  /// Whether the one byte that the length leaves out is sent or not.
  @Test(arguments: [true, false]) func a27ALengthOneShortOfTheRangeLosesNoByte(_ sendsAll: Bool) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve { request, connection in
      guard let first = request.range?.first else { return ServedFile.v1.answer(request, connection) }
      let rest = Array(Version.v1[Int(first)...])
      connection.send(
        """
        HTTP/1.1 206 Partial Content\r\nETag: "v1"\r\nContent-Range: bytes \(first)-999999/1000000\r
        Content-Length: \(rest.count - 1)\r\n\r\n
        """)
      connection.send(sendsAll ? rest : rest.dropLast())
    }
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.names == ["file.bin"])
  }

  @Test func a27SurplusBytesAreNeitherStoredNorTakenForTheNextAnswer() async throws {
    let scene = try Scene()
    scene.origin.serve { request, connection in
      let body = request.path == "/a" ? Version.v1 : Version.v2
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      connection.send(body + Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8))
      connection.keepAlive()
    }
    let outcome = try await scene.get("-j", "1", scene.origin.url("/a"), path: "/b")
    #expect(outcome.status == 0 && scene.names == ["a", "b"], "\(outcome)")
    #expect(scene.bytes(of: "a") == Version.v1 && scene.bytes(of: "b") == Version.v2)
  }

  @Test(arguments: ["99999999999999999999", "-5", "1000000, 1000000", "9223372036854775807", "0x10", "1e6", ""])
  func a28AnAbsurdLengthNeitherTrapsNorReservesNorCutsTheFile(_ length: String) async throws {
    let scene = try Scene(
      ServedFile.v1.with {
        $0.contentLength = length
        $0.ranges = .ignored
      })
    let outcome = try await scene.get("--retries", "1")
    let isWhole = outcome.status == 0 && scene.bytes() == Version.v1
    let isRefused = [6, 9, 22].contains(outcome.status) && !scene.names.contains("file.bin")
    #expect(isWhole || isRefused, "\(outcome) \(scene.names)")
    for name in scene.names { #expect((scene.size(of: name) ?? 0) <= 1_000_000) }
  }

  @Test func a28TwoLengthsThatDisagreeAreRefused() async throws {
    let scene = try Scene(
      ServedFile.v1.with {
        $0.headers = ["Content-Length: 999999"]
        $0.ranges = .ignored
      })
    let outcome = try await scene.get()
    #expect(outcome.status == 22 && scene.names == [], "\(outcome)")
  }

  enum Emptiness: CaseIterable { case length, unsatisfiable, chunked, closed }

  @Test(arguments: Emptiness.allCases) func a34AnEmptyFileIsComplete(_ kind: Emptiness) async throws {
    let empty = ServedFile("").with {
      if case .chunked = kind { $0.framing = .chunked(1000) }
      if case .closed = kind { $0.framing = .http10 }
    }
    let scene = try Scene()
    scene.origin.serve { request, connection in
      guard case .unsatisfiable = kind else { return empty.with { $0.ranges = .ignored }.answer(request, connection) }
      empty.answer(request, connection)
    }
    let outcome = try await scene.get("--json")
    #expect(outcome.status == 0 && scene.bytes() == [] && scene.names == ["file.bin"], "\(outcome)")
    #expect(outcome.output.contains(#""event":"completed""#))
  }

  @Test(arguments: [202, 204, 205]) func a51ACodeWithoutAFileIsNoFile(_ status: Int) async throws {
    let scene = try Scene()
    scene.origin.serve { _, connection in connection.respond(status) }
    let outcome = try await scene.get()
    #expect(outcome.status == 22 && scene.names == [], "\(outcome)")
  }

  @Test(arguments: [200, 202, 204, 205]) func a51NothingInPlaceOfTheRestLeavesThePart(_ status: Int) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    scene.origin.serve { _, connection in connection.respond(status) }
    let outcome = try await scene.get()
    #expect(outcome.status == 22 && !scene.names.contains("file.bin"), "\(outcome)")
    #expect(scene.sidecar()?.done == [[0, Scene.kept]])
    #expect(scene.bytes(of: "file.bin.part") == Array(Version.v1[..<Int(Scene.kept)]))
  }

  @Test(arguments: [true, false]) func a51TheTransformedCode203IsAccepted(_ resumes: Bool) async throws {
    let scene = try Scene()
    if resumes { try await scene.leavePart() }
    scene.origin.serve(
      ServedFile.v1.with {
        $0.status = 203
        $0.ranges = .ignored
      })
    #expect(try await scene.get().status == 0)
    #expect(scene.bytes() == Version.v1)
  }
}

extension ServedFile {
  init(_ text: String) { self.init(Body(text)) }
}
