import Testing

@testable import DownloadCore

struct PaceTests {
  /// Whether it is fast after each mebibyte, when one comes every so many milliseconds.
  private func verdicts(_ pace: inout Pace, _ times: [Int]) -> [Bool] {
    times.map { time in
      pace.note(1 << 20, now: .milliseconds(time))
      return pace.isFast
    }
  }

  @Test func whatComesAt128MebibytesASecondIsFast() {
    var pace = Pace()
    let start = 1000
    #expect(verdicts(&pace, Array(repeating: start, count: 8)) == Array(repeating: false, count: 8))
    #expect(verdicts(&pace, (1...8).map { start + $0 * 7 }) == Array(repeating: false, count: 7) + [true])
    #expect(verdicts(&pace, (1...8).map { start + 56 + $0 * 8 }) == Array(repeating: true, count: 7) + [false])
  }

  @Test func aRestEndsIt() {
    var pace = Pace()
    _ = verdicts(&pace, Array(1...16))
    #expect(pace.isFast)
    #expect(verdicts(&pace, (0..<8).map { 5000 + $0 }).last == false)
    #expect(verdicts(&pace, (8..<16).map { 5000 + $0 }).last == true)
  }

  /// What has to be read once it is complete should stay in the page cache.
  @Test(arguments: [nil, Checksum(.md5, hex: String(repeating: "0", count: 32))])
  func whetherAFileIsReadAgainIsToldWithItsFirstByte(_ checksum: Checksum?) {
    var world = World(seed: 1, servers: ["http://host/a": .init(total: 1 << 20)])
    var request = Request(url: "http://host/a", folder: "/d")
    request.checksum = checksum
    var isReadAgain: [Bool] = []
    world.command(.add([request]))
    while !world.answers.isEmpty {
      let effects = world.session.handle(world.answers.removeFirst(), now: world.now)
      for case .accept(_, let wanted) in effects { isReadAgain.append(wanted.isReadAgain) }
      world.perform(effects)
    }
    #expect(isReadAgain == [checksum != nil])
  }
}
