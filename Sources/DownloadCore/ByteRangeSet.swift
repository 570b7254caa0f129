/// A stretch of a file in bytes: the first one, and the one after the last.
package typealias ByteRange = Range<Int64>

/// Disjoint, ascending, non-touching stretches of a file. The missing bytes of a download are one of these, and total, bar,
/// segment map, sidecar and completion all read it.
package struct ByteRangeSet: Hashable, Sendable {
  package private(set) var ranges: [ByteRange]

  package init() { ranges = [] }
  package init(_ range: ByteRange) { ranges = range.isEmpty ? [] : [range] }
  package init(_ ranges: some Sequence<ByteRange>) {
    self.init()
    for range in ranges { insert(range) }
  }

  package var isEmpty: Bool { ranges.isEmpty }
  package var first: ByteRange? { ranges.first }

  /// How many bytes are in the set. Never overflows: ranges are disjoint and below 2^63.
  package var count: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  package func contains(_ range: ByteRange) -> Bool {
    if range.isEmpty { return true }
    let place = index(after: { $0.upperBound < range.upperBound })
    return place < ranges.count && ranges[place].lowerBound <= range.lowerBound
  }

  package mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    let start = index(after: { $0.upperBound < range.lowerBound })
    var end = start
    var merged = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      merged = min(merged.lowerBound, ranges[end].lowerBound)..<max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
  }

  package mutating func remove(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    let start = index(after: { $0.upperBound <= range.lowerBound })
    guard start < ranges.count, ranges[start].lowerBound < range.upperBound else { return }
    var end = start
    var rest: [ByteRange] = []
    while end < ranges.count, ranges[end].lowerBound < range.upperBound {
      let old = ranges[end]
      if old.lowerBound < range.lowerBound { rest.append(old.lowerBound..<range.lowerBound) }
      if range.upperBound < old.upperBound { rest.append(range.upperBound..<old.upperBound) }
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: rest)
  }

  package func subtracting(_ other: some Sequence<ByteRange>) -> ByteRangeSet {
    var result = self
    for range in other { result.remove(range) }
    return result
  }

  /// Everything in `whole` that is not in the set.
  package func complement(in whole: ByteRange) -> ByteRangeSet { ByteRangeSet(whole).subtracting(ranges) }

  /// The first index whose range does not satisfy `isBefore` (the ranges are sorted, so it is a binary search).
  private func index(after isBefore: (ByteRange) -> Bool) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(ranges[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
