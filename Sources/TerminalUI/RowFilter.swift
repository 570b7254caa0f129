import DownloadCore

/// Which downloads an arrangement shows.
struct RowFilter {
  private let view: Arrangement.View
  private let hidesDone: Bool
  private let words: [[UInt8]]

  init(_ arrangement: Arrangement) {
    view = arrangement.view
    hidesDone = arrangement.hidesDone && arrangement.view != .done
    words = arrangement.filter.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
  }

  func contains(_ item: borrowing Snapshot.Item) -> Bool {
    let kind = Self.kind(item.state)
    guard view == .all || view == kind, !(hidesDone && kind == .done) else { return false }
    return words.isEmpty || matches(item)
  }

  /// The view that a download is in, besides *all*.
  private static func kind(_ state: DownloadState) -> Arrangement.View {
    switch state {
    case .active, .retrying, .verifying: .active
    case .queued, .paused: .queued
    case .completed: .done
    case .failed: .failed
    }
  }

  private func matches(_ item: borrowing Snapshot.Item) -> Bool {
    let texts = [Self.folded(item.name), Self.folded(Self.host(item.url)), Self.folded(Self.words(item))]
    return words.allSatisfy { word in texts.contains { Self.contains($0, word) } }
  }

  private static func folded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    return Array(text.lowercased().utf8)
  }

  private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard let first = word.first, text.count >= word.count else { return false }
    return (0...text.count - word.count).contains { start in
      text[start] == first && text[start..<start + word.count].elementsEqual(word)
    }
  }

  private static func host(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    return parts.count > 1 ? String(parts[1]) : url
  }

  private static func words(_ item: borrowing Snapshot.Item) -> String {
    switch item.state {
    case .queued: "queued"
    case .active: item.stalledFor == nil ? "active" : "active stalled"
    case .verifying: "verifying"
    case .retrying(let retry): "retrying \(retry.error.message)"
    case .paused(because: nil): "paused"
    case .paused(because: let reason?): "paused \(reason.message)"
    case .completed(let verification): "done \(verification.word)"
    case .failed(let error): "failed \(error.message)"
    }
  }
}
