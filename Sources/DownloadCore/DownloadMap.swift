/// Downloads by their number. Looking at one and changing one copies nothing: a session does it many thousand times a second, and ten thousand of
/// them may wait in the queue.
struct DownloadMap: @unchecked Sendable {
  /// Shared by copies of the map until one of them changes it, so that the map is a value.
  private final class Box {
    var download: Download
    init(_ download: Download) { self.download = download }
  }

  private var boxes: [DownloadID: Box] = [:]
  /// Those that are not as they were when this was last taken.
  private var changed: Set<DownloadID> = []

  subscript(id: DownloadID) -> Download? {
    get { boxes[id]?.download }
    set {
      boxes[id] = newValue.map { Box($0) }
      changed.insert(id)
    }
  }

  func contains(_ id: DownloadID) -> Bool { boxes[id] != nil }

  func read<Fact>(_ id: DownloadID, _ look: (Download) -> Fact) -> Fact? { boxes[id].map { look($0.download) } }

  mutating func change(_ id: DownloadID, _ body: (inout Download) -> Void) {
    guard let place = boxes.index(forKey: id) else { return }
    changed.insert(id)
    if !isKnownUniquelyReferenced(&boxes.values[place]) { boxes.values[place] = Box(boxes.values[place].download) }
    body(&boxes.values[place].download)
  }

  mutating func takeChanged() -> Set<DownloadID> {
    defer { changed.removeAll(keepingCapacity: true) }
    return changed
  }
}
