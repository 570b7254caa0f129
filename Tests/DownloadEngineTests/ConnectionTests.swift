import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Connections that are dead, slow or broken, and names with a dead address (cases C01, C02, C05, C14).
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
  private func fetch(stall: Duration = .seconds(3)) throws -> Fetch {
    var fetch = try Fetch()
    fetch.settings.stallTimeout = stall
    fetch.settings.retry.attempts = 3
    return fetch
  }

  /// How a server goes quiet.
  enum Silence: String, CaseIterable, Sendable {
    case beforeTheHead, inTheHead, beforeTheBody, inTheBody, aByteNowAndThen

    func keep(on connection: Connection, from first: Int64) {
      let head =
        "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: \(1_000_000 - first)\r\n"
        + "Content-Range: bytes \(first)-999999/1000000\r\n"
      switch self {
      case .beforeTheHead: break
      case .inTheHead: connection.send(head)
      case .beforeTheBody: connection.send(head + "\r\n")
      case .inTheBody:
        connection.send(head + "\r\n")
        connection.send(Array(Version.v1[Int(first)..<Int(first) + 8_000]))
      case .aByteNowAndThen:
        connection.send(head + "\r\n")
        for byte in Version.v1[Int(first)...] {
          guard connection.send([byte]) else { return }
          connection.sleep(.milliseconds(200))
        }
      }
      connection.hold()
    }
  }

  @Test(arguments: Silence.allCases) func aSilentServerIsAskedAgain(_ silence: Silence) async throws {
    let fetch = try fetch()
    let quiet: ScriptedOrigin.Handler = { silence.keep(on: $1, from: $0.range?.first ?? 0) }
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([quiet, ServedFile.v1.handler]))
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(fetch.origin.requests.count == 2)
    if silence == .inTheBody { #expect((fetch.asked.last ?? nil) ?? 0 > 3_000) }
  }

  @Test(arguments: Silence.allCases) func aServerThatStaysSilentIsGivenUp(_ silence: Silence) async throws {
    var fetch = try fetch(stall: .seconds(30))
    try await fetch.begin()
    fetch.settings.stallTimeout = .seconds(1)
    let ending = try await fetch.goOn { silence.keep(on: $1, from: $0.range?.first ?? 0) }
    #expect(ending.status == 5, "\(ending.message ?? "")")
    #expect(fetch.part?.starts(with: Version.v1[..<300_000]) == true && fetch.sidecar != nil)
    #expect(fetch.origin.requests.count < 12)
  }

  @Test func oneSilentSegmentDoesNotDisturbTheOthers() async throws {
    var fetch = try fetch(stall: .seconds(4))
    fetch.settings.connections = 4
    let slow = ServedFile.b.with { $0.bytesPerSecond = 500_000 }
    let quiet = ServedFile.b.with { $0.ending = .held(after: 100_000, Gate()) }
    let ending = try await fetch.goOn(
      with: ScriptedOrigin.inTurn([slow.handler, slow.handler, quiet.handler, slow.handler]))
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.b)
    // The four first ones, and those that took over from the silent one and from each other.
    let firsts = fetch.asked.prefix(4).compactMap(\.self)
    let silent = try #require(firsts.count == 4 ? firsts[2] : nil)
    #expect(fetch.asked.dropFirst(4).contains { ($0 ?? 0) > silent + 90_000 && ($0 ?? 0) <= silent + 100_000 })
  }

  @Test(arguments: Fetch.Manner.allCases) func aResetLosesNothing(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner)
    let cut = ServedFile.v1.with { $0.ending = .closed(after: 400_000) }
    let reset: ScriptedOrigin.Handler = { request, connection in
      cut.answer(request, connection)
      connection.sleep(.milliseconds(200))
      connection.reset()
    }
    let ending = try await fetch.goOn(with: ScriptedOrigin.inTurn([reset, ServedFile.v1.handler]))
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.v1)
    #expect(((fetch.asked.last ?? nil) ?? 0) >= 390_000)
  }

  // MARK: Pauses

  @Test func aLongPauseIsNoStall() async throws {
    let origin = try ScriptedOrigin(ServedFile.v1.with { $0.bytesPerSecond = 100_000 })
    let folder = try TemporaryFolder()
    var settings = Settings()
    (settings.stallTimeout, settings.retry.attempts) = (.seconds(2), 1)
    let engine = try RunningEngine(settings)
    engine.add(Request(url: origin.url(), folder: folder.path))
    try await eventually("the first bytes") { (engine.item?.completed ?? 0) > 100_000 }
    engine.post(.pause(.all))
    try await eventually("it is paused, and its connection is closed") {
      engine.hasEnded && origin.counters.connectionsOpen == 0
    }
    // Longer than the limit: the point is that nothing is measured meanwhile.
    try await Task.sleep(for: .seconds(3))
    #expect(engine.hasEnded)
    origin.serve(.v1)
    engine.post(.resume(.all))
    try await eventually("it is complete") { if case .completed = engine.item?.state { true } else { false } }
    try await engine.quit()
    let retries = engine.notices.filter { if case .retrying = $0.kind { true } else { false } }
    #expect(retries.isEmpty && Ending(engine.notices).status == 0)
    #expect(folder.bytes(of: "file.bin") == Version.v1)
  }

  // MARK: Names with two addresses

  /// libcurl takes `localhost` for both ::1 and 127.0.0.1, and nobody listens on ::1 here.
  @Test func aDeadAddressDoesNotHideTheOther() async throws {
    let origin = try ScriptedOrigin(.v1)
    let folder = try TemporaryFolder()
    let url = "http://localhost:\(origin.port)/file.bin"
    let get = ["get", "--no-config", "--json", "--retries", "1", "--retry-wait", "0", "-d", folder.path]
    let outcome = try await Program.dltui(get + [url]).end()
    #expect(outcome.status == 0 && !outcome.output.contains("retrying"))
    #expect(folder.bytes(of: "file.bin") == Version.v1)
    #expect(try await Program.dltui(get + ["-4", "--if-exists", "overwrite", url]).end().status == 0)
    #expect(try await Program.dltui(get + ["-6", url]).end().status == 6)
  }

  @Test func aNameThatIsNoneFailsInWords() async throws {
    let folder = try TemporaryFolder()
    let get = ["get", "--no-config", "--retries", "2", "--retry-wait", "0", "-d", folder.path]
    let outcome = try await Program.dltui(get + ["http://no.such.name.invalid/x"]).end()
    #expect([6, 19].contains(outcome.status), "\(outcome.errors)")
    #expect(folder.names.isEmpty)
  }
}
