// Sizes and times come from servers and files; sums of them must not trap.
extension FixedWidthInteger {
  func saturatingPlus(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  func saturatingMinus(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}

extension Duration {
  /// Whole seconds, rounded up.
  var wholeSeconds: Int64 {
    let (seconds, fraction) = components
    return fraction > 0 ? seconds.saturatingPlus(1) : seconds
  }
}
