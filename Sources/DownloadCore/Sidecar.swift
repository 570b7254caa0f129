/// What is kept beside a part file so that the download can go on: who the file is, and which of its bytes are safely on the disk.
package struct Sidecar: Hashable, Codable, Sendable {
  package static let format = "dltui sidecar"
  package static let version = 1

  package var format = Sidecar.format
  package var version = Sidecar.version
  package var url: String
  /// The file's final name; the folder is the one the sidecar is in, so that a folder can be moved.
  package var name: String
  package var resource: Resource
  /// Synced stretches as `[first, end]`, ascending, disjoint.
  package var done: [[Int64]]
  package var checksum: Checksum?
  /// Whether the program stopped in good order after writing this.
  package var clean: Bool
  /// Seconds since 1970.
  package var created: Int64
  package var updated: Int64

  package init(url: String, name: String, resource: Resource, done: ByteRangeSet, checksum: Checksum?, clean: Bool) {
    self.url = url
    self.name = name
    self.resource = resource
    self.done = done.ranges.map { [$0.lowerBound, $0.upperBound] }
    self.checksum = checksum
    self.clean = clean
    created = 0
    updated = 0
  }

  /// Why the sidecar cannot be used, in words; nil when every field makes sense.
  package var fault: String? {
    guard format == Self.format else { return "it is not a sidecar of dltui" }
    guard version == Self.version else { return "its version is \(version), this program knows \(Self.version)" }
    guard FileName.isPossible(name) else { return "its file name is not one" }
    if let total = resource.total, total < 0 { return "its total is negative" }
    guard FileName.isPrintable(url),
      [resource.etag, resource.lastModified].allSatisfy({ $0.map(FileName.isPrintable) ?? true })
    else { return "a field holds control characters" }
    return faultInRanges
  }

  /// The stretches that are on disk. Only meaningful when there is no `fault`.
  package var doneRanges: ByteRangeSet {
    ByteRangeSet(done.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]..<$0[1] : nil })
  }

  private var faultInRanges: String? {
    var end: Int64 = 0
    for range in done {
      guard range.count == 2, range[0] >= end, range[1] > range[0], range[1] <= resource.total ?? .max else {
        return "its ranges overlap or lie outside the file"
      }
      end = range[1]
    }
    return nil
  }
}
