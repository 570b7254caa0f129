import DownloadCore
import DownloadEngine
import Foundation
import Glibc
import TestSupport
import Testing

/// One file fetched in several runs into one folder, while its origin may become another one between them.
struct Fetch {
  /// What runs, and how a run that is not to end by itself is stopped.
  enum Manner: String, CaseIterable {
    /// The program, by SIGINT.
    case interrupted
    /// The program, by SIGKILL.
    case killed
    /// An engine inside the test process, by `.quit`.
    case inProcess
  }

  static let programs = [Manner.interrupted, .killed]

  let origin: ScriptedOrigin
  let folder: TemporaryFolder
  let manner: Manner
  let path: String
  var settings = Settings()
  /// Only for a run in this process.
  var pace = Pace()
  var checksum: Checksum?

  init(_ manner: Manner = .inProcess, path: String = "/file.bin") throws {
    origin = try ScriptedOrigin()
    folder = try TemporaryFolder()
    (self.manner, self.path) = (manner, path)
    settings.retry.firstWait = .zero
  }

  /// Downloads the first `count` bytes that `file` serves, then stops. What is asked in this run is not in the log later.
  func begin(with file: ServedFile = .v1, _ count: Int64 = 300_000) async throws {
    origin.serve(file.with { $0.ending = .held(after: count, Gate()) })
    try await stop { sidecarOrItem in sidecarOrItem == count }
    #expect(folder.exists(name + ".part") && folder.exists(name + ".part.json") && !folder.exists(name))
    origin.clearRequests()
  }

  /// Runs until it has brought as many bytes as `isEnough` wants, then stops.
  func stop(when isEnough: (Int64) -> Bool) async throws {
    switch manner {
    case .interrupted, .killed:
      let program = try start()
      try await eventually("the sidecar has the bytes") { isEnough(sidecar?.doneRanges.count ?? 0) }
      program.send(manner == .killed ? SIGKILL : SIGINT)
      #expect(try await program.end().status == (manner == .killed ? 128 + SIGKILL : 7))
    case .inProcess:
      let engine = try RunningEngine(settings, pace: pace)
      engine.add(request)
      try await eventually("the engine has the bytes") { isEnough(engine.item?.completed ?? 0) }
      try await engine.quit()
    }
  }

  /// Downloads from what `handler` serves, to whatever end.
  func goOn(with handler: @escaping ScriptedOrigin.Handler) async throws -> Ending {
    origin.serve(handler)
    switch manner {
    case .interrupted, .killed: return Ending(try await start().end())
    case .inProcess:
      let engine = try RunningEngine(settings, pace: pace)
      engine.add(request)
      try await eventually("the download has ended") { engine.hasEnded }
      try await engine.quit()
      return Ending(engine.notices)
    }
  }

  func goOn(with file: ServedFile) async throws -> Ending { try await goOn(with: file.handler) }

  private func start() throws -> Program {
    try Program.dltui(
      ["get", "--json", "--no-config", "--dir", folder.path, "--retry-wait", "0"]
        + ["--retries", "\(settings.retry.attempts)"]
        + (checksum.map { ["--checksum", "\($0.algorithm.rawValue)=\($0.hex)"] } ?? []) + [origin.url(path)])
  }

  private var request: Request {
    var request = Request(url: origin.url(path), folder: folder.path)
    request.checksum = checksum
    return request
  }

  // MARK: What is left

  var name: String { String(path.dropFirst()) }
  /// The bytes under the final name.
  var bytes: [UInt8]? { folder.bytes(of: name) }
  var part: [UInt8]? { folder.bytes(of: name + ".part") }

  /// What the sidecar says; nil while there is none that makes sense.
  var sidecar: Sidecar? {
    guard let bytes = folder.bytes(of: name + ".part.json"),
      let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes)), sidecar.fault == nil
    else { return nil }
    return sidecar
  }

  /// Where each request since `begin` wanted its bytes from; nil for one that asked for everything.
  var asked: [Int64?] { origin.requests.map { $0.range?.first } }

  /// The file is there as it should be, and nothing else is.
  func expectOnly(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    // Compared outside of the macro: a million bytes are no help in a message.
    let isSame = self.bytes == bytes
    #expect(isSame, "\(describe(self.bytes))", sourceLocation: sourceLocation)
    #expect(folder.names == [name], sourceLocation: sourceLocation)
  }

  /// The file is unfinished, and its first bytes are on the disk as the sidecar says.
  func expectPart(_ bytes: some Sequence<UInt8>, sourceLocation: SourceLocation = #_sourceLocation) {
    let bytes = Array(bytes)
    let names = folder.names.filter { !$0.hasSuffix("~") }
    #expect(names == [name + ".part", name + ".part.json"], sourceLocation: sourceLocation)
    let isSame = part?.prefix(bytes.count).elementsEqual(bytes) == true
    #expect(isSame, "\(describe(part))", sourceLocation: sourceLocation)
    #expect(sidecar?.done == [[0, Int64(bytes.count)]], sourceLocation: sourceLocation)
  }

  private func describe(_ bytes: [UInt8]?) -> Comment {
    "\(bytes?.count ?? -1) bytes, versions by 100,000: \(Version.names(in: bytes ?? []))"
  }
}

/// What became of a download, whoever tells it.
struct Ending: Equatable {
  /// The exit status; from an engine the error's code.
  var status: Int32 = -1
  /// `sha-256`, `size` or `none`; nil unless it is complete.
  var verified: String?
  /// Why it failed.
  var message: String?
  /// Why it started over, each time.
  var restarts: [String] = []
  /// What it said at its last start.
  var isResumable: Bool?
  /// Every total that was ever told.
  var totals: [Int64] = []

  init(_ notices: [Notice]) {
    for notice in notices {
      switch notice.kind {
      case .started(_, let total, _, let resumability):
        (isResumable, totals) = (resumability == .resumable || resumability == .comparing, totals + [total ?? -1])
      case .restarted(let why): restarts.append(why)
      case .completed(_, _, _, let verification): (status, verified) = (0, verification.word)
      case .failed(let error): (status, message) = (Int32(error.code), error.message)
      case .added, .addedAlready, .retrying, .paused, .verifying, .warning: break  // on the way
      }
    }
  }

  init(_ outcome: Program.Outcome) {
    status = outcome.status
    for line in outcome.output.split(separator: "\n") {
      guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      switch event["event"] as? String {
      case "started":
        (isResumable, totals) = (event["resumable"] as? Bool, totals + [event["total"] as? Int64 ?? -1])
      case "restarted": restarts.append(event["message"] as? String ?? "")
      case "completed": verified = event["verified"] as? String
      case "failed": message = (event["error"] as? [String: Any])?["message"] as? String
      default: break
      }
    }
  }
}

/// An engine inside the test process. It stops when it is told to, or when it is released.
final class RunningEngine {
  let engine: Engine
  private(set) var notices: [Notice] = []

  init(_ settings: Settings = Settings(), pace: Pace = Pace(), stateFolder: String? = nil) throws {
    var configuration = Engine.Configuration()
    configuration.pace = pace
    (configuration.settings, configuration.stateFolder) = (settings, stateFolder)
    engine = try Engine(configuration)
  }

  deinit { engine.post(.quit) }

  func add(_ request: Request) { post(.add([request])) }
  func post(_ command: Command) { engine.post(command) }

  /// The only download.
  var item: Snapshot.Item? { engine.snapshot.downloads.first }

  /// Whether it is complete, has failed or is paused.
  var hasEnded: Bool {
    notices += engine.takeNotices()
    switch item?.state {
    case .completed, .failed, .paused: return true
    case .queued, .active, .retrying, .verifying, nil: return false
    }
  }

  var isConnected: Bool { item?.transfers.isEmpty == false }

  func quit() async throws {
    engine.post(.quit)
    try await eventually("the engine stops") { engine.hasStopped }
    notices += engine.takeNotices()
  }
}
