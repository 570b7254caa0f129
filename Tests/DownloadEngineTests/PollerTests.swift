import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// What a loop is told of its descriptors.
@Suite(.timeLimit(.minutes(2))) struct PollerTests {
  private let bell: Bell
  private let poller: Poller

  init() throws {
    bell = try Bell()
    poller = try Poller(bell: bell)
  }

  /// A pipe: what is written at its end can be read at its mouth.
  private final class Pipe {
    let mouth: Int32
    let end: Int32
    init() {
      var both: [Int32] = [-1, -1]
      pipe(&both)
      (mouth, end) = (both[0], both[1])
    }
    deinit { for descriptor in [mouth, end] { close(descriptor) } }
    func fill() { _ = write(end, "x", 1) }
  }

  private func ready(within milliseconds: Int32 = 0) -> [Poller.Ready] {
    var ready: [Poller.Ready] = []
    poller.wait(milliseconds: milliseconds, into: &ready)
    return ready
  }

  @Test func onlyThoseWhereSomethingHappensAreTold() {
    let pipes = (0..<40).map { _ in Pipe() }
    for pipe in pipes { poller.watch(pipe.mouth, toRead: true, toWrite: false) }
    #expect(ready().isEmpty)
    pipes[7].fill()
    #expect(ready().map(\.descriptor) == [pipes[7].mouth])
    #expect(ready().map(\.isReadable) == [true], "it is told until it has been read")
    poller.ignore(pipes[7].mouth)
    #expect(ready().isEmpty)
  }

  @Test func whatADescriptorIsWatchedForCanChange() {
    let pipe = Pipe()
    poller.watch(pipe.end, toRead: true, toWrite: false)
    #expect(ready().isEmpty)
    poller.watch(pipe.end, toRead: false, toWrite: true)
    #expect(ready().map(\.isWritable) == [true])
  }

  @Test func moreThanOneCallCanTellAreToldByTheNext() {
    let pipes = (0..<300).map { _ in Pipe() }
    for pipe in pipes {
      poller.watch(pipe.mouth, toRead: true, toWrite: false)
      pipe.fill()
    }
    var told: Set<Int32> = []
    for _ in 0..<2 { told.formUnion(ready().map(\.descriptor)) }
    #expect(told == Set(pipes.map(\.mouth)))
  }

  @Test func theBellEndsAWaitOnceAndIsNoDescriptor() {
    bell.ring()
    bell.ring()
    #expect(ready(within: 60_000).isEmpty)
    let pipe = Pipe()
    poller.watch(pipe.mouth, toRead: true, toWrite: false)
    pipe.fill()
    #expect(ready(within: 60_000).map(\.descriptor) == [pipe.mouth])
  }

  /// The test ends only if it does.
  @Test func anotherThreadRingsIt() {
    let isStarted = NativeThread.start("test-bell") { [bell] in bell.ring() }
    #expect(isStarted)
    #expect(ready(within: -1).isEmpty)
  }
}
