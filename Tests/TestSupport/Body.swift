/// What an origin serves: a blob in memory, or bytes computed from their offset so that it may be larger than any memory.
package struct Body: Sendable {
  package let count: Int64
  private let read: @Sendable (Range<Int64>) -> [UInt8]

  package init(_ bytes: [UInt8]) {
    count = Int64(bytes.count)
    read = { Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)]) }
  }

  package init(_ text: String) { self.init(Array(text.utf8)) }

  /// A function of the offset. Blocks of 1 MiB are alike but for the block's number at the start of every 4 KiB page, so
  /// that no page can be taken for another one.
  package static func virtual(count: Int64, seed: UInt64) -> Body {
    let block = Blob.random(count: Int(blockSize), seed: seed)
    return Body(count: count) { range in
      [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
        fill(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<range.count]), range, block)
        filled = range.count
      }
    }
  }

  private init(count: Int64, read: @escaping @Sendable (Range<Int64>) -> [UInt8]) {
    self.count = count
    self.read = read
  }

  /// The bytes of `range`, which must lie inside the body.
  package func bytes(_ range: Range<Int64>) -> [UInt8] { range.isEmpty ? [] : read(range) }

  private static let blockSize: Int64 = 1 << 20
  private static let pageSize: Int64 = 1 << 12

  private static func fill(_ target: UnsafeMutableRawBufferPointer, _ range: Range<Int64>, _ block: [UInt8]) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(range.upperBound, (offset / pageSize + 1) * pageSize)
      let page = target[Int(offset - range.lowerBound)..<Int(end - range.lowerBound)]
      let inBlock = Int(offset % blockSize)
      UnsafeMutableRawBufferPointer(rebasing: page).copyBytes(from: block[inBlock..<inBlock + page.count])
      stamp(target, range, page: offset / pageSize * pageSize)
      offset = end
    }
  }

  /// Writes the page's block number, in eight bytes, over those of the page's first bytes that lie inside the range.
  private static func stamp(_ target: UnsafeMutableRawBufferPointer, _ range: Range<Int64>, page: Int64) {
    let number = UInt64(page / blockSize) &* 0x9E37_79B9_7F4A_7C15
    for index in 0..<8 where range.contains(page + Int64(index)) {
      target[Int(page + Int64(index) - range.lowerBound)] ^= UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
    }
  }
}
