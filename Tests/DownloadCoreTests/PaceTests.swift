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
}
