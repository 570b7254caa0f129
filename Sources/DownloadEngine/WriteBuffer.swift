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
    guard let piece = slab.takeFirst() else { return nil }
    (bytes, capacity, self.slab) = (piece, slab.pieceSize, slab)
  }

  /// Gives the memory back, on the transfer loop.
  func deallocate() { if let slab { slab.takeBack(bytes) } else { bytes.deallocate() } }
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
  /// The first one last.
  private var free: [UnsafeMutableRawPointer]
  private let start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)

  init(pieceSize: Int) {
    self.pieceSize = pieceSize
    madvise(start, Self.size, MADV_HUGEPAGE)
    free = stride(from: 0, to: Self.size, by: pieceSize).reversed().map { [start] in start + $0 }
  }

  deinit { start.deallocate() }

  /// The first one that is free: buffers that are filled one after the other lie so in memory too, which saves the disk's driver work, and of
  /// what nobody uses no page may have to be there.
  func takeFirst() -> UnsafeMutableRawPointer? { free.popLast() }

  func takeBack(_ piece: UnsafeMutableRawPointer) {
    free.insert(piece, at: free.firstIndex { $0 < piece } ?? free.endIndex)
  }

  var isUnused: Bool { free.count == Self.size / pieceSize }
}
