/// A key press, a paste, or what else comes from the terminal.
package enum Key: Hashable, Sendable {
  /// Text: one grapheme or a part of one.
  case character(Character)
  /// With the control key held, as the lower-case letter.
  case control(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case function(Int)
  /// Text that the terminal says was pasted.
  case paste(String)
  case mouse(Mouse)
}

/// What the mouse did, and in which cell, from 0.
package struct Mouse: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// With the left button.
    case click, doubleClick
    case wheelUp, wheelDown
  }

  package var action: Action
  package var row: Int
  package var column: Int

  package init(_ action: Action, row: Int, column: Int) {
    self.action = action
    self.row = row
    self.column = column
  }
}
