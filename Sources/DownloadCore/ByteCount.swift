/// Byte counts and rates as people write and read them: binary multiples (1K = 1024), three significant digits.
package enum ByteCount {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// `784 MiB`, `5.9 GiB`, `17 B`: at most four digits, so that a column of them is at most 8 wide.
  package static func text(_ bytes: Int64) -> String {
    var unit = 0
    var divisor: Int64 = 1
    while unit + 1 < units.count, magnitude(bytes) / divisor >= 1000 {
      divisor <<= 10
      unit += 1
    }
    return "\(scaled(magnitude(bytes), divisor)) \(units[unit])"
  }

  /// `84.2 MiB/s`.
  package static func rate(_ bytesPerSecond: Int64) -> String { text(bytesPerSecond) + "/s" }

  /// Reads `500K`, `2.5M`, `1GiB`, `4096`. Nil when it is not a number, negative or beyond 63 bits.
  package static func parse(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let value = Double(digits), let unit = multiple(text.dropFirst(digits.count)) else { return nil }
    if let whole = Int64(digits) {
      let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
      return overflow ? nil : bytes
    }
    let bytes = (value * Double(unit)).rounded()
    return bytes.isFinite && bytes < 0x1p63 ? Int64(bytes) : nil
  }

  private static func multiple(_ suffix: Substring) -> Int64? {
    let known: [String: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    var unit = suffix.uppercased()
    if unit.isEmpty || unit == "B" { return 1 }
    if unit.hasSuffix("IB") { unit.removeLast(2) } else if unit.hasSuffix("B") { unit.removeLast() }
    return known[unit]
  }

  private static func magnitude(_ bytes: Int64) -> Int64 { max(0, bytes) }

  /// Divides with one decimal below a hundred (`84.2`), none from there on (`784`); rounds to nearest, halves up.
  private static func scaled(_ bytes: Int64, _ divisor: Int64) -> String {
    let whole = bytes / divisor
    let rest = bytes % divisor
    guard divisor > 1, whole < 100 else { return String(whole + (divisor > 1 && rest >= divisor / 2 ? 1 : 0)) }
    // Unsigned, because ten times the rest of an EiB needs the 64th bit.
    let tenths = Int64((UInt64(rest) * 10 + UInt64(divisor) / 2) / UInt64(divisor))
    let (carry, digit) = (whole + tenths / 10, tenths % 10)
    return carry >= 100 ? String(carry) : "\(carry).\(digit)"
  }
}
