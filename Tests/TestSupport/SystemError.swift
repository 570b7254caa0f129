import Glibc

/// A system call that failed, in words.
package struct SystemError: Error, CustomStringConvertible {
  package let description: String

  init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}

/// A program that the tests rely on did not do its work, in its own words.
package struct ToolFailed: Error, CustomStringConvertible {
  package let description: String
}
