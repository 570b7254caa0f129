/// Where bytes are collected for one large write. One at a time uses it.
struct WriteBuffer: @unchecked Sendable {
  let bytes: UnsafeMutableRawPointer
  /// Bytes.
  let capacity: Int

  init(capacity: Int) {
    bytes = .allocate(byteCount: capacity, alignment: PartFile.directUnit)
    self.capacity = capacity
  }

  func deallocate() { bytes.deallocate() }
}
