/// Whether bytes come so fast that it is the disk, or what the kernel does for it, that everything waits for.
package struct Pace: Sendable {
  /// Bytes that are looked at together.
  private let stretch: Int
  /// The longest time for them that is fast.
  private let longest: Duration

  package private(set) var isFast = false
  private var began = Duration.zero
  private var bytes = 0

  /// 128 MiB a second, unless something else is said.
  package init(stretch: Int = 8 << 20, within longest: Duration = .microseconds(62_500)) {
    (self.stretch, self.longest) = (stretch, longest)
  }

  package mutating func note(_ count: Int, now: Duration) {
    bytes += count
    guard bytes >= stretch else { return }
    isFast = now - began <= longest
    (began, bytes) = (now, 0)
  }
}
