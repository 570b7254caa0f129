/// Which downloads the table shows, and in which order.
package struct Arrangement: Hashable, Sendable {
  var sort = Sort.queue
  var isReversed = false
  var view = View.all
  /// Words that must all be in a download's name, host or state.
  var filter = ""
  var hidesDone = false

  /// In the order of the columns.
  enum Sort: CaseIterable, Hashable, Sendable {
    case queue, name, progress, size, speed, eta, state

    /// Whether the largest comes first, as one expects of figures.
    var isDescending: Bool {
      switch self {
      case .progress, .size, .speed: true
      case .queue, .name, .eta, .state: false
      }
    }

    /// As in *by size*.
    var word: String {
      switch self {
      case .queue: "queue"
      case .name: "name"
      case .progress: "progress"
      case .size: "size"
      case .speed: "speed"
      case .eta: "time left"
      case .state: "state"
      }
    }
  }

  /// The downloads of one kind.
  package enum View: String, CaseIterable, Hashable, Sendable {
    case all, active, queued, done, failed
  }

  var isDescending: Bool { sort.isDescending != isReversed }
  /// Whether some downloads may be missing from the table.
  var isNarrowed: Bool { view != .all || hidesDone || !filter.isEmpty }

  mutating func step(by distance: Int) {
    sort = Self.neighbour(of: sort, by: distance)
    isReversed = false
  }

  mutating func stepView(by distance: Int) { view = Self.neighbour(of: view, by: distance) }

  private static func neighbour<Choice: CaseIterable & Equatable>(of choice: Choice, by distance: Int) -> Choice {
    let all = Array(Choice.allCases)
    guard let place = all.firstIndex(of: choice) else { return choice }
    return all[((place + distance) % all.count + all.count) % all.count]
  }
}
