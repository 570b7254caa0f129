/// Something wrong with what the user typed: one line that names it and what is allowed, and perhaps what to do.
struct UsageError: Error, Equatable {
  /// aria2's number for a bad option or argument.
  static let exitStatus: Int32 = 28

  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
