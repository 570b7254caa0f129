import CDeflate
import DownloadCore
import Glibc

/// CRC-32 (as of zlib and gzip) of what is done of a part file, in pieces that never cross a block's border. A piece that grows at its end is not read
/// again: its sum goes on from where it was.
struct BlockSums {
  private static let chunk = 512 << 10

  /// A piece by its first byte: where it ends, and its sum up to there.
  private var pieces: [Int64: (end: Int64, sum: UInt32)] = [:]

  init() {}

  init(_ sums: [[Int64]]) {
    for sum in sums where sum.count == 3 {
      pieces[sum[0]] = (sum[1], UInt32(exactly: sum[2]) ?? 0)
    }
  }

  /// Brings the sums up to `done` by reading what they lack, and returns them as `[first, end, sum]`; nil when nobody needs them any more.
  mutating func update(
    _ part: PartFile, done: ByteRangeSet, total: Int64?, isNeeded: () -> Bool
  ) throws(DownloadError) -> [[Int64]]? {
    let blockSize = Sidecar.blockSize(total: total ?? done.ranges.last?.upperBound ?? 0)
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.chunk, alignment: 4096)
    defer { buffer.deallocate() }
    var fresh: [Int64: (end: Int64, sum: UInt32)] = [:]
    var list: [[Int64]] = []
    for piece in Self.pieces(of: done, blockSize: blockSize) {
      var known = pieces[piece.lowerBound] ?? (piece.lowerBound, 0)
      if known.end > piece.upperBound { known = (piece.lowerBound, 0) }
      guard isNeeded() else { return nil }
      let sum = try Self.sum(part, known.end..<piece.upperBound, after: known.sum, buffer)
      fresh[piece.lowerBound] = (piece.upperBound, sum)
      list.append([piece.lowerBound, piece.upperBound, Int64(sum)])
    }
    pieces = fresh
    return list
  }

  /// The bytes of `sums` that are still on the disk as they were summed.
  static func verified(
    _ part: PartFile, _ sums: [[Int64]], isCancelled: () -> Bool
  ) throws(DownloadError) -> ByteRangeSet {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
    defer { buffer.deallocate() }
    var good = ByteRangeSet()
    for sum in sums where sum.count == 3 && sum[0] < sum[1] {
      if isCancelled() { throw .other("stopped while checking what is on the disk") }
      let found = try self.sum(part, sum[0]..<sum[1], after: 0, buffer)
      if Int64(found) == sum[2] { good.insert(sum[0]..<sum[1]) }
    }
    return good
  }

  private static func pieces(of done: ByteRangeSet, blockSize: Int64) -> [ByteRange] {
    done.ranges.flatMap { range in
      sequence(first: range.lowerBound) { start in
        let left = blockSize - start % blockSize
        return left < range.upperBound - start ? start + left : nil
      }
      .map { start in start..<start + min(blockSize - start % blockSize, range.upperBound - start) }
    }
  }

  /// A file that ends too early gives the sum of what there is, which will not match.
  private static func sum(
    _ part: PartFile, _ range: ByteRange, after start: UInt32, _ buffer: UnsafeMutableRawPointer
  ) throws(DownloadError) -> UInt32 {
    var (sum, offset) = (start, range.lowerBound)
    while offset < range.upperBound {
      let count = try part.readBack(into: buffer, Int(min(Int64(chunk), range.upperBound - offset)), at: offset)
      if count == 0 { break }
      sum = libdeflate_crc32(sum, buffer, count)
      offset += Int64(count)
    }
    return sum
  }
}
