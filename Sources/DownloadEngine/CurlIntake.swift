/// How much may lie between the server and a transfer: what waits in the kernel or in libcurl has passed the line already, so that no limit
/// on our side can hold it back. A limited transfer gets a quarter of a second's worth of its share; all others what the kernel thinks best.
struct CurlIntake: Equatable {
  private static let readSizes = 1 << 10...16 << 10
  private static let windows = 2 << 10...256 << 10

  /// The buffer that libcurl reads into (CURLOPT_BUFFERSIZE(3)).
  let readSize: Int
  /// The socket's receive buffer, of which the kernel makes twice as much (socket(7)); nil leaves it to the kernel.
  let window: Int?

  /// `share` is in bytes per second; nil is no limit.
  init(share: Int64?, unlimited readSize: Int) {
    self.readSize = share.map { Self.bounded($0 / 8, Self.readSizes) } ?? readSize
    window = share.map { Self.bounded($0 / 8, Self.windows) }
  }

  private static func bounded(_ size: Int64, _ range: ClosedRange<Int>) -> Int {
    min(max(Int(size), range.lowerBound), range.upperBound)
  }
}
