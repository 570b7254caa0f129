import DownloadCore
import TestSupport
import Testing

/// The name is chosen once (case B12): what the server says later, or said on the way, changes nothing.
@Suite(.timeLimit(.minutes(2))) struct KeptNameTests {
  private func named(_ name: String) -> ServedFile {
    ServedFile.v1.with { $0.disposition = "attachment; filename=\"\(name)\"" }
  }

  @Test func anotherNameForEveryRequestIsStillOneFile() async throws {
    let scene = try Scene()
    scene.origin.serve(named("at-1.bin").with { $0.ending = .held(after: Scene.kept, Gate()) })
    let program = try scene.start()
    try await eventually("a sidecar") { (scene.sidecar(of: "at-1.bin")?.doneRanges.count ?? 0) >= Scene.kept }
    program.send(15)
    _ = try await program.end()
    scene.origin.clearRequests()
    scene.origin.serve(named("at-2.bin"))
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.names == ["at-1.bin"], "\(outcome)")
    #expect(scene.bytes(of: "at-1.bin") == Version.v1 && scene.starts == [Scene.kept])
  }

  @Test func aNameOnTheRedirectOnlyDoesNotCount() async throws {
    let scene = try Scene()
    scene.origin.serve { request, connection in
      if request.path == "/final.bin" { return ServedFile.v1.answer(request, connection) }
      connection.respond(
        302, headers: ["Location: /final.bin", "Content-Disposition: attachment; filename=\"way.bin\""])
    }
    let outcome = try await scene.get(path: "/start.bin")
    #expect(outcome.status == 0 && scene.names == ["start.bin"], "\(outcome) \(scene.names)")
  }
}
