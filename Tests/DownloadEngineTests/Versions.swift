import TestSupport

/// The bytes that the tests serve: random, so that no shifted or mixed copy goes unnoticed.
enum Version {
  static let v1 = Blob.random(count: 1_000_000, seed: 101)
  /// As long as the first, and different everywhere.
  static let v2 = Blob.random(count: 1_000_000, seed: 102)
  static let v3 = Blob.random(count: 1_200_000, seed: 103)
  /// Long enough for eight segments.
  static let b = Blob.random(count: 8_000_000, seed: 104)
  static let b2 = Blob.random(count: 8_000_000, seed: 105)

  /// Which version the bytes are from, a word for every 100,000 of them.
  static func names(in bytes: [UInt8]) -> String {
    let known = [("V1", v1), ("V2", v2), ("V3", v3), ("B", b), ("B2", b2)]
    return stride(from: 0, to: bytes.count, by: 100_000).map { start in
      let end = min(start + 100_000, bytes.count)
      return known.first { $1.count >= end && $1[start..<end] == bytes[start..<end] }?.0 ?? "?"
    }.joined(separator: " ")
  }
}

extension ServedFile {
  static let v1 = ServedFile(Version.v1)
  static let v2 = ServedFile(Version.v2).newer("\"v2\"")
  static let v3 = ServedFile(Version.v3).newer("\"v3\"")
  static let b = ServedFile(Version.b)
  static let b2 = ServedFile(Version.b2).newer("\"v2\"")

  private func newer(_ tag: String) -> ServedFile {
    with {
      $0.etag = tag
      $0.lastModified = "Tue, 02 Jan 2024 00:00:00 GMT"
    }
  }

  /// The same from an origin that takes no notice of If-Range.
  var careless: ServedFile { with { $0.honoursIfRange = false } }
  /// The same without anything that could tell it from another one.
  var anonymous: ServedFile {
    with {
      $0.etag = nil
      $0.lastModified = nil
    }
  }
}
