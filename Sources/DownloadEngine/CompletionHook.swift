import DownloadCore
import Glibc
import Synchronization

/// The user's program that is run for every file that is complete: one at a time, in their order, on a thread that lives as long as there
/// is something to run. Nothing but the command line and the config file can name it.
final class CompletionHook: Sendable {
  private let words: [String]
  private let port: EnginePort
  private let queue = Mutex(Queue())

  private struct Queue {
    var files: [File] = []
    var isRunning = false
  }

  private struct File {
    let path: String
    let size: Int64
    let verification: Verification
  }

  /// The program and its arguments.
  init(_ words: [String], _ port: EnginePort) { (self.words, self.port) = (words, port) }

  /// Whether something is being run or waits for that.
  var isBusy: Bool { queue.withLock { $0.isRunning } }

  func note(_ notice: Notice) {
    guard case .completed(let path, let size, _, let verification) = notice.kind else { return }
    let mustStart = queue.withLock { queue in
      queue.files.append(File(path: path, size: size, verification: verification))
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    guard mustStart, !NativeThread.start("dltui-hook", { [self] in drain() }) else { return }
    queue.withLock { $0 = Queue() }
    port.warn("on-complete: cannot start a thread")
  }

  /// Runs no more than what has begun, and says what is left out.
  func close() {
    let left = queue.withLock { queue in
      defer { queue.files = [] }
      return queue.files
    }
    for file in left { port.warn("on-complete: not run, dltui ends: \(file.path)") }
  }

  private func drain() {
    while let file = next() { run(file) }
    port.publish { _ in }  // whoever waits for the end looks again
  }

  private func next() -> File? {
    queue.withLock { queue in
      queue.isRunning = !queue.files.isEmpty
      return queue.isRunning ? queue.files.removeFirst() : nil
    }
  }

  private func run(_ file: File) {
    let facts = [
      ("DLTUI_PATH", file.path), ("DLTUI_SIZE", "\(file.size)"), ("DLTUI_STATE", "completed"),
      ("DLTUI_VERIFIED", file.verification.word),
    ]
    do throws(SystemFault) {
      guard let trouble = ChildProcess.waitForEnd(try ChildProcess.start(words, adding: facts)) else { return }
      port.warn("on-complete: \(words[0]) \(trouble): \(file.path)")
    } catch {
      port.warn("on-complete: \(words[0]) cannot be started (\(error.text)): \(file.path)")
    }
  }
}
