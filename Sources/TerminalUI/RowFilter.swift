import DownloadCore

/// Which downloads an arrangement shows.
struct RowFilter {
  private let view: Arrangement.View
  private let hidesDone: Bool
  private let words: [Word]

  init(_ arrangement: Arrangement) {
    view = arrangement.view
    hidesDone = arrangement.hidesDone && arrangement.view != .done
    words = arrangement.filter.split(whereSeparator: \.isWhitespace).map { Word(String($0)) }
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
    for word in words {
      guard word.isIn(item.name) || word.isIn(hostOf: item.url) || word.isIn(Self.words(item)) else { return false }
    }
    return true
  }

  private static func words(_ item: borrowing Snapshot.Item) -> String {
    switch item.state {
    case .queued: "queued"
    case .active: item.waitsForConnection ? "active waiting" : item.stalledFor == nil ? "active" : "active stalled"
    case .verifying: "verifying"
    case .retrying(let retry): "retrying \(retry.error.message)"
    case .paused(because: nil): "paused"
    case .paused(because: let reason?): "paused \(reason.message)"
    case .completed(let verification): "done \(verification.word)"
    case .failed(let error): "failed \(error.message)"
    }
  }
}

/// A word to look for, whatever its case.
private struct Word {
  private let bytes: [UInt8]
  private let isASCII: Bool

  init(_ text: String) {
    bytes = Array(text.lowercased().utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
  }

  func isIn(_ text: String) -> Bool {
    var text = isASCII ? text : text.lowercased()
    return text.withUTF8 { isIn($0[...]) }
  }

  /// Between the two slashes and the next one.
  func isIn(hostOf url: String) -> Bool {
    var url = isASCII ? url : url.lowercased()
    return url.withUTF8 { bytes in
      guard let slash = bytes.firstIndex(of: 0x2F) else { return false }
      return isIn(bytes[slash...].drop { $0 == 0x2F }.prefix { $0 != 0x2F })
    }
  }

  private func isIn(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = bytes.first, text.count >= bytes.count else { return false }
    return (text.startIndex...text.endIndex - bytes.count).contains { start in
      Self.folded(text[start]) == first && bytes.indices.allSatisfy { Self.folded(text[start + $0]) == bytes[$0] }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
