import DownloadCore
import DownloadEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// One download from an origin that draws how it behaves, by someone who pauses, resumes, stops and crashes the engine at moments that
/// are drawn as well. At the end the origin is good, and the file has to arrive.
struct FuzzRound {
  static let name = "f.bin"

  private let seed: UInt64
  private var random: SeededRandom
  private let place: Place
  private let origin: RandomOrigin
  private var engine: Engine
  private let settings: Settings
  private let keepsList: Bool

  /// Where the files are at the moment; a crash moves on to another folder.
  private final class Place: Sendable {
    private let folders = Mutex<[TemporaryFolder]>([])
    init() throws { try move() }
    var folder: TemporaryFolder { get throws { try #require(folders.withLock { $0.last }) } }
    func move() throws {
      let next = try TemporaryFolder()
      folders.withLock { $0.append(next) }
    }
    var all: [TemporaryFolder] { folders.withLock { $0 } }
    /// A part and its sidecar tell whoever comes what kind of file it is.
    var isKnown: Bool {
      guard let folder = folders.withLock({ $0.last }) else { return false }
      return folder.exists(FuzzRound.name + ".part.json") && folder.exists(FuzzRound.name + ".part")
    }
  }

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededRandom(seed)
    place = try Place()
    origin = try RandomOrigin(seed: seed) { [place] in place.isKnown }
    settings = Self.settings(&random)
    keepsList = random.chance(0.5)
    engine = try Self.engine(settings, keepsList ? place.folder["state"] : nil)
  }

  private static func settings(_ random: inout SeededRandom) -> Settings {
    var settings = Settings()
    settings.minSplit = 64 << 10
    settings.connections = random.number(1...6)
    settings.retry.firstWait = .milliseconds(2)
    settings.retry.longestWait = .milliseconds(20)
    settings.stallTimeout = .seconds(1)
    settings.preallocate = random.chance(0.5)
    settings.ifChanged = random.pick(.restart, .restart, .ask, .fail)
    return settings
  }

  private static func engine(_ settings: Settings, _ stateFolder: String?) throws -> Engine {
    var configuration = Engine.Configuration()
    configuration.settings = settings
    configuration.stateFolder = stateFolder
    return try Engine(configuration)
  }

  private var comment: Comment {
    let downloads = engine.snapshot.downloads.map { "\($0.name) \($0.state): \($0.log.map(\.text))" }
    return "seed \(seed): \(downloads.joined(separator: "\n"))\n\(place.all.map(\.names))\n\(origin.story)"
  }

  mutating func run() async throws {
    try add()
    for _ in 0..<random.number(1...6) {
      try await Task.sleep(for: .milliseconds(random.pick(0, 1, random.number(2...40))))
      try await disturb()
      check()
      if try isThere { break }
    }
    origin.behave()
    try await arrive()
    try await leave()
    check()
  }

  private var isThere: Bool { get throws { try place.folder.exists(Self.name) } }

  private func add() throws {
    if try isThere { return }
    var request = Request(url: origin.origin.url("/\(Self.name)"), folder: try place.folder.path)
    request.name = Self.name
    engine.post(.add([request]))
  }

  // MARK: Disturbing

  private mutating func disturb() async throws {
    switch random.number(0...9) {
    case 0, 1: engine.post(.pause(.all))
    case 2, 3: engine.post(.resume(.all))
    case 4: engine.post(.restart(.all, keepOld: random.chance(0.5)))
    case 5, 6: try await crash()
    case 7, 8: try await restart()
    default:
      engine.post(.pause(.all))
      engine.post(.resume(.all))
    }
  }

  /// Stops in good order and starts anew.
  private mutating func restart() async throws {
    try await leave()
    check()
    engine = try Self.engine(settings, keepsList ? place.folder["state"] : nil)
    try add()
  }

  /// What is on the disk at a moment that nobody chose is all that the next engine finds.
  private mutating func crash() async throws {
    let old = try place.folder
    let abandoned = engine
    try place.move()
    let new = try place.folder
    copy(old, to: new)
    engine = try Self.engine(settings, keepsList ? new["state"] : nil)
    try add()
    abandoned.post(.quit)
    try await eventually("seed \(seed): the abandoned engine stops") { abandoned.hasStopped }
  }

  /// Sidecars first: bytes that come later than the words about them are no lie.
  private func copy(_ old: TemporaryFolder, to new: TemporaryFolder) {
    let names = old.names.filter { $0 != "state" }
    for name in names.filter({ $0.contains(".json") }) + names.filter({ !$0.contains(".json") }) {
      try? FileManager.default.copyItem(atPath: old[name], toPath: new[name])
    }
    if let list = old.text(of: "state/session.json") {
      try? new.write(list.replacing(old.path, with: new.path).utf8, to: "state/session.json")
    }
  }

  // MARK: Ending

  /// The origin is good now: everything that is not complete goes on, and must arrive.
  private func arrive() async throws {
    engine.post(.pause(.all))
    try await seen(mark: 1 << 40)
    engine.post(settings.ifChanged == .restart ? .resume(.all) : .restart(.all, keepOld: false))
    try await seen(mark: 1 << 41)
    try await waiting("it ends") { engine.snapshot.downloads.allSatisfy(\.isAtRest) }
    let isDone = engine.snapshot.downloads.allSatisfy(\.isComplete)
    #expect(try isDone && isThere, comment)
  }

  /// Waits until a snapshot shows what was posted before: a rate limit so high that it is none tells.
  private func seen(mark: Int64) async throws {
    engine.post(.limitRate(mark))
    try await waiting("a snapshot") { engine.snapshot.rateLimit == mark }
  }

  private func waiting(_ what: String, _ condition: () -> Bool) async throws {
    do { try await eventually("seed \(seed): \(what)", condition) } catch {
      Issue.record(error, comment)
      throw error
    }
  }

  private func leave() async throws {
    engine.post(.quit)
    try await waiting("the engine stops") { engine.hasStopped }
  }

  /// What has a final name is, byte for byte, something that the origin had.
  private func check() {
    let versions = origin.versions
    for folder in place.all {
      for name in folder.names where name != "state" && !name.contains(".part") {
        guard let bytes = folder.bytes(of: name) else { continue }
        let isRight = versions.contains(bytes)
        #expect(isRight, "\(name) is none of \(versions.count) versions: \(difference(bytes, versions)); \(comment)")
      }
    }
  }

  /// Where the bytes are not those of the last version of that length.
  private func difference(_ bytes: [UInt8], _ versions: [[UInt8]]) -> String {
    guard let version = versions.last(where: { $0.count == bytes.count }) else { return "\(bytes.count) bytes" }
    let wrong = ByteRangeSet(bytes.indices.filter { bytes[$0] != version[$0] }.map { Int64($0)..<Int64($0) + 8 })
    let zeros = wrong.ranges.map { range in bytes[Int(range.lowerBound)..<Int(range.upperBound) - 8].count { $0 == 0 } }
    return "wrong at \(wrong.ranges), of these zero: \(zeros)"
  }
}

extension Snapshot.Item {
  fileprivate var isComplete: Bool { if case .completed = state { true } else { false } }

  fileprivate var isAtRest: Bool {
    switch state {
    case .completed, .failed, .paused: true
    case .queued, .active, .retrying, .verifying: false
    }
  }
}
