/// What is kept beside a part file so that the download can go on: who the file is, and which of its bytes are safely on the disk.
package struct Sidecar: Hashable, Codable, Sendable {
  package static let format = "dltui sidecar"
  package static let version = 1

  package var format = Sidecar.format
  package var version = Sidecar.version
  /// What was asked for, without secrets; its folder is the one the sidecar is in, so that a folder can be moved.
  package var request: Request
  /// The address whose validators `resource` has: one of the mirrors, or none where it is empty; nil is the first address.
  package var source: String?
  /// Further addresses that the server told.
  package var learnedMirrors: [String]?
  /// The file's final name.
  package var name: String
  package var resource: Resource
  /// Synced stretches as `[first, end]`, ascending, disjoint.
  package var done: [[Int64]]
  /// CRC-32 of pieces of `done` as `[first, end, sum]`, ascending, disjoint; a piece never crosses a block's border.
  package var sums: [[Int64]] = []
  /// Whether the program stopped in good order after writing this, and the part file's size and status change time (ns) then.
  package var clean = false
  package var partSize: Int64 = 0
  package var partTouched: Int64 = 0
  /// The part file's number on its file system and when it was made (ns): what stays when it gets its final name.
  package var partInode: UInt64?
  package var partBorn: Int64?
  /// Bytes of several sessions are tied together by comparing only.
  package var isOverlapOnly = false
  /// Offsets at which a connection broke: the bytes before are compared when it goes on.
  package var suspects: [Int64] = []
  /// Seconds since 1970.
  package var created: Int64 = 0
  package var updated: Int64 = 0

  package init(request: Request, name: String, resource: Resource, done: ByteRangeSet) {
    self.request = request.withoutSecrets
    self.request.folder = "."
    self.name = name
    self.resource = resource
    self.done = done.ranges.map { [$0.lowerBound, $0.upperBound] }
  }

  /// Bytes of a block: a power of two from 1 MiB on, so that a file has at most 2,048 of them and its sidecar stays small.
  package static func blockSize(total: Int64) -> Int64 {
    var size: Int64 = 1 << 20
    while total / size >= 2048 { size <<= 1 }
    return size
  }

  /// Where the file was fetched from: whoever asks for one of these means this part.
  package var addresses: [String] { [request.url] + (request.mirrors ?? []) }

  /// The stretches that are on disk. Only meaningful when there is no `fault`.
  package var doneRanges: ByteRangeSet {
    ByteRangeSet(done.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]..<$0[1] : nil })
  }

  // MARK: Faults

  /// Why the sidecar cannot be used, in words; nil when every field makes sense.
  package var fault: String? {
    guard format == Self.format else { return "it is not a sidecar of dltui" }
    guard version == Self.version else { return "its version is \(version), this program knows \(Self.version)" }
    guard FileName.isPossible(name) else { return "its file name is not one" }
    if let total = resource.total, total < 0 { return "its total is negative" }
    if let size = request.size, size < 0 { return "the size that was asked for is negative" }
    return faultInTexts ?? faultInRanges ?? faultInSums
  }

  private var faultInTexts: String? {
    let optional = [resource.etag, resource.lastModified, resource.coding, resource.contentType]
    let lines = request.lines + optional.compactMap(\.self)
    guard ([name, source ?? ""] + (learnedMirrors ?? []) + request.urls).allSatisfy(FileName.isPrintable),
      lines.allSatisfy(Request.isOneLine)
    else {
      return "a field holds control characters"
    }
    return request.url.contains("://") ? nil : "its address is not one"
  }

  private var faultInRanges: String? {
    var end: Int64 = 0
    for range in done {
      guard range.count == 2, range[0] >= end, range[1] > range[0], range[1] <= resource.total ?? .max else {
        return "its ranges overlap or lie outside the file"
      }
      end = range[1]
    }
    guard suspects.allSatisfy({ $0 >= 0 }) else { return "it suspects a negative offset" }
    return nil
  }

  private var faultInSums: String? {
    let ranges = doneRanges
    var end: Int64 = 0
    for sum in sums {
      guard sum.count == 3, sum[0] >= end, sum[1] > sum[0], ranges.contains(sum[0]..<sum[1]),
        UInt32(exactly: sum[2]) != nil
      else { return "its sums lie outside what is done" }
      end = sum[1]
    }
    return nil
  }
}
