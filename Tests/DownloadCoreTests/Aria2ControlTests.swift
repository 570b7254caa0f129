import DownloadCore
import TestSupport
import Testing

/// aria2's control files, byte by byte.
@Suite struct Aria2ControlTests {
  private func number(_ value: UInt64, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(bytes - 1 - $0))) }
  }

  private func control(
    version: UInt64 = 1, infoHash: [UInt8] = [], piece: UInt64 = 1 << 20, total: UInt64 = 10 << 20, bits: [UInt8],
    pieces: [(index: UInt64, length: UInt64, bits: [UInt8])] = []
  ) -> [UInt8] {
    let head = number(version, 2) + number(0, 4) + number(UInt64(infoHash.count), 4) + infoHash
    let sizes = number(piece, 4) + number(total, 8) + number(0, 8) + number(UInt64(bits.count), 4) + bits
    let rest = pieces.flatMap {
      number($0.index, 4) + number($0.length, 4) + number(UInt64($0.bits.count), 4) + $0.bits
    }
    return head + sizes + number(UInt64(pieces.count), 4) + rest
  }

  @Test func piecesAndTheirBlocksAreRead() throws {
    let bytes = control(
      infoHash: [1, 2, 3], total: (9 << 20) + 5, bits: [0b1100_0001, 0b0100_0000],
      pieces: [(3, 1 << 20, [0b1010_0000, 0, 0, 0, 0, 0, 0, 1])])
    let control = try Aria2Control(bytes)
    #expect(control.total == (9 << 20) + 5)
    let (piece, block): (Int64, Int64) = (1 << 20, 16 << 10)
    let third = 3 * piece
    let wanted: [Range<Int64>] = [
      0..<2 * piece, third..<third + block, third + 2 * block..<third + 3 * block, 4 * piece - block..<4 * piece,
      7 * piece..<8 * piece, 9 * piece..<9 * piece + 5,
    ]
    #expect(control.done.ranges == wanted)
  }

  @Test func nothingAndEverythingAreRead() throws {
    #expect(try Aria2Control(control(bits: [0, 0])).done.isEmpty)
    #expect(try Aria2Control(control(bits: [0xFF, 0xC0])).done.ranges == [0..<10 << 20])
    #expect(
      try Aria2Control(control(bits: [0xFF, 0xFF])).done.ranges == [0..<10 << 20], "what lies behind the end is nothing"
    )
    #expect(try Aria2Control(control(total: 0, bits: [])).done.isEmpty)
  }

  @Test func whatMakesNoSenseIsRefused() {
    let bad: [(bytes: [UInt8], why: String)] = [
      ([], "ends too early"), (control(version: 0, bits: [0, 0]), "version"),
      (control(piece: 0, bits: [0, 0]), "no length"),
      (control(bits: [0]), "another length"), (control(bits: [0, 0, 0]), "another length"),
      (control(total: .max, bits: [0, 0]), "impossible number"),
      (control(total: UInt64(Int64.max), bits: [0, 0]), "another length"),
      (control(piece: 1, total: UInt64(Int64.max), bits: [0, 0]), "another length"),
      (control(bits: [0, 0], pieces: [(10, 1 << 20, [])]), "piece that there is not"),
      (control(bits: [0, 0], pieces: [(9, 2 << 20, [])]), "piece that there is not"),
    ]
    for (bytes, why) in bad {
      let fault = #expect(throws: Aria2Control.Fault.self) { try Aria2Control(bytes) }
      #expect(fault?.why.contains(why) == true, "\(why)")
    }
  }

  @Test func oneThatIsCutOffAnywhereIsRefused() {
    let whole = control(infoHash: [1, 2], bits: [0xFF, 0], pieces: [(9, 1 << 20, [1, 2])])
    for length in 0..<whole.count {
      #expect(throws: Aria2Control.Fault.self) { try Aria2Control(Array(whole.prefix(length))) }
    }
  }

  @Test func anyBytesAreReadWithoutATrap() {
    var random = SeededRandom(7)
    for _ in 0..<20_000 {
      var bytes = control(bits: [0xFF, 0], pieces: [(9, 1 << 20, [1, 2])])
      for _ in 0..<3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
      if let control = try? Aria2Control(bytes) {
        #expect(control.done.ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= control.total })
      }
    }
  }
}
