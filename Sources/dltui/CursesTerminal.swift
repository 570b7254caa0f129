import CNcurses
import FoundationEssentials
import Glibc
import TerminalUI

/// The thin painter: shows a grid of cells on the terminal and tells keys. The only one who speaks to ncurses. It keeps the last grid
/// and hands ncurses only the rows that differ, a call for each stretch of one ink; ncurses sends the cells that differ.
final class CursesTerminal {
  /// What to tell the user about the terminal, when there is something.
  let remark: String?
  /// Whether the locale can show more than ASCII.
  let isUnicode: Bool
  private(set) var size = Size(columns: 80, rows: 24)
  private var painted: CellGrid?
  private var run: [wchar_t] = []
  private var keys = KeyReader()
  /// How many colours there are to draw with; 0 is none.
  let colours: Int
  private var palette: Palette
  private let takesMouse: Bool
  private var signs: TerminalSigns

  /// What the user wants of the terminal.
  struct Wishes {
    var hasColour = true
    var takesMouse = true
    var setsTitle = true
    var notification = TerminalSigns.Notification.bell
  }

  /// Nil when no terminal can be driven.
  init?(_ wishes: Wishes) {
    takesMouse = wishes.takesMouse
    isUnicode = cncurses_is_unicode()
    set_escdelay(25)
    TerminalRescue.install()
    guard let name = Self.open() else { return nil }
    remark = name.isEmpty ? nil : "unknown terminal \(Self.environment("TERM") ?? ""): drawing for \(name)"
    cncurses_set_modes()
    signs = TerminalSigns(hasTitle: cncurses_has_title(), isWanted: wishes.setsTitle, wishes.notification)
    colours = wishes.hasColour ? Int(cncurses_start_colours()) : 0
    palette = Palette(colours: colours)
    startColours()
    KeyReader.teach()
    TerminalRescue.holdStandardError()
    takeOver()
    resize()
  }

  /// Leaves the alternate screen and gives the terminal its modes back.
  func close() {
    giveBack()
    TerminalRescue.releaseStandardError()
    TerminalRescue.uninstall()
  }

  /// The name of the stand-in that was needed; empty when TERM is known; nil when nothing works.
  private static func open() -> String? {
    if cncurses_open(nil) { return "" }
    return ["xterm-256color", "vt100"].first { cncurses_open($0) }
  }

  private func startColours() {
    for ink in Ink.allCases {
      if let colour = palette.style(ink).colour { init_pair(Self.pair(ink), colour, -1) }
    }
  }

  private static func pair(_ ink: Ink) -> Int16 { Int16(ink.rawValue) + 1 }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  // MARK: Manners

  /// Bracketed paste, and clicks and the wheel in SGR form; the terminal keeps what is done with the shift key down for itself.
  private func takeOver() { send("\u{1B}[?2004h" + (takesMouse ? "\u{1B}[?1000h\u{1B}[?1006h" : "")) }

  private func giveBack() {
    send(signs.ending() + (takesMouse ? "\u{1B}[?1006l\u{1B}[?1000l" : "") + "\u{1B}[?2004l")
    endwin()
  }

  /// Tells the terminal what is new outside of the picture.
  func announce(_ announcement: Announcement) {
    let sequence = signs.sequence(for: announcement)
    guard !sequence.isEmpty else { return }
    TerminalRescue.undo(signs.undo)
    send(sequence)
  }

  func notify(by notification: TerminalSigns.Notification) { signs.notification = notification }

  /// Past ncurses: only for modes that it does not know.
  private func send(_ sequence: String) {
    fflush(nil)
    _ = sequence.withCString { write(STDOUT_FILENO, $0, sequence.utf8.count) }
  }

  /// Into the clipboard of whoever sits before the terminal (xterm's OSC 52), so that it works over ssh. tmux takes it for its own
  /// buffers, and lets it through to the terminal around it only in an envelope. False when the terminal would show it instead.
  func copy(_ text: String) -> Bool {
    guard isXtermLike else { return false }
    let order = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
    send(order)
    if Self.environment("TMUX") != nil { send("\u{1B}Ptmux;\u{1B}\(order)\u{1B}\\") }
    return true
  }

  /// Whether it reads over orders (OSC) that it does not know.
  private var isXtermLike: Bool {
    let name = Self.environment("TERM") ?? ""
    return !["linux", "vt", "ansi", "cons"].contains(where: name.hasPrefix)
  }

  /// Gives the terminal to the shell until `resume`.
  func suspend() { giveBack() }

  /// Takes the terminal again and forgets what was on it.
  func resume() {
    reset_prog_mode()
    takeOver()
    resize()
    redraw()
  }

  /// Forgets what is on the terminal: the next grid is painted whole.
  func redraw() {
    painted = nil
    cncurses_distrust()
  }

  /// A window that claims more rows or columns is drawn only so far.
  private static let largest: UInt16 = 1000

  /// Reads the window's size again. A terminal that says zero keeps the size it had.
  func resize() {
    var window = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 {
      resizeterm(Int32(min(window.ws_row, Self.largest)), Int32(min(window.ws_col, Self.largest)))
    }
    let new = Size(columns: Int(cncurses_columns()), rows: Int(cncurses_lines()))
    guard new != size || painted == nil else { return }
    size = new
    painted = nil
    cncurses_erase()
  }

  // MARK: Painting

  func paint(_ grid: CellGrid, _ theme: Theme) {
    if theme != palette.theme {
      palette = Palette(colours: colours, theme: theme)
      startColours()
      redraw()
    }
    for row in 0..<grid.size.rows where painted?.size != grid.size || painted?.row(row) != grid.row(row) {
      paint(row, of: grid)
    }
    painted = grid
    curs_set(grid.cursor == nil ? 0 : 1)
    let place = grid.cursor ?? Self.restingPlace(grid)
    cncurses_place(Int32(place.row), Int32(place.column))
    cncurses_refresh()
  }

  /// Screen readers read where the hidden cursor stands, and some terminals cannot hide it: the selected row, else the bottom.
  private static func restingPlace(_ grid: CellGrid) -> CellGrid.Cursor {
    let selected = grid.cells.firstIndex(where: \.isSelected).map { $0 / max(1, grid.size.columns) }
    return CellGrid.Cursor(row: selected ?? max(0, grid.size.rows - 1), column: 0)
  }

  private func paint(_ row: Int, of grid: CellGrid) {
    let cells = grid.row(row)
    var start = cells.startIndex
    while start < cells.endIndex {
      let first = cells[start]
      let end =
        cells[start...].firstIndex { $0.ink != first.ink || $0.isSelected != first.isSelected } ?? cells.endIndex
      paint(cells[start..<end], first, row: row, column: start - cells.startIndex)
      start = end
    }
  }

  private func paint(_ cells: ArraySlice<Cell>, _ first: Cell, row: Int, column: Int) {
    run.removeAll(keepingCapacity: true)
    for cell in cells where cell.width > 0 { append(cell) }
    setStyle(first)
    cncurses_put(Int32(row), Int32(column), run, Int32(run.count))
  }

  /// The selected row is plain reverse video: a bar of one colour, whatever it says.
  private func setStyle(_ cell: Cell) {
    let style = palette.style(cell.ink)
    if cell.isSelected { return cncurses_set_style(false, false, true, 0) }
    cncurses_set_style(style.isBold, style.isDim, false, style.colour == nil ? 0 : Int32(Self.pair(cell.ink)))
  }

  /// Adds exactly as many cells as the grid has for it, whatever this C library knows of Unicode; terminals disagree on joined emoji,
  /// so only the first of them is sent.
  private func append(_ cell: Cell) {
    if let ascii = cell.character.asciiValue { return run.append(wchar_t(ascii)) }
    var used = 0
    var marks = 0
    for scalar in cell.character.unicodeScalars {
      let (shown, width) = known(scalar)
      guard used + width <= Int(cell.width) else { break }
      if width == 0 {
        guard used > 0, marks < 4, scalar.value != 0xFE0F, scalar.value != 0x200D else { continue }
        marks += 1
      }
      run.append(wchar_t(bitPattern: shown.value))
      used += width
    }
    for _ in used..<max(used, Int(cell.width)) { run.append(0x20) }
  }

  private func known(_ scalar: Unicode.Scalar) -> (Unicode.Scalar, Int) {
    let width = Int(wcwidth(wchar_t(bitPattern: scalar.value)))
    return width < 0 ? ("?", 1) : (scalar, width)
  }

  // MARK: Keys

  /// Everything that has been typed since the last call.
  func readKeys() -> [Key] { keys.readAll() }
}

/// Turns ncurses' codes into keys, brackets into pastes, and reports of the mouse into clicks.
private struct KeyReader {
  private var pending = Pending.nothing
  private var clicks = ClickCounter()

  /// What has begun and not come to its end yet.
  private enum Pending {
    case nothing
    /// What has been pasted so far, between the brackets.
    case paste(String)
    /// `0;12;5`, until the `M` or `m` that ends it.
    case mouse(String)
  }

  private static let pasteBegin = Int32(cncurses_first_free_key)
  private static let pasteEnd = pasteBegin + 1
  private static let mouseBegin = pasteBegin + 2
  /// A longer paste is cut into several.
  private static let longestPaste = 1 << 20
  private static let longestReport = 32

  /// Sequences that terminals send although their description says otherwise.
  static func teach() {
    define_key("\u{1B}[200~", pasteBegin)
    define_key("\u{1B}[201~", pasteEnd)
    define_key("\u{1B}[<", mouseBegin)
    let others: [(String, Int32)] = [
      ("[A", KEY_UP), ("[B", KEY_DOWN), ("[C", KEY_RIGHT), ("[D", KEY_LEFT), ("[H", KEY_HOME), ("[F", KEY_END),
      ("[1~", KEY_HOME), ("[4~", KEY_END), ("[7~", KEY_HOME), ("[8~", KEY_END), ("OH", KEY_HOME), ("OF", KEY_END),
    ]
    for (sequence, code) in others { define_key("\u{1B}" + sequence, code) }
  }

  mutating func readAll() -> [Key] {
    var keys: [Key] = []
    var code = wint_t()
    while true {
      switch cncurses_read(&code) {
      case OK: take(character: code, &keys)
      case KEY_CODE_YES: take(code: Int32(bitPattern: code), &keys)
      default: return keys  // ERR: nothing more has been typed
      }
    }
  }

  private mutating func take(character code: wint_t, _ keys: inout [Key]) {
    guard let scalar = Unicode.Scalar(code) else { return }
    switch pending {
    case .paste(let text): paste(scalar, after: text, &keys)
    case .mouse(let report): point(scalar, after: report, &keys)
    case .nothing: if let key = Self.key(scalar) { keys.append(key) }
    }
  }

  private mutating func paste(_ scalar: Unicode.Scalar, after text: String, _ keys: inout [Key]) {
    guard scalar.value != 3 else { return endPaste(&keys) }  // Ctrl-C: the end of the paste has got lost
    pending = .nothing  // so that the text is not copied when it grows
    var text = text
    text.unicodeScalars.append(scalar == "\r" ? "\n" : scalar)
    let isFull = text.utf8.count >= Self.longestPaste
    pending = .paste(text)
    if isFull { endPaste(&keys) }
  }

  private mutating func point(_ scalar: Unicode.Scalar, after report: String, _ keys: inout [Key]) {
    switch scalar {
    case "M":
      if let key = clicks.key(report) { keys.append(key) }
      pending = .nothing
    case "0"..."9", ";":
      let isTooLong = report.utf8.count >= Self.longestReport
      pending = isTooLong ? .nothing : .mouse(report + String(scalar))
    default: pending = .nothing  // a button let go, or no report at all
    }
  }

  private mutating func take(code: Int32, _ keys: inout [Key]) {
    switch (code, pending) {
    case (Self.pasteBegin, _): pending = .paste("")
    case (Self.pasteEnd, _): endPaste(&keys)
    case (_, .paste): break  // no key is meant while text is pasted
    case (Self.mouseBegin, _): pending = .mouse("")
    default:
      pending = .nothing
      if let key = Self.key(code: code) { keys.append(key) }
    }
  }

  private mutating func endPaste(_ keys: inout [Key]) {
    if case .paste(let text) = pending, !text.isEmpty { keys.append(.paste(text)) }
    pending = .nothing
  }

  private static func key(_ scalar: Unicode.Scalar) -> Key? {
    switch scalar.value {
    case 27: .escape
    case 10, 13: .enter
    case 9: .tab
    case 8, 127: .backspace
    case 1...26: Unicode.Scalar(scalar.value + 96).map { .control(Character($0)) }
    case 0...31: nil
    default: .character(Character(scalar))  // everything else is text
    }
  }

  private static func key(code: Int32) -> Key? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_HOME, KEY_FIND: .home
    case KEY_END, KEY_SELECT: .end
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    case KEY_ENTER: .enter
    case KEY_BTAB: .backTab
    case KEY_F0 + 1...KEY_F0 + 24: .function(Int(code - KEY_F0))
    default: nil  // keys that mean nothing here
    }
  }
}
