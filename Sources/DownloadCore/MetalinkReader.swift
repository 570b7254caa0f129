/// Reads a Metalink document element by element. In version 3 the same elements stand one level deeper, in three that only group them.
package struct MetalinkReader {
  package private(set) var metalink = Metalink()
  /// The names of the open elements: empty for those that only group others, `?` for those of another namespace.
  private var steps: [String] = []
  private var namespace = ""
  private var attributes: [String: String] = [:]
  private var text = ""
  private var draft: MetalinkDraft?

  private static let groups: Set<String> = ["files", "verification", "resources"]

  package init() {}

  /// An element begins in this line. Names are without prefix.
  /// - Throws: when it is the first one and no metalink.
  package mutating func begin(
    _ name: String, namespace: String, _ attributes: [String: String], line: Int
  ) throws(Metalink.Fault) {
    if steps.isEmpty {
      guard name == "metalink" else { throw Metalink.Fault(line: line, why: "it is no metalink, but <\(name)>") }
      self.namespace = namespace
    }
    steps.append(namespace == self.namespace ? Self.groups.contains(name) ? "" : name : "?")
    (self.attributes, text) = (attributes, "")
    switch place {
    case "metalink/file": draft = MetalinkDraft(name: attributes["name"] ?? "", line: line)
    case "metalink/file/pieces": draft?.beginPieces(attributes)
    default: break  // what matters of the others is what they hold
    }
  }

  package mutating func take(_ more: String) { text += more }

  package mutating func end() {
    let value = trimmed(text)
    switch place {
    case "metalink/file/size": draft?.takeSize(value)
    case "metalink/file/hash": draft?.takeHash(attributes["type"] ?? "", value)
    case "metalink/file/pieces/hash": draft?.takePiece(value, number: attributes["piece"])
    case "metalink/file/pieces": draft?.endPieces()
    case "metalink/file/url": draft?.takeAddress(value, attributes)
    case "metalink/file/metaurl": draft?.takeTorrent()
    case "metalink/file":
      if let draft { add(draft) }
      draft = nil
    default: break  // descriptions, signatures and the like
    }
    text = ""
    _ = steps.popLast()
  }

  /// Where the innermost element stands; empty for one that only groups others.
  private var place: String { steps.last == "" ? "" : steps.filter { !$0.isEmpty }.joined(separator: "/") }

  private mutating func add(_ draft: MetalinkDraft) {
    let (file, remarks) = draft.finished
    metalink.remarks += remarks
    if let file { metalink.files.append(file) }
  }

  private func trimmed(_ text: String) -> String {
    let front = text.drop(while: \.isWhitespace)
    return front.lastIndex { !$0.isWhitespace }.map { String(front[...$0]) } ?? ""
  }
}

/// One file of the document while it is read.
private struct MetalinkDraft {
  let name: String
  let line: Int
  private var size: Int64?
  private var hashes: [Checksum] = []
  private var pieces: [PieceSums] = []
  private var open: (type: String, length: String, sums: [String], isInOrder: Bool)?
  private var addresses: [(rank: Int, text: String)] = []
  private var remarks: [String] = []
  private var hasTorrent = false

  init(name: String, line: Int) { (self.name, self.line) = (name, line) }

  mutating func takeSize(_ text: String) {
    size = text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    if size == nil { remarks.append("its size is no number: \(text)") }
  }

  mutating func takeHash(_ type: String, _ hex: String) {
    if let sum = Checksum(parsing: "\(type)=\(hex)") {
      hashes.append(sum)
    } else if isKnown(type) {
      remarks.append("its \(type) sum is none: \(hex)")
    }
  }

  private func isKnown(_ type: String) -> Bool { Checksum.Algorithm(name: type) != nil }

  // MARK: Pieces

  mutating func beginPieces(_ attributes: [String: String]) {
    open = (attributes["type"] ?? "", attributes["length"] ?? "", [], true)
  }

  /// Version 3 numbers them.
  mutating func takePiece(_ hex: String, number: String?) {
    guard let count = open?.sums.count, count <= PieceSums.mostPieces else { return }
    if let number, Int(number) != count { open?.isInOrder = false }
    open?.sums.append(hex)
  }

  mutating func endPieces() {
    guard let (type, length, sums, isInOrder) = open else { return }
    open = nil
    guard let algorithm = Checksum.Algorithm(name: type) else { return }
    guard isInOrder, let length = Int64(length), let found = PieceSums(algorithm, length: length, sums: sums) else {
      return remarks.append("its \(type) sums of pieces make no sense")
    }
    pieces.append(found)
  }

  // MARK: Addresses

  /// Version 4 says `priority`, 1 to 999,999 and the lowest first; version 3 `preference`, 0 to 100 and the highest first.
  mutating func takeAddress(_ text: String, _ attributes: [String: String]) {
    guard attributes["type"] != "bittorrent" else { return takeTorrent() }
    let priority = attributes["priority"].flatMap { Int($0) }
    let preference = attributes["preference"].flatMap { Int($0) }.map { 101 - min(max(0, $0), 100) }
    addresses.append((rank: priority ?? preference ?? 999_999, text: text))
  }

  mutating func takeTorrent() { hasTorrent = true }

  // MARK: The end

  /// What has become of it; no file where it cannot be fetched.
  var finished: (file: Metalink.File?, remarks: [String]) {
    guard let safe = Metalink.safeName(name) else { return (nil, ["line \(line): no name for a file here: \(name)"]) }
    guard !addresses.isEmpty else {
      return (nil, ["\(name): \(hasTorrent ? "only torrents lead" : "no address leads") to it"])
    }
    var file = Metalink.File(name: safe)
    let ranked = addresses.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    for (_, address) in ranked where !file.addresses.contains(address.text) { file.addresses.append(address.text) }
    file.size = size
    file.checksum = hashes.max { $0.algorithm.byteCount < $1.algorithm.byteCount }
    file.pieces = pieces.filter { fits($0) }.max { $0.algorithm.byteCount < $1.algorithm.byteCount }
    var remarks = remarks
    if pieces.contains(where: { !fits($0) }) { remarks.append("its pieces do not add up to its size") }
    if hasTorrent { remarks.append("its torrents are left out") }
    return (file, remarks.map { "\(name): \($0)" })
  }

  private func fits(_ pieces: PieceSums) -> Bool { size.map { pieces.fits(total: $0) } ?? true }
}
