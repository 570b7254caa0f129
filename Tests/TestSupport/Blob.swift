/// Random bytes from a fixed seed: the same on every machine, and without a pattern that would hide a shifted copy.
package enum Blob {
  package static func random(count: Int, seed: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var state = seed &* 0x2545_F491_4F6C_DD1D
      var offset = 0
      while offset + 8 <= count {
        bytes.storeBytes(of: next(&state), toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      var rest = next(&state)
      while offset < count {
        buffer[offset] = UInt8(truncatingIfNeeded: rest)
        rest >>= 8
        offset += 1
      }
      filled = count
    }
  }

  /// One step of the SplitMix64 generator.
  private static func next(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
