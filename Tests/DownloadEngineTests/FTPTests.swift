import DownloadCore
import Foundation
import TestSupport
import Testing

/// FTP under the same laws as HTTP (case A50): size and time are the file's weak identity, the rest is proved by comparing.
@Suite(.timeLimit(.minutes(5))) struct FTPTests {
  private let folder: TemporaryFolder
  private let server: ScriptedFTP
  private static let v1 = ScriptedFTP.Manners(Version.v1)

  init() throws { (folder, server) = (try TemporaryFolder(), try ScriptedFTP(Self.v1)) }

  private static let kept = 300_000
  /// Where a resumed transfer begins: the bytes before it are compared.
  private static let rest = "REST \(kept - (64 << 10))"

  private func run(_ url: String? = nil, attempts: Int = 2, until isEnough: (RunningEngine) -> Bool) async throws
    -> Ending
  {
    var settings = Settings()
    (settings.retry.firstWait, settings.retry.attempts) = (.zero, attempts)
    let engine = try RunningEngine(settings)
    engine.add(Request(url: url ?? server.url(), folder: folder.path))
    try await eventually("enough has come") { isEnough(engine) }
    try await engine.quit()
    return Ending(engine.notices)
  }

  private func fetch(_ manners: ScriptedFTP.Manners = v1, attempts: Int = 2) async throws -> Ending {
    server.serve(manners)
    return try await run(attempts: attempts) { $0.hasEnded }
  }

  /// Leaves a part of 300,000 bytes.
  private func begin(_ manners: ScriptedFTP.Manners = v1) async throws {
    server.serve(manners.with { $0.holdsAfter = Self.kept })
    _ = try await run { $0.item?.completed == Int64(Self.kept) }
    #expect(folder.exists("file.bin.part.json"))
    server.clearCommands()
  }

  private func expectOnly(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = folder.bytes(of: "file.bin") == bytes
    #expect(isSame && folder.names == ["file.bin"], "\(folder.names)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [true, false]) func aFileComesOverOneConnection(_ extended: Bool) async throws {
    let ending = try await fetch(Self.v1.with { $0.extendedPassive = extended })
    #expect(ending.status == 0 && ending.verified == "size" && ending.totals == [1_000_000])
    expectOnly(Version.v1)
    #expect(server.connectionsAccepted == 1 && server.commands.count { $0.hasPrefix("RETR") } == 1)
  }

  @Test func aLargeFileComesOverOneConnectionToo() async throws {
    #expect(try await fetch(ScriptedFTP.Manners(Version.b)).status == 0)
    expectOnly(Version.b)
    #expect(server.connectionsAccepted == 1)
  }

  @Test func anEmptyFileIsComplete() async throws {
    #expect(try await fetch(ScriptedFTP.Manners([])).status == 0)
    expectOnly([])
  }

  @Test func aPartIsGoneOnWithWhereItEnds() async throws {
    try await begin()
    let ending = try await fetch()
    #expect(ending.status == 0 && ending.restarts.isEmpty && ending.verified == "none")
    expectOnly(Version.v1)
    #expect(server.commands.contains(Self.rest))
  }

  /// What the server has, or can do, when the part is to be gone on with.
  enum Change: CaseIterable, Sendable {
    case newerTime, sameTime, longer, shorterThanThePart, asLongAsThePart, asLongAsWhatIsCompared, noOffsets, noSize

    var manners: ScriptedFTP.Manners {
      switch self {
      case .newerTime: ScriptedFTP.Manners(Version.v2).with { $0.modified = "20240102000000" }
      case .sameTime: ScriptedFTP.Manners(Version.v2)
      case .longer: ScriptedFTP.Manners(Version.v3)
      case .shorterThanThePart: ScriptedFTP.Manners(Array(Version.v2[..<200_000]))
      case .asLongAsThePart: ScriptedFTP.Manners(Array(Version.v2[..<kept]))
      case .asLongAsWhatIsCompared: ScriptedFTP.Manners(Array(Version.v2[..<(kept - 65_536)]))
      case .noOffsets: v1.with { $0.restarts = false }
      case .noSize: v1.with { $0.tellsSize = false }
      }
    }
  }

  @Test(arguments: Change.allCases) func whatCannotBeProvedStartsOver(_ change: Change) async throws {
    try await begin()
    let ending = try await fetch(change.manners)
    #expect(ending.status == 0, "\(ending)")
    expectOnly(change.manners.body)
  }

  @Test func withoutASizeTheEndIsTheServersWord() async throws {
    let manners = Self.v1.with { $0.tellsSize = false }
    let ending = try await fetch(manners)
    #expect(ending.status == 0 && ending.verified == "none" && ending.totals == [-1])
    expectOnly(Version.v1)
  }

  @Test func withoutASizeABreakIsNoEnd() async throws {
    let manners = Self.v1.with { ($0.tellsSize, $0.breaksAfter) = (false, 400_000) }
    #expect(try await fetch(manners).status != 0)
    #expect(!folder.exists("file.bin"))
  }

  @Test func withoutATimeTheBytesTell() async throws {
    let manners = Self.v1.with { $0.modified = nil }
    try await begin(manners)
    #expect(try await fetch(manners).restarts.isEmpty)
    expectOnly(Version.v1)
  }

  @Test func aTransferThatBreaksGoesOn() async throws {
    let ending = try await fetch(Self.v1.with { $0.breaksAfter = 250_000 }, attempts: 3)
    #expect(ending.status == 0, "\(ending)")
    expectOnly(Version.v1)
    let offsets = server.commands.filter { $0.hasPrefix("REST") }.compactMap { Int($0.dropFirst(5)) }
    #expect(offsets == offsets.sorted() && Set(offsets).count == offsets.count && offsets.count < 8, "\(offsets)")
  }

  @Test func theHostOfPASVIsIgnored() async throws {
    #expect(try await fetch(Self.v1.with { $0.passiveHost = "203,0,113,7" }).status == 0)
    expectOnly(Version.v1)
  }

  @Test(arguments: [
    ("550 no such file", 3), ("450 busy", 22), ("425 cannot open it", 22), ("553 not allowed", 3),
  ]) func aRefusalHasItsNumber(_ reply: String, _ status: Int32) async throws {
    #expect(try await fetch(Self.v1.with { $0.refusal = reply }).status == status)
    #expect(folder.names.isEmpty)
    #expect(server.commands.count { $0.hasPrefix("RETR") } == (reply.hasPrefix("4") ? 3 : 1))
  }

  @Test func aServerThatIsFullIsAskedAgain() async throws {
    #expect(try await fetch(Self.v1.with { $0.greeting = "421 too many users" }).status == 29)
    #expect(server.connectionsAccepted == 3)
  }

  // MARK: Who asks

  private func get(_ options: String..., url: String) async throws -> Program.Outcome {
    try await Program.dltui(["get", "--no-config", "--json", "-d", folder.path] + options + [url]).end()
  }

  @Test func credentialsComeFromTheAddressOrTheOption() async throws {
    server.serve(Self.v1.with { $0.credentials = "me:hush-hush" })
    #expect(try await get(url: server.url()).status == 24)
    #expect(server.commands.contains("USER anonymous"))
    #expect(try await get("-u", "me:wrong", url: server.url()).status == 24)
    for (options, user) in [("--no-progress", "me:hush-hush@"), ("--user=me:hush-hush", "")] {
      let outcome = try await get(options, "--if-exists", "overwrite", url: server.url(user))
      #expect(outcome.status == 0 && !(outcome.output + outcome.errors).contains("hush"))
    }
    expectOnly(Version.v1)
  }

  @Test func anHTTPProxyIsATunnelForIt() async throws {
    let proxy = try RelayProxy()
    #expect(try await get("--proxy", "http://127.0.0.1:\(proxy.port)", url: server.url()).status == 0)
    expectOnly(Version.v1)
    #expect(Set(proxy.asked.map(\.way)) == ["CONNECT"])
  }

  @Test func aLineBreakInAnAddressIsNoCommand() async throws {
    let outcome = try await get(url: server.url().replacing("file.bin", with: "a%0D%0ADELE%20x"))
    #expect(outcome.status != 0 && !server.commands.contains { $0.hasPrefix("DELE") })
  }
}
