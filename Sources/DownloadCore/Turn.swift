/// What one event may see and cause: the moment, the settings, fresh numbers, and the effects in order.
struct Turn {
  let now: Duration
  var settings: Settings
  var numbers: Numbers
  var effects: [Effect] = []
  /// So many of them are in the books about who owns which transfer.
  var tracked = 0
  /// Hosts that had enough, and hosts that did well.
  var overloadedHosts: [(host: String, retryAfter: Duration?)] = []
  var contentHosts: [String] = []
  /// Hosts of addresses that were asked for, which bring as much over one connection as over two, and how many bytes a second.
  var sufficientHosts: [String: Double]
  /// Hosts that may have no more connections, as far as anyone wants to go there now.
  var fullHosts: Set<String> = []
  /// Folders whose disk turned out to be full.
  var fullFolders: Set<String> = []

  mutating func perform(_ effect: Effect) { effects.append(effect) }
  mutating func notify(_ id: DownloadID, _ kind: Notice.Kind) { effects.append(.notify(Notice(id, kind))) }
}

/// Where fresh identifiers and jitter come from; seeded, so that a run can be repeated.
struct Numbers: Sendable {
  private var last: UInt64 = 0
  private var seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  mutating func next() -> UInt64 {
    last += 1
    return last
  }

  /// In 0..<1 (SplitMix64, Steele et al. 2014).
  mutating func jitter() -> Double {
    seed &+= 0x9e37_79b9_7f4a_7c15
    var z = seed
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }
}
