import DownloadCore
import Glibc
import Synchronization

/// Looks whether a file on the disk is what it should be.
package enum FileCheck {
  /// What became of the bytes that a sidecar claims.
  package struct Findings: Sendable {
    package var claimed: Int64 = 0
    /// What is not as it was saved.
    package var wrong = ByteRangeSet()
    /// Bytes of the claimed ones that have no sum.
    package var unsummed: Int64 = 0
    package var sidecar: Sidecar
  }

  /// The name of the part file that `path` means, itself or the file that it will be; nil when no sidecar describes one that is there.
  package static func partPath(of path: String) -> String? {
    [path, FileName.part(of: path)].first {
      $0.hasSuffix(".part") && FileSystem.isTaken($0) && FileSystem.isTaken(FileName.sidecar(ofPart: $0))
    }
  }

  /// Compares a part file with the sums in its sidecar. `forgetting` takes what is wrong out of the sidecar, so that it is fetched again.
  package static func part(_ path: String, forgetting: Bool) throws(DownloadError) -> Findings {
    let (folder, name) = FileSystem.split(path)
    guard let sidecar = try SidecarStore.read(ofPart: path) else {
      throw .badSidecar(path: FileName.sidecar(ofPart: path), why: "it vanished")
    }
    let part = try PartFile.open(folder: folder, name: name)
    let good = try BlockSums.verified(part, sidecar.sums, isCancelled: { false })
    let summed = ByteRangeSet(sidecar.sums.map { $0[0]..<$0[1] })
    var done = sidecar.doneRanges
    var findings = Findings(claimed: done.count, wrong: summed.subtracting(good.ranges), sidecar: sidecar)
    findings.unsummed = done.count - summed.count
    let size = try part.size()
    for range in done.subtracting([0..<size]).ranges { findings.wrong.insert(range) }
    guard forgetting, !findings.wrong.isEmpty else { return findings }
    for range in findings.wrong.ranges { done.remove(range) }
    try save(sidecar, keeping: done, good, part)
    return findings
  }

  private static func save(
    _ old: Sidecar, keeping done: ByteRangeSet, _ good: ByteRangeSet, _ part: PartFile
  ) throws(DownloadError) {
    var sidecar = old
    sidecar.done = done.ranges.map { [$0.lowerBound, $0.upperBound] }
    let sums = old.sums.filter { done.contains($0[0]..<$0[1]) && good.contains($0[0]..<$0[1]) }
    sidecar.clean = true
    part.record.withLock { $0 = PartFile.Record(sums: BlockSums(sums), created: old.created) }
    try SidecarStore.save(sidecar, part)
  }

  /// The bytes of the file at `path`, of which there should be `total`, that are not as the sums of their pieces say.
  package static func wrongBytes(
    of path: String, _ pieces: PieceSums, total: Int64
  ) throws(DownloadError) -> ByteRangeSet {
    var wrong = ByteRangeSet()
    for (index, sum) in pieces.sums.enumerated() {
      guard let range = pieces.range(of: index, total: total) else { continue }
      if try Digest.hex(ofFile: path, pieces.algorithm, range) != sum { wrong.insert(range) }
    }
    return wrong
  }

  /// Bytes of the plain file at `path`.
  package static func size(of path: String) throws(DownloadError) -> Int64 {
    guard let size = FileSystem.size(ofFile: path) else {
      throw .cannotOpen(
        path: path, why: FileSystem.isTaken(path) ? "not a plain file" : SystemFault(number: ENOENT).text)
    }
    return size
  }

  /// Reads the file at `path`.
  /// - Throws: `checksumMismatch` when it adds up to something else.
  package static func file(_ path: String, _ wanted: Checksum) throws(DownloadError) {
    let sum = try Digest.hex(ofFile: path, wanted.algorithm)
    guard sum == wanted.hex else { throw .checksumMismatch(expected: wanted.hex, got: sum) }
  }
}
