import CLinux
import Glibc

/// A POSIX thread that runs one closure. Nothing is waited for: what it does is told by messages.
enum NativeThread {
  /// - Returns: false when the system has no room for another thread.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runThreadBody, box.toOpaque()) == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void
  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let body = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
  _ = clinux_name_thread(body.name)
  body.run()
  return nil
}
