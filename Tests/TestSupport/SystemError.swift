import Glibc

/// A system call that failed, in words.
package struct SystemError: Error, CustomStringConvertible {
  package let description: String

  init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}
