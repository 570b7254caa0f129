import Glibc

/// Where bytes are collected for one large write. One at a time uses it.
struct WriteBuffer: @unchecked Sendable {
  let bytes: UnsafeMutableRawPointer
  /// Bytes.
  let capacity: Int
  /// What it is a piece of; nil where it stands for itself.
  private let slab: Slab?

  init(capacity: Int) {
    bytes = .allocate(byteCount: capacity, alignment: PartFile.directUnit)
    (self.capacity, slab) = (capacity, nil)
  }

  fileprivate init?(pieceOf slab: Slab) {
    guard let piece = slab.free.popLast() else { return nil }
    (bytes, capacity, self.slab) = (piece, slab.pieceSize, slab)
  }

  /// Gives the memory back, on the transfer loop.
  func deallocate() { if let slab { slab.free.append(bytes) } else { bytes.deallocate() } }
}

/// The memory of large write buffers. They lie in huge pages: a disk takes one stretch of memory in four fifths of the time that it needs for
/// a hundred and more scattered pages. Belongs to the transfer loop.
final class WriteBuffers {
  private var slabs: [Slab] = []

  func make(_ capacity: Int) -> WriteBuffer {
    guard capacity >= PartFile.leastDirect, Slab.size.isMultiple(of: capacity) else {
      return WriteBuffer(capacity: capacity)
    }
    slabs.removeAll { $0.isUnused && $0.pieceSize != capacity }
    for slab in slabs where slab.pieceSize == capacity {
      if let piece = WriteBuffer(pieceOf: slab) { return piece }
    }
    let fresh = Slab(pieceSize: capacity)
    slabs.append(fresh)
    return WriteBuffer(pieceOf: fresh) ?? WriteBuffer(capacity: capacity)
  }
}

/// A huge page, cut into buffers of one size; ordinary pages where the system has no huge ones.
private final class Slab {
  static let size = 2 << 20
  let pieceSize: Int
  var free: [UnsafeMutableRawPointer]
  private let start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)

  init(pieceSize: Int) {
    self.pieceSize = pieceSize
    madvise(start, Self.size, MADV_HUGEPAGE)
    // The first ones are used first: of what nobody uses no page may have to be there.
    free = stride(from: 0, to: Self.size, by: pieceSize).reversed().map { [start] in start + $0 }
  }

  deinit { start.deallocate() }

  var isUnused: Bool { free.count == Self.size / pieceSize }
}
