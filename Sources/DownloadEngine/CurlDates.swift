import CCurl

/// Dates as libcurl reads them (curl_getdate(3)). That takes its time, and many answers carry the same ones: those of one second, and those
/// about files that were made together.
struct CurlDates {
  private static let most = 64
  /// Bytes. What is longer is nothing that others send too.
  private static let longest = 64
  private var known: [String: Int64?] = [:]

  /// Seconds since 1970; nil for what is no date.
  mutating func seconds(_ date: String) -> Int64? {
    if let seconds = known[date] { return seconds }
    let seconds = Self.seconds(date)
    guard date.utf8.count <= Self.longest else { return seconds }
    if known.count == Self.most { known = [:] }
    known[date] = .some(seconds)
    return seconds
  }

  static func seconds(_ date: String) -> Int64? {
    let time = curl_getdate(date, nil)
    return time < 0 ? nil : Int64(time)
  }
}
