import DownloadCore
import TerminalUI

/// Snapshots, keys and sizes that nobody would expect.
extension SeededGenerator {
  mutating func snapshot() -> Snapshot {
    let count = pick([0, 1, 2, 5, 30, 200], or: 0)
    let downloads = (0..<count).map { _ in item() }
    return Snapshot(
      moment: .seconds(pick([0, 1, 1_000_000_000], or: 0)), wallClock: number(), downloads: downloads, speed: number(),
      rateLimit: flip(2) ? nil : number(), freeSpace: flip(2) ? nil : number())
  }

  /// A number that something somewhere could overflow with.
  private mutating func number() -> Int64 {
    pick(
      [0, 1, -1, 999, 1023, 1 << 20, 1 << 40, .max, .max - 1, .min, Int64.random(in: 0...1 << 50, using: &self)], or: 0)
  }

  private mutating func text() -> String {
    pick(
      [
        "", "a", "name.iso", String(repeating: "long ", count: 200), "日本", "\u{1B}[0m", "👨‍👩‍👧", "\u{301}", "\r\n",
        "e\u{301}" + String(repeating: "\u{302}", count: 50),
      ],
      or: "")
  }

  private mutating func item() -> Snapshot.Item {
    var item = Snapshot.Item(
      id: DownloadID(Int.random(in: -2...300, using: &self)), state: state(), name: text(), folder: text(), url: text())
    item.finalURL = flip(2) ? nil : text()
    item.total = flip(4) ? nil : number()
    item.completed = number()
    item.speed = flip(3) ? nil : number()
    item.stalledFor = flip(5) ? Int.max : nil
    item.waitsForConnection = flip(5)
    item.resumability = pick([.unknown, .resumable, .comparing, .startsOver(.coded)], or: .unknown)
    item.validator = flip(2) ? nil : text()
    item.transfers = (0..<pick([0, 1, 32], or: 0)).map { _ in
      .init(claim: range(), speed: number(), peer: flip(2) ? nil : text())
    }
    item.server = flip(2) ? nil : text()
    (item.connections, item.rateLimit) = (flip(2) ? nil : pick([0, 1, .max], or: 0), flip(2) ? nil : number())
    item.history = (0..<pick([0, 1, 60, 200], or: 0)).map { _ in number() }
    item.missing = (0..<pick([0, 1, 40], or: 0)).map { _ in range() }
    item.log = (0..<pick([0, 3, 10], or: 0)).map { _ in
      .init(at: .seconds(Int64.random(in: -5...1 << 40, using: &self)), text: text())
    }
    return item
  }

  private mutating func range() -> ByteRange {
    let (a, b) = (number(), number())
    return min(a, b)..<max(a, b)
  }

  private mutating func state() -> DownloadState {
    let error = pick(
      [DownloadError.timedOut, .other(text()), .diskFull(path: text()), .checksumMismatch(expected: "a", got: "b")],
      or: .timedOut)
    let retry = DownloadState.Retry(
      at: .seconds(pick([0, -1, 5, 1 << 40], or: 0)), attempt: pick([0, -3, .max], or: 0), of: flip(2) ? nil : 8,
      error: error)
    return pick(
      [
        .queued, .active, .retrying(retry), .verifying, .paused(because: nil), .paused(because: .diskFull(path: "/d")),
        .completed(.size), .completed(.checksum(.md5)),
        .failed(error),
      ],
      or: .queued)
  }

  mutating func key() -> Key {
    let letter = pick(Array("aprsPRdijkgG?hqkn e日v*/<>I12345HJK:lLxuzDcCoO[]t"), or: "a")
    return pick(
      [
        .character(letter), .character(letter), .control(pick(Array("abcefhklnuwz"), or: "a")), .enter, .escape, .tab,
        .backTab,
        .backspace, .delete, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .function(1), .function(9),
        .paste(text()), .mouse(mouse()), .mouse(mouse()),
      ],
      or: .enter)
  }

  private mutating func mouse() -> Mouse {
    Mouse(
      pick([.click, .doubleClick, .wheelUp, .wheelDown], or: .click), row: pick([0, 1, 2, 22, 23, -1, .max], or: 3),
      column: pick([0, 5, 30, 79, 150, -1, .max], or: 7))
  }

  mutating func size() -> Size {
    if flip(3) { return Size(columns: Int.random(in: 0...30, using: &self), rows: Int.random(in: 0...8, using: &self)) }
    return Size(columns: Int.random(in: 0...220, using: &self), rows: Int.random(in: 0...70, using: &self))
  }
}
