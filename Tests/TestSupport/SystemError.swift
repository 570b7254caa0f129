import Glibc

/// A system call that failed, in words.
package struct SystemError: Error, CustomStringConvertible {
  package let description: String
  /// errno(3).
  let code: Int32

  init(_ call: String) {
    code = errno
    description = "\(call): \(String(cString: strerror(code)))"
  }
}

/// A program that the tests rely on did not do its work, in its own words.
package struct ToolFailed: Error, CustomStringConvertible {
  package let description: String
}
