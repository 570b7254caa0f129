import DownloadCore
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DownloadEngine

/// What is written past the page cache by a thread of its own. Here every full buffer is.
@Suite(.timeLimit(.minutes(2))) struct WriteBehindTests {
  private static let always = Pace(stretch: 1, within: .seconds(1_000_000))
  private static let bytes = Blob.random(count: 24 << 20, seed: 77)
  /// What each connection brings in the first run.
  private static let share: Int64 = 1_234_567

  private let file = ServedFile(Self.bytes).with { $0.etag = "\"w\"" }

  private func fetch(connections: Int) throws -> Fetch {
    var fetch = try Fetch()
    fetch.pace = Self.always
    fetch.settings.connections = connections
    fetch.settings.minSplit = 1 << 20
    return fetch
  }

  private static var isAtWork: Bool {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.contains {
      (try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)) == "dltui-write\n"
    }
  }

  /// A stretch that begins or ends anywhere does not fit the disk's units.
  @Test(arguments: [1, 3, 12]) func theFileIsWholeWhereverItWasLeft(_ connections: Int) async throws {
    let fetch = try fetch(connections: connections)
    fetch.origin.serve(file.with { $0.ending = .held(after: Self.share, Gate()) })
    try await fetch.stop { $0 == Self.share * Int64(connections) && Self.isAtWork }
    let (kept, part) = (try #require(fetch.sidecar).doneRanges, try #require(fetch.part))
    let isGood = kept.ranges.allSatisfy { range in
      range.upperBound <= part.count
        && (range.lowerBound..<range.upperBound).allSatisfy { part[Int($0)] == Self.bytes[Int($0)] }
    }
    #expect(isGood && kept.count == Self.share * Int64(connections))
    #expect(try await fetch.goOn(with: file).status == 0)
    fetch.expectOnly(Self.bytes)
  }

  /// Also where the last buffer takes the last byte of the disk.
  @Test(.enabled(if: Volume.isPossible, "mounting a small tmpfs needs root"), arguments: [6 << 20, 6_100 << 10])
  func aFullDiskEndsItAndWhatIsThereIsKept(_ size: Int) async throws {
    var fetch = try fetch(connections: 1)
    fetch.settings.preallocate = false
    let volume = try Volume(fetch.folder.path, size: size)
    defer { volume.unmount() }
    #expect(try await fetch.goOn(with: file).status == 9)
    let kept = try #require(fetch.sidecar).doneRanges
    #expect(kept.ranges.count == 1 && kept.count > 5 << 20)
    let isGood = fetch.part?.prefix(Int(kept.count)).elementsEqual(Self.bytes.prefix(Int(kept.count)))
    #expect(isGood == true)
  }

  /// What fits of several buffers that are written together counts.
  @Test(.enabled(if: Volume.isPossible, "mounting a small tmpfs needs root"))
  func aFullDiskTakesNothingBackThatFits() throws {
    let folder = try TemporaryFolder()
    let volume = try Volume(folder.path, size: 1 << 20)
    defer { volume.unmount() }
    let part = try #require(try PartFile.create(folder: folder.path, name: "a.part"))
    let buffer = WriteBuffer(capacity: 300 << 10)
    defer { buffer.deallocate() }
    let pieces = Array(repeating: iovec(iov_base: buffer.bytes, iov_len: buffer.capacity), count: 5)
    let (written, fault) = part.writeDirectly(pieces, at: 0)
    #expect(written == 3 && fault == .diskFull(path: part.path))
  }

  /// Whoever stops while a file is given its name wants to go on with what is there.
  @Test(arguments: [true, false]) func whatIsSaidLastIsSaidOfAFileThatIsEndingToo(_ isLast: Bool) throws {
    let folder = try TemporaryFolder()
    let part = try #require(try PartFile.create(folder: folder.path, name: "a.part"))
    let buffer = WriteBuffer(capacity: 1 << 20)
    defer { buffer.deallocate() }
    let piece = iovec(iov_base: buffer.bytes, iov_len: buffer.capacity)
    #expect(part.writeDirectly([piece], at: 0).fault == nil)
    part.isEnding.store(true, ordering: .relaxed)
    var sidecar = Sidecar(
      request: Request(url: "http://h/a", folder: folder.path), name: "a", resource: Resource(total: 1 << 20),
      done: ByteRangeSet(0..<1 << 20))
    sidecar.clean = isLast
    try SidecarStore.save(sidecar, part)
    #expect(try SidecarStore.read(ofPart: part.path)?.done == (isLast || !part.isDirect ? [[0, 1 << 20]] : nil))
  }
}
