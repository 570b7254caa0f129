import Foundation
import Testing

@testable import DownloadCore

/// What viewers see, and what becomes of it on the way to them.
struct SnapshotTests {
  private func item(_ state: DownloadState, done: Int64 = 0, of total: Int64? = nil, speed: Int64? = nil)
    -> Snapshot.Item
  {
    var item = Snapshot.Item(id: DownloadID(1), state: state, name: "a", folder: "/d", url: "http://host/a")
    (item.completed, item.total, item.speed) = (done, total, speed)
    return item
  }

  private static let retry = DownloadState.Retry(
    at: .milliseconds(1500), attempt: 2, of: nil, error: .cannotConnect(host: "h", why: "w"))
  private static let states: [DownloadState] = [
    .queued, .active, .retrying(retry), .retrying(.init(at: .zero, attempt: 1, of: 8, error: .timedOut)), .verifying,
    .paused(because: nil), .paused(because: .diskFull(path: "/d")),
    .completed(.size), .completed(.nothing), .completed(.checksum(.sha256)),
    .completed(.pieces(.sha1, count: 7)), .failed(.wrongPieces([0..<2, 5..<6], of: 7)),
    .failed(.checksumMismatch(expected: "a", got: "b")),
    .failed(.other("")), .failed(.tooManyRedirects),
  ]
  private static let resumabilities: [Resumability] = [
    .unknown, .resumable, .startsOver(.noRanges), .comparing, .startsOver(.noLength),
    .startsOver(.coded),
  ]

  private func expectRoundTrip(_ snapshot: Snapshot, _ comment: Comment? = nil) throws {
    #expect(try JSONDecoder().decode(Snapshot.self, from: JSONEncoder().encode(snapshot)) == snapshot, comment)
  }

  @Test func anEmptyOneComesBackAsItWas() throws {
    try expectRoundTrip(Snapshot())
    try expectRoundTrip(
      Snapshot(moment: .nanoseconds(Int64.max), wallClock: -1, speed: .max, rateLimit: 0, freeSpace: .max))
  }

  @Test(arguments: states) func everyStateComesBackAsItWas(_ state: DownloadState) throws {
    try expectRoundTrip(Snapshot(downloads: [item(state)]))
  }

  @Test(arguments: resumabilities) func aFullOneComesBackAsItWas(_ resumability: Resumability) throws {
    var full = item(.active, done: 5, of: .max, speed: 7)
    (full.finalURL, full.stalledFor, full.connectionLimit) = ("http://m/a", 3, 8)
    full.waitsForConnection = true
    (full.resumability, full.validator) = (resumability, "strong ETag \"é\u{1b}\u{202e}\"")
    full.transfers = [.init(claim: 0..<Int64.max, speed: 0), .init(claim: 5..<5, speed: .max)]
    full.missing = [0..<1, (Int64.max - 1)..<Int64.max]
    full.log = [.init(at: .milliseconds(1), text: "a\nb"), .init(at: .seconds(-1), text: "")]
    try expectRoundTrip(Snapshot(downloads: [full, item(.queued)]))
  }

  @Test(arguments: UInt64(0)..<5) func whatARunningSessionShowsComesBackToo(seed: UInt64) throws {
    var world = World(
      seed: seed, servers: ["http://host/a": .init(total: 9_000_000)], faults: .init(reset: 0.05, refusal: 0.1))
    world.command(.add([Request(url: "http://host/a", folder: "/d"), Request(url: "http://host/gone", folder: "/d")]))
    for _ in 0..<60 {
      world.step()
      try expectRoundTrip(world.session.snapshot(now: world.now, wallClock: 1, freeSpace: 2), "seed \(seed)")
    }
  }

  // MARK: Time to go

  @Test(
    arguments: [
      (.active, 0, 100, 10, 10), (.active, 0, 101, 10, 11), (.active, 99, 100, 10, 1), (.active, 100, 100, 10, 0),
      (.active, 0, 0, 1, 0), (.active, 0, nil, 10, nil), (.active, 0, 100, nil, nil), (.active, 0, 100, 0, nil),
      (.active, 0, 100, -1, nil), (.queued, 0, 100, 10, nil), (.verifying, 0, 100, 10, nil), (.active, 200, 100, 10, 0),
      (.active, 0, .max, 10, nil), (.active, 0, .max, .max, 1), (.active, 1, .max, .max, 1), (.active, 0, 1, .max, 1),
      (.active, 0, 359_999_999, 1, 359_999_999), (.active, 0, 360_000_000, 1, nil),
    ] as [(DownloadState, Int64, Int64?, Int64?, Int?)])
  func theTimeToGoIsToldWhenThereIsOne(
    _ state: DownloadState, _ done: Int64, _ total: Int64?, _ speed: Int64?, _ seconds: Int?
  ) {
    #expect(item(state, done: done, of: total, speed: speed).eta == seconds)
  }

  @Test func theRestIsThatOfWhatGoesOnByItself() {
    let items = Self.states.map { item($0, done: 10, of: 110) }
    #expect(Snapshot(downloads: items).remaining == 400)
    #expect(Snapshot(downloads: [item(.active, done: 10), item(.active, done: 20, of: 10)]).remaining == 0)
    #expect(
      Snapshot(downloads: [item(.active, of: .max), item(.queued, of: .max)]).remaining == .max, "no server can trap it"
    )
  }
}
