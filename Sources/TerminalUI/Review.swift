import DownloadCore

/// The addresses that were found in pasted text, to be looked through before they are added.
struct Review: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    let offer: Offer
    /// Whether the list has this address already.
    let isKnown: Bool
    var isTicked: Bool
  }

  private(set) var entries: [Entry]
  private(set) var current = 0
  private(set) var top = 0

  /// `known` has the addresses of the list in their normal form.
  init(_ offers: [Offer], known: Set<String>) {
    entries = []
    add(offers, known: known)
  }

  mutating func add(_ offers: [Offer], known: Set<String>) {
    var seen = Set(entries.map { AddressText.normal($0.offer.download.address) })
    for offer in offers {
      let address = AddressText.normal(offer.download.address)
      guard seen.insert(address).inserted else { continue }
      let isKnown = known.contains(address)
      entries.append(Entry(offer: offer, isKnown: isKnown, isTicked: !isKnown && offer.obstacle == nil))
    }
  }

  var ticked: [NewDownload] { entries.filter(\.isTicked).map(\.offer.download) }

  /// `rows` is how many entries have room.
  mutating func handle(_ key: Key, rows: Int) {
    switch key {
    case .character(" "):
      toggle()
      move(to: current + 1, rows)
    case .character("*"): for index in entries.indices { entries[index].isTicked.toggle() }
    case .up, .character("k"): move(to: current - 1, rows)
    case .down, .character("j"): move(to: current + 1, rows)
    case .pageUp: move(to: current - max(1, rows - 1), rows)
    case .pageDown: move(to: current + max(1, rows - 1), rows)
    case .home, .character("g"): move(to: 0, rows)
    case .end, .character("G"): move(to: entries.count - 1, rows)
    default: break  // means nothing here
    }
  }

  mutating func toggle() {
    if entries.indices.contains(current) { entries[current].isTicked.toggle() }
  }

  /// Ticks the entry in this row of the body, or takes the tick away.
  mutating func click(row: Int, in area: Area) {
    let list = Self.list(in: area)
    guard list.row <= row, row < list.end else { return }
    let index = firstRow(list.rows) + row - list.row
    guard entries.indices.contains(index) else { return }
    current = index
    toggle()
  }

  mutating func scroll(by distance: Int, rows: Int) { move(to: current + distance, rows) }

  private mutating func move(to wanted: Int, _ rows: Int) {
    current = min(max(0, wanted), max(0, entries.count - 1))
    top = firstRow(rows)
  }

  private func firstRow(_ rows: Int) -> Int {
    max(0, min(min(max(top, current - max(1, rows) + 1), current), entries.count - max(1, rows)))
  }

  // MARK: Drawing

  /// Where the entries stand in the body: the title and what is said about the current one take the other rows.
  static func list(in area: Area) -> Area {
    if area.rows >= 6 { return area.dropping(2).top(area.rows - 4) }
    return area.dropping(area.rows >= 3 ? 1 : 0)
  }

  func draw(in area: Area, _ glyphs: Glyphs, of grid: inout CellGrid) {
    let list = Self.list(in: area)
    if list.row > area.row { grid.put(title, in: area.line(0, margin: 1), ellipsis: glyphs.ellipsis) }
    let first = firstRow(list.rows)
    for (row, index) in (first..<min(entries.count, first + max(0, list.rows))).enumerated() {
      let line = list.line(row, margin: 1)
      grid.put(text(entries[index], glyphs, width: line.width), in: line, ellipsis: glyphs.ellipsis)
      if index == current { grid.select(list.line(row)) }
    }
    if area.rows >= 6 { grid.put(remark, in: area.line(area.rows - 1, margin: 1), ellipsis: glyphs.ellipsis) }
  }

  private var title: InkedText {
    let (count, known) = (entries.count, entries.count(where: \.isKnown))
    return InkedText("\(count) \(count == 1 ? "address" : "addresses") pasted", .title)
      + (known == 0 ? InkedText() : InkedText("  \(known) already in the list", .waiting))
  }

  /// The address is cut so that what is said about it stays readable.
  private func text(_ entry: Entry, _ glyphs: Glyphs, width: Int) -> InkedText {
    let words = entry.offer.obstacle ?? (entry.isKnown ? "already in the list" : entry.offer.extras)
    let note = words.isEmpty ? "" : "  " + VisibleText.of(words)
    let tick = "[\(entry.isTicked ? glyphs.tick : " ")] "
    let shown = AddressText.withoutPassword(entry.offer.download.address, hidden: glyphs.ellipsis)
    let room = max(min(width - 4, 20), width - 4 - TextWidth.of(note))
    let address = TextWidth.cut(VisibleText.of(shown), to: room, ellipsis: glyphs.ellipsis)
    return InkedText(tick, entry.isTicked ? .good : .dim) + InkedText(address, entry.isTicked ? .plain : .dim)
      + InkedText(note, entry.offer.obstacle == nil ? .dim : .bad)
  }

  /// What is to be known about the current one.
  private var remark: InkedText {
    guard entries.indices.contains(current) else { return InkedText() }
    let offer = entries[current].offer
    if !offer.skipped.isEmpty {
      return InkedText(
        "not understood and left out: " + VisibleText.of(offer.skipped.joined(separator: ", ")), .waiting)
    }
    if let obstacle = offer.obstacle { return InkedText("\(obstacle): dltui only fetches whole files", .waiting) }
    return InkedText(offer.extras.isEmpty ? "" : "secrets are sent to this host only and never saved", .dim)
  }
}
