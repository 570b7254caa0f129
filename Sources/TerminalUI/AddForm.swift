import DownloadCore

/// The fields in which a new download is described.
struct AddForm: Hashable, Sendable {
  /// From the top.
  enum Part: Int, CaseIterable, Hashable, Sendable {
    case address, folder, name, checksum

    var label: String {
      switch self {
      case .address: "address"
      case .folder: "folder"
      case .name: "name"
      case .checksum: "checksum"
      }
    }

    /// What an empty field means.
    var emptyMeans: String {
      switch self {
      case .address: "one or more, separated by blanks"
      case .folder: "the current folder"
      case .name: "the server's"
      case .checksum: "none; sha-256=… or another one is checked at the end"
      }
    }

    /// The option that the field's text is for.
    var option: String? {
      switch self {
      case .address: nil
      case .folder: "dir"
      case .name: "output"
      case .checksum: "checksum"
      }
    }
  }

  private var fields: [Part: TextField] = [:]
  /// What a command brought along that the form has no field for.
  private var others: [NewDownload.Option] = []
  private(set) var current = Part.address
  /// What is wrong with what was typed.
  var problem: String?

  init(address: String = "", folder: String) {
    fields[.address] = TextField(address)
    fields[.folder] = TextField(folder)
  }

  /// Takes back what could not be asked for.
  init(mending downloads: [NewDownload], folder: String, because text: String) {
    self.init(address: downloads.map(\.address).joined(separator: " "), folder: folder)
    for option in downloads.first?.options ?? [] {
      if let part = Part.allCases.first(where: { $0.option == option.name }) {
        fields[part] = TextField(option.value)
      } else {
        others.append(option)
      }
    }
    problem = text
  }

  func field(_ part: Part) -> TextField { fields[part] ?? TextField() }

  /// A path may be quoted, as a terminal pastes a file that is dropped on it.
  var addresses: [String] {
    let text = field(.address).text
    let paths = text.contains("://") ? nil : ShellWords.split(text)
    return paths ?? text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// What is to be added; empty while there is no address.
  var downloads: [NewDownload] {
    let options = Part.allCases.compactMap { part -> NewDownload.Option? in
      let text = field(part).text
      guard let name = part.option, !text.allSatisfy(\.isWhitespace) else { return nil }
      return NewDownload.Option(name, text)
    }
    return addresses.map { NewDownload($0, options + others) }
  }

  /// False when something is wrong, which is then said.
  mutating func check() -> Bool {
    let isForOne = !field(.name).text.isEmpty || !field(.checksum).text.isEmpty
    if isForOne, addresses.count > 1 {
      problem = "a name and a checksum are for one address, here are \(addresses.count)"
    }
    return problem == nil
  }

  mutating func handle(_ key: Key) {
    problem = nil
    switch key {
    case .tab, .down: step(by: 1)
    case .backTab, .up: step(by: -1)
    default:  // editing keys; others mean nothing in a field
      var field = field(current)
      if field.handle(key) { fields[current] = field }
    }
  }

  private mutating func step(by distance: Int) {
    let count = Part.allCases.count
    current = Part(rawValue: (current.rawValue + distance + count) % count) ?? .address
  }

  // MARK: Drawing

  static let rows = Part.allCases.count
  private static let labelWidth = 10

  /// The fields that are shown in the last rows of `area`; where there are too few, those around the current one.
  private func shown(in area: Area) -> ArraySlice<Part> {
    let count = min(Self.rows, max(0, area.rows))
    let first = min(max(0, current.rawValue - count + 1), Self.rows - count)
    return Part.allCases.dropFirst(first).prefix(count)
  }

  mutating func click(row: Int, in area: Area) {
    let parts = shown(in: area)
    guard area.end - parts.count <= row, row < area.end else { return }
    current = parts[parts.startIndex + row - (area.end - parts.count)]
  }

  func draw(in area: Area, twins: Int, _ glyphs: Glyphs, of grid: inout CellGrid) {
    let parts = shown(in: area)
    for (row, part) in parts.enumerated() {
      draw(
        part, in: area.line(area.rows - parts.count + row), note: part == .address ? note(twins) : nil, glyphs,
        of: &grid)
    }
  }

  private func note(_ twins: Int) -> String? {
    if twins > 0 { return addresses.count == 1 ? "already in the list" : "\(twins) already in the list" }
    let extras = Offer(download: NewDownload("", others)).extras
    return extras.isEmpty ? nil : extras
  }

  private func draw(_ part: Part, in line: Field, note: String?, _ glyphs: Glyphs, of grid: inout CellGrid) {
    grid.fill(" ", .plain, in: line)
    grid.put(part.label, part == current ? .key : .heading, in: line.dropping(1))
    var room = line.dropping(1 + Self.labelWidth)
    room.width -= 1
    if let note, TextWidth.of(note) + 12 < room.width {
      grid.put(note, .waiting, in: room.dropping(room.width - TextWidth.of(note)))
      room.width -= TextWidth.of(note) + 2
    }
    draw(field(part), part, in: room, glyphs, of: &grid)
  }

  private func draw(_ text: TextField, _ part: Part, in room: Field, _ glyphs: Glyphs, of grid: inout CellGrid) {
    if part == current {
      let window = text.window(width: room.width)
      grid.put(window.text, in: room)
      grid.cursor = CellGrid.Cursor(
        row: room.row, column: min(room.column + window.cursor, max(0, grid.size.columns - 1)))
    }
    guard text.text.isEmpty else {
      if part != current { grid.put(InkedText(VisibleText.of(text.text)), in: room, ellipsis: glyphs.ellipsis) }
      return
    }
    let meaning = glyphs.isASCII ? part.emptyMeans.replacing("…", with: "HEX") : part.emptyMeans
    grid.put(InkedText(meaning, .dim), in: room.dropping(part == current ? 2 : 0), ellipsis: glyphs.ellipsis)
  }
}
