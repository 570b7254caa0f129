import Synchronization
import TestSupport

/// An origin with one file that draws anew for every request how to behave, until it is told to be good. It never lies in ways that HTTP
/// cannot exclude: a body is what its label says or its label is visibly wrong, the versions differ everywhere, an answer of other
/// content carries another strong validator or none, and what ends without a length ends well only when it is whole.
final class RandomOrigin: Sendable {
  static let pool = Blob.random(count: 16 << 20, seed: 4711)

  private struct State {
    var random: SeededRandom
    var habits: Habits
    var versions: [[UInt8]]
    var isGood = false
    /// What was asked and answered, in words.
    var story: [String] = []
  }

  /// What an origin is like in all its answers.
  struct Habits {
    /// How often something goes wrong.
    var malice = 0.5
    var change = 0.05
    var proof = Proof.tag
    var honoursIfRange = true
    var acceptRanges: String? = "bytes"
    var rate: Int?

    init(_ random: inout SeededRandom) {
      malice = random.pick(0.1, 0.3, 0.5, 0.8)
      change = random.pick(0, 0.02, 0.1)
      proof = random.pick(.tag, .tag, .date, .weakTag, .sameWeakTag, .weakDate, .nothing, .nodes)
      honoursIfRange = random.chance(0.8)
      acceptRanges = random.pick("bytes", "none", nil)
      rate = random.pick(nil, 3_000_000, 20_000_000)
    }
  }

  /// What ties the answers together.
  enum Proof { case tag, date, weakTag, sameWeakTag, weakDate, nothing, nodes }

  let origin: ScriptedOrigin
  private let state: Mutex<State>
  /// Whether whoever asks knows already what kind of file it is, so that a web page or nothing in its place cannot fool it.
  let isKnown: @Sendable () -> Bool

  init(seed: UInt64, isKnown: @escaping @Sendable () -> Bool) throws {
    var random = SeededRandom(seed)
    let habits = Habits(&random)
    let count = random.pick(50_000, 200_000, 1_000_000, 3_000_000) + random.number(0...70_000)
    let first = Self.version(count, &random)
    state = Mutex(State(random: random, habits: habits, versions: [first]))
    self.isKnown = isKnown
    origin = try ScriptedOrigin()
    origin.serve { [weak self] request, connection in self?.answer(request, connection) }
  }

  /// Everything that the file has been so far.
  var versions: [[UInt8]] { state.withLock { $0.versions } }

  /// What was asked and answered, a line each.
  var story: String { state.withLock { $0.story.joined(separator: "\n") } }

  /// From now on all is well, and the file stays what it is.
  func behave() { state.withLock { $0.isGood = true } }

  private static func version(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    let start = random.number(0...pool.count - count)
    return Array(pool[start..<start + count])
  }

  // MARK: One answer

  enum Answer {
    case file(ServedFile)
    case surplus(ServedFile)
    case status(Int, [String])
    case reset
    case silence

    var words: String {
      switch self {
      case .file(let file): file.words
      case .surplus(let file): "\(file.words) and junk"
      case .status(let status, _): "\(status)"
      case .reset: "reset"
      case .silence: "silence"
      }
    }
  }

  private func answer(_ request: ReceivedRequest, _ connection: Connection) {
    let answer = state.withLock { state in
      let answer = draw(&state, request)
      state.story.append("\(request["range"] ?? "-") \(request["if-range"] ?? "-"): \(answer.words)")
      return answer
    }
    switch answer {
    case .file(let file): file.answer(request, connection)
    case .surplus(let file):
      file.answer(request, connection)
      connection.send(Array(Self.pool[100..<3000]))
    case .status(let status, let headers): connection.respond(status, headers: headers, body: "an error page\n")
    case .reset: connection.reset()
    case .silence: connection.hold()
    }
  }

  private func draw(_ state: inout State, _ request: ReceivedRequest) -> Answer {
    if state.isGood { return .file(ServedFile(state.versions[state.versions.count - 1]).with { $0.etag = tag(state) }) }
    if state.random.chance(state.habits.change) { change(&state) }
    let file = honest(&state)
    guard state.random.chance(state.habits.malice) else { return .file(file) }
    return fault(in: file, &state.random, request)
  }

  private func change(_ state: inout State) {
    let old = state.versions[state.versions.count - 1].count
    let count = state.random.chance(0.6) ? old : max(1, old + state.random.number(-40_000...40_000))
    state.versions.append(Self.version(count, &state.random))
  }

  private func tag(_ state: State) -> String { "\"v\(state.versions.count)\"" }

  private func honest(_ state: inout State) -> ServedFile {
    let number = state.versions.count
    var file = ServedFile(state.versions[number - 1])
    file.lastModified = "Mon, 01 Jan 2024 00:\(number / 60 + 10):\(number % 60 + 10) GMT"
    switch state.habits.proof {
    case .tag: file.etag = tag(state)
    case .date: file.etag = nil
    case .weakTag: file.etag = "W/" + tag(state)
    case .sameWeakTag: (file.etag, file.lastModified) = ("W/\"same\"", nil)
    case .weakDate: (file.etag, file.date) = (nil, file.lastModified)
    case .nothing: (file.etag, file.lastModified) = (nil, nil)
    case .nodes: file.etag = "\"v\(number)-node\(state.random.number(1...2))\""
    }
    file.honoursIfRange = state.habits.honoursIfRange
    file.acceptRanges = state.habits.acceptRanges
    file.bytesPerSecond = state.habits.rate
    file.delay = .milliseconds(state.random.pick(0, 0, 3))
    return file
  }
}

extension ServedFile {
  fileprivate var words: String {
    let label = contentRange.map { " labelled \($0)" } ?? ""
    let proof = "\(etag ?? "-") \(lastModified == nil ? "-" : "dated") \(honoursIfRange ? "" : "ignores If-Range")"
    return "\(body.count) bytes, \(proof), \(ranges), \(framing) \(contentLength ?? ""), \(ending)\(label)"
  }
}
