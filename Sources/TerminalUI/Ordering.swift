import DownloadCore

/// The places of a snapshot's downloads, sorted. What has no figure comes last either way, and equals keep the queue's order.
struct Ordering {
  /// Empty for the queue's own order.
  let places: [Int]

  init(_ snapshot: Snapshot, _ arrangement: Arrangement) {
    let items = snapshot.downloads
    let isDown = arrangement.isDescending
    places =
      switch arrangement.sort {
      case .queue: isDown ? items.indices.reversed() : []
      case .name: Self.sorted(items, isDown) { Self.nameKey($0.name) }
      case .progress: Self.sorted(items, isDown) { Progress($0).fraction }
      case .size: Self.sorted(items, isDown) { $0.total }
      case .speed: Self.sorted(items, isDown) { $0.speed }
      case .eta: Self.sorted(items, isDown) { $0.safeETA }
      case .state: Self.sorted(items, isDown) { Self.rank($0.state) }
      }
  }

  private static func sorted<Key: Comparable>(
    _ items: [Snapshot.Item], _ isDescending: Bool, by key: (borrowing Snapshot.Item) -> Key?
  ) -> [Int] {
    var known: [(key: Key, place: Int)] = []
    var unknown: [Int] = []
    for place in items.indices {
      if let key = key(items[place]) { known.append((key, place)) } else { unknown.append(place) }
    }
    known.sort { a, b in
      if a.key == b.key { return a.place < b.place }
      return (a.key < b.key) != isDescending
    }
    return known.map(\.place) + unknown
  }

  /// Compared byte by byte it sorts as people do: without case, and numbers by their value, for each is led by its length.
  private static func nameKey(_ name: String) -> String {
    var name = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.lowercased()
    return name.withUTF8 { bytes in
      String(unsafeUninitializedCapacity: 2 * bytes.count) { write(bytes, into: $0) }
    }
  }

  /// A number grows by a byte at most, so twice the room is enough.
  private static func write(_ bytes: UnsafeBufferPointer<UInt8>, into key: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    func append(_ byte: UInt8) {
      guard count < key.count else { return }
      key[count] = byte
      count += 1
    }
    var rest = bytes[...]
    while let first = rest.first {
      if isDigit(first) {
        let digits = rest.prefix(while: isDigit)
        let number = digits.drop { $0 == 0x30 }
        append(0x30 + UInt8(min(number.count, 0x40)))
        for digit in number { append(digit) }
        rest = rest.dropFirst(digits.count)
      } else {
        append((0x41...0x5A).contains(first) ? first | 0x20 : first)
        rest = rest.dropFirst()
      }
    }
    return count
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// What moves comes first, then what waits, then what has ended.
  private static func rank(_ state: DownloadState) -> Int {
    switch state {
    case .active: 0
    case .verifying: 1
    case .retrying: 2
    case .queued: 3
    case .paused: 4
    case .failed: 5
    case .completed: 6
    }
  }
}
