import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Names that are not found or only after a while, and addresses where nobody answers (cases C04, C05).
@Suite(.timeLimit(.minutes(5))) struct LookupTests {
  private let folder: TemporaryFolder
  private let shim: LookupShim

  init() async throws { (folder, shim) = (try TemporaryFolder(), try await LookupShim()) }

  private func start(_ options: String..., environment: [String: String], urls: [String]) throws -> Program {
    let common = ["get", "--no-config", "--json", "-x", "1", "-d", folder.path, "--retry-wait", "0.05"]
    return try Program.dltui(common + options + urls, environment: environment)
  }

  private func url(_ port: UInt16) -> String { "http://127.name.shim:\(port)/file.bin" }

  private func retries(_ outcome: Program.Outcome) -> Int {
    outcome.output.split(separator: "\n").count { $0.contains("\"retrying\"") }
  }

  // MARK: Names

  @Test func aNameThatIsNotFoundAtFirstIsAskedForAgain() async throws {
    let origin = try ScriptedOrigin(.v1)
    let environment = shim.environment(failures: 3, addresses: ["127.0.0.1"])
    let outcome = try await start(environment: environment, urls: [url(origin.port)]).end()
    #expect(outcome.status == 0 && retries(outcome) == 3 && shim.count == 4, "\(outcome.output)")
    #expect(outcome.output.contains("name not resolved: 127.name.shim"), "\(outcome.output)")
    #expect(folder.bytes(of: "file.bin") == Version.v1 && origin.requests.count == 1)
  }

  /// It was there before, so it is no slip of the pen: all attempts are made, and no byte is lost.
  @Test func aNameThatWasFoundBeforeIsLookedForLonger() async throws {
    let origin = try ScriptedOrigin(.v1.with { $0.ending = .held(after: 300_000, Gate()) })
    let first = try start(environment: shim.environment(addresses: ["127.0.0.1"]), urls: [url(origin.port)])
    try await eventually("a sidecar") { folder.exists("file.bin.part.json") }
    first.send(SIGINT)
    #expect(try await first.end().status == 7)
    origin.clearRequests()
    origin.serve(.v1)
    let environment = shim.environment(failures: 6, addresses: ["127.0.0.1"])
    let outcome = try await start("--retry-max-wait", "0.1", environment: environment, urls: [url(origin.port)]).end()
    #expect(outcome.status == 0 && retries(outcome) == 6, "\(outcome.output)")
    #expect(folder.bytes(of: "file.bin") == Version.v1 && origin.requests.first?.range?.first == 300_000)
  }

  @Test func aNameThatNobodyKnowsIsGivenUpSoon() async throws {
    let outcome = try await start("--retries", "100", environment: shim.environment(), urls: [url(1)]).end()
    #expect(outcome.status == 19 && shim.count == 4, "\(outcome.output)")
    #expect(folder.names.isEmpty)
  }

  /// The resolver's answer takes longer than any test: neither the other download nor the end waits for it.
  @Test(arguments: [SIGINT, SIGTERM]) func aLookupThatHangsHoldsNobodyUp(_ signal: Int32) async throws {
    let origin = try ScriptedOrigin(.v1)
    let program = try start(
      environment: shim.environment(delay: .seconds(600)), urls: [url(1), origin.url("/other.bin")])
    try await eventually("the other one") { folder.bytes(of: "other.bin") == Version.v1 }
    try await eventually("it is looked for") { shim.count == 1 }
    program.send(signal)
    #expect(try await program.end().status == 7)
  }

  @Test func aLookupThatHangsEndsWithTheTimeForConnecting() async throws {
    let environment = shim.environment(delay: .seconds(600))
    let outcome = try await start(
      "--connect-timeout", "1", "--retries", "1", environment: environment, urls: [url(1)]
    ).end()
    #expect(outcome.status == 2 && retries(outcome) == 1, "\(outcome.output)")
  }

  // MARK: Addresses

  /// A dead address, and one that lives.
  static let pairs = [("127.0.0.2", "127.0.0.1")] + (hasIPv6 ? [("::1", "127.0.0.1"), ("127.0.0.1", "::1")] : [])

  @Test(arguments: pairs) func anAddressThatNeverAnswersDoesNotHideTheOther(_ dead: String, _ living: String)
    async throws
  {
    let (origin, hole) = try origin(on: living, besides: dead)
    let environment = shim.environment(addresses: [dead, living])
    let outcome = try await start("--connect-timeout", "4", environment: environment, urls: [url(hole.port)]).end()
    #expect(outcome.status == 0 && retries(outcome) == 0, "\(outcome.output)")
    #expect(folder.bytes(of: "file.bin") == Version.v1 && origin.requests.count == 1)
  }

  /// Both on one port, which another test may have taken on one of the addresses.
  private func origin(on living: String, besides dead: String) throws -> (ScriptedOrigin, DeadAddress) {
    for _ in 0..<20 {
      let origin = try ScriptedOrigin(on: living, ServedFile.v1.handler)
      if let hole = try? DeadAddress(dead, port: origin.port) { return (origin, hole) }
    }
    throw DownloadError.other("no port is free on \(dead) and \(living)")
  }

  @Test func aConnectionThatNeverComesAboutHasItsTime() async throws {
    let hole = try DeadAddress("127.0.0.1")
    let outcome = try await start(
      "--connect-timeout", "0.5", "--retries", "2", environment: [:], urls: ["http://127.0.0.1:\(hole.port)/x"]
    ).end()
    #expect(outcome.status == 2 && retries(outcome) == 2, "\(outcome.output)")
    #expect(outcome.output.contains("timed out while connecting"))
  }

  // MARK: Ports

  @Test func aServerThatIsNotThereYetIsWaitedFor() async throws {
    let port = try freePort()
    let program = try start(
      "--retries", "0", "--retry-max-wait", "0.2", environment: [:], urls: ["http://127.0.0.1:\(port)/file.bin"])
    try await eventually("some attempts") { program.output.split(separator: "\n").count { $0.contains("refused") } > 3 }
    let origin = try ScriptedOrigin(port: port, ServedFile.v1.handler)
    #expect(try await program.end().status == 0)
    #expect(folder.bytes(of: "file.bin") == Version.v1 && origin.requests.count == 1)
  }

  @Test func aServerThatGoesAwayForAWhileCostsNoByte() async throws {
    let old = try ScriptedOrigin(.v1.with { $0.ending = .held(after: 300_000, Gate()) })
    let program = try start("--retries", "0", "--retry-max-wait", "0.2", environment: [:], urls: [old.url()])
    try await eventually("the first bytes") { folder.bytes(of: "file.bin.part")?.count == 300_000 }
    old.stop()
    try await eventually("some attempts") { program.output.split(separator: "\n").count { $0.contains("refused") } > 3 }
    let new = try ScriptedOrigin(port: old.port, ServedFile.v1.handler)
    #expect(try await program.end().status == 0)
    #expect(folder.bytes(of: "file.bin") == Version.v1)
    // A few bytes are compared where a connection broke.
    #expect(new.requests.first?.range?.first == 295_904)
  }
}
