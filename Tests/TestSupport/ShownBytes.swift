// The demo's server is built without the test library.
#if canImport(Testing)
  import Testing

  /// A failed expectation says how many bytes there are and how they begin, not all the millions.
  extension Array: @retroactive CustomTestStringConvertible where Element == UInt8 {
    public var testDescription: String { "\(count) bytes, \(prefix(8).map(String.init).joined(separator: " "))…" }
  }
#endif
