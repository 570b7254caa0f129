/// What an `.aria2` file says of the file beside it (aria2's technical notes, "control file (*.aria2) format"): which bytes it has.
/// It knows neither address nor version of the file.
package struct Aria2Control: Hashable, Sendable {
  package let total: Int64
  package let done: ByteRangeSet

  /// A sub-block of a piece that is under way.
  private static let blockSize: Int64 = 16 << 10

  /// Why it cannot be used, in words.
  package struct Fault: Error, Hashable, Sendable {
    package let why: String
  }

  package init(_ bytes: [UInt8]) throws(Fault) {
    var reader = Reader(bytes)
    guard try reader.number(2) == 1 else { throw Fault(why: "its version is not 1") }
    _ = try reader.number(4)  // extension: whether the info hash has to be checked, a matter of BitTorrent
    _ = try reader.take(Int(clamping: try reader.number(4)))
    let (pieceLength, total) = (try reader.number(4), try reader.number(8))
    _ = try reader.number(8)  // what BitTorrent has uploaded
    guard pieceLength > 0 else { throw Fault(why: "its pieces have no length") }
    let count = total / pieceLength + (total % pieceLength == 0 ? 0 : 1)
    let bits = try reader.bits()
    guard Int64(bits.count) == count / 8 + (count % 8 == 0 ? 0 : 1) else {
      throw Fault(why: "its bit field has another length than its pieces")
    }
    var done = Self.ranges(bits, size: pieceLength, in: 0..<total)
    for _ in 0..<(try reader.number(4)) {
      let (index, length) = (try reader.number(4), try reader.number(4))
      let bits = try reader.bits()
      guard index < count, length > 0, length <= pieceLength else {
        throw Fault(why: "it names a piece that there is not")
      }
      let start = index * pieceLength
      for range in Self.ranges(bits, size: Self.blockSize, in: start..<start + min(length, total - start)).ranges {
        done.insert(range)
      }
    }
    (self.total, self.done) = (total, done)
  }

  /// The stretches of `whole` whose bits are set, the first in the highest one.
  private static func ranges(_ bits: [UInt8], size: Int64, in whole: ByteRange) -> ByteRangeSet {
    var stretches: [ByteRange] = []
    for (place, byte) in bits.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (0x80 >> bit) != 0 {
        let (offset, overflow) = (Int64(place) * 8 + Int64(bit)).multipliedReportingOverflow(by: size)
        guard !overflow, offset < whole.upperBound - whole.lowerBound else { continue }
        let start = whole.lowerBound + offset
        let end = start + min(size, whole.upperBound - start)
        if let last = stretches.last, last.upperBound == start {
          stretches[stretches.count - 1] = last.lowerBound..<end
        } else {
          stretches.append(start..<end)
        }
      }
    }
    return ByteRangeSet(stretches)
  }

  /// Numbers are unsigned and big-endian.
  private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func take(_ count: Int) throws(Fault) -> [UInt8] {
      guard count <= rest.count else { throw Fault(why: "it ends too early") }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }

    /// Of so many bytes; one that 63 bits cannot hold is none.
    mutating func number(_ count: Int) throws(Fault) -> Int64 {
      let value = try take(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let number = Int64(exactly: value) else { throw Fault(why: "it holds an impossible number") }
      return number
    }

    mutating func bits() throws(Fault) -> [UInt8] { try take(Int(clamping: try number(4))) }
  }
}
