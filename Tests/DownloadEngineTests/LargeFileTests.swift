import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// A file beyond 4 GiB (case A35). Few of its bytes are sent: the part is sparse, and its sidecar says that the rest was there.
@Suite(.timeLimit(.minutes(2))) struct LargeFileTests {
  private static let gibibyte: Int64 = 1 << 30
  private static let total = 5 * gibibyte
  private static let gap = 4_939_212_390..<(4_939_212_390 + 600_000 as Int64)
  private static let tail = (total - (1 << 20))..<total

  private let scene: Scene
  private let body = Body.virtual(count: total, seed: 35)

  init() throws { scene = try Scene() }

  /// The part of a download that lacks `gap` and `tail`, as after a clean stop.
  private func prepare() throws {
    try scene.write([], to: "file.bin.part")
    truncate(scene.path("file.bin.part"), Int(Self.tail.lowerBound))
    var status = stat()
    stat(scene.path("file.bin.part"), &status)
    let request = Request(url: scene.origin.url(), folder: "/")
    let resource = Resource(total: Self.total, etag: "\"v1\"", sendsRanges: true)
    let done = ByteRangeSet([0..<Self.gap.lowerBound, Self.gap.upperBound..<Self.tail.lowerBound])
    var sidecar = Sidecar(request: request, name: "file.bin", resource: resource, done: done)
    (sidecar.clean, sidecar.partSize, sidecar.sums) = (true, Self.tail.lowerBound, Self.sums(ofZeros: done))
    sidecar.partTouched = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    try scene.write(JSONEncoder().encode(sidecar), to: "file.bin.part.json")
  }

  /// Block sums as if every byte were zero.
  private static func sums(ofZeros done: ByteRangeSet) -> [[Int64]] {
    let blockSize = Sidecar.blockSize(total: total)
    var known: [Int64: Int64] = [:]
    return done.ranges.flatMap { range in
      stride(from: range.lowerBound / blockSize * blockSize, to: range.upperBound, by: Int(blockSize)).map { block in
        let (start, end) = (max(block, range.lowerBound), min(block + blockSize, range.upperBound))
        let sum = known[end - start] ?? crc32(zeros: end - start)
        known[end - start] = sum
        return [start, end, sum]
      }
    }
  }

  private static func crc32(zeros count: Int64) -> Int64 {
    let table = (0..<256 as Range<UInt32>).map { byte in
      (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    var sum = ~UInt32(0)
    for _ in 0..<count { sum = table[Int(sum & 0xff)] ^ sum >> 8 }
    return Int64(~sum)
  }

  private func bytes(_ range: Range<Int64>) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(filePath: scene.path("file.bin")))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(range.lowerBound))
    return Array(try file.read(upToCount: range.count) ?? Data())
  }

  @Test func a35OffsetsBeyondFourGibibytesAreExactInRequestsFilesAndSidecars() async throws {
    let file = ServedFile(body)
    scene.origin.serve(file.with { $0.ending = .held(after: 300_000, Gate()) })
    try prepare()
    let program = try scene.start("-x", "1")
    try await eventually("the first bytes of the gap") {
      scene.sidecar().map { $0.doneRanges.contains(Self.gap.lowerBound..<Self.gap.lowerBound + 300_000) } ?? false
    }
    program.send(SIGTERM)
    let first = try await program.end()
    #expect(first.status == 7, "\(first)")
    #expect(scene.starts == [Self.gap.lowerBound])
    let sidecar = try #require(scene.sidecar())
    let missing = sidecar.doneRanges.complement(in: 0..<Self.total)
    #expect(missing.ranges.last == Self.tail && missing.ranges.first?.upperBound == Self.gap.upperBound)
    let start = try #require(missing.ranges.first?.lowerBound)
    #expect(start >= Self.gap.lowerBound && start <= Self.gap.lowerBound + 300_000)

    scene.origin.clearRequests()
    scene.origin.serve(file)
    let outcome = try await scene.get("--json")
    #expect(outcome.status == 0 && outcome.output.contains(#""total":5368709120"#), "\(outcome)")
    #expect(scene.starts.min().map { $0 >= start } == true && scene.starts.contains(Self.tail.lowerBound))
    #expect(scene.size(of: "file.bin") == Self.total && scene.names == ["file.bin"])
    #expect(try bytes(Self.tail) == body.bytes(Self.tail))
    #expect(try bytes(Self.gap) == body.bytes(Self.gap))
    #expect(scene.origin.counters.bytesSent < 8 << 20)
  }
}
