import CCrypto
import DownloadCore
import Glibc

/// Message digests of whole files, computed by libcrypto.
enum Digest {
  private static let chunk = 1 << 20
  /// Reads up to so many bytes at an offset.
  private typealias Reader = (UnsafeMutableRawPointer, Int, Int64) throws(DownloadError) -> Int

  /// Lower-case hexadecimal.
  /// - Throws: when the file cannot be read, or `isCancelled` says so between two chunks.
  static func hex(
    of part: PartFile, _ algorithm: Checksum.Algorithm, isCancelled: () -> Bool
  ) throws(DownloadError) -> String {
    try hex(algorithm, isCancelled) { (buffer, count, offset) throws(DownloadError) in
      try part.readBack(into: buffer, count, at: offset)
    }
  }

  /// The same of any plain file.
  static func hex(
    ofFile path: String, _ algorithm: Checksum.Algorithm, _ range: ByteRange = 0..<Int64.max
  ) throws(DownloadError) -> String {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, why: SystemFault.last.text) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotOpen(path: path, why: "not a plain file")
    }
    return try hex(algorithm, { false }, range) { (buffer, count, offset) throws(DownloadError) in
      do throws(SystemFault) { return try retrying { pread(descriptor, buffer, count, off_t(offset)) } } catch {
        throw .cannotOpen(path: path, why: error.text)
      }
    }
  }

  /// The numbers, from 0, of the pieces that do not have their sums, neighbours together. A file that ends too early has wrong ones there.
  static func wrongPieces(
    of part: PartFile, _ pieces: PieceSums, isCancelled: () -> Bool
  ) throws(DownloadError) -> [Range<Int>] {
    var wrong: [Range<Int>] = []
    let size = try part.size()
    for (index, sum) in pieces.sums.enumerated() {
      let range = pieces.range(of: index, total: size) ?? 0..<0
      let found = try hex(pieces.algorithm, isCancelled, range) { (buffer, count, offset) throws(DownloadError) in
        try part.readBack(into: buffer, count, at: offset)
      }
      guard range.isEmpty || found != sum else { continue }
      let start = wrong.last?.upperBound == index ? wrong.removeLast().lowerBound : index
      wrong.append(start..<index + 1)
    }
    return wrong
  }

  private static func hex(
    _ algorithm: Checksum.Algorithm, _ isCancelled: () -> Bool, _ range: ByteRange = 0..<Int64.max, reading read: Reader
  ) throws(DownloadError) -> String {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, type(algorithm), nil) == 1 else {
      throw .other("libcrypto does not offer \(algorithm.rawValue)")
    }
    defer { EVP_MD_CTX_free(context) }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      if isCancelled() { throw .other("stopped while verifying") }
      let count = try read(buffer, Int(min(Int64(chunk), range.upperBound - offset)), offset)
      if count == 0 { break }
      guard EVP_DigestUpdate(context, buffer, count) == 1 else { throw .other("libcrypto failed") }
      offset += Int64(count)
    }
    return try final(context)
  }

  private static func final(_ context: OpaquePointer) throws(DownloadError) -> String {
    var sum = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &sum, &length) == 1 else { throw .other("libcrypto failed") }
    return sum.prefix(Int(length)).hex
  }

  private static func type(_ algorithm: Checksum.Algorithm) -> OpaquePointer? {
    switch algorithm {
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    case .sha384: EVP_sha384()
    case .sha224: EVP_sha224()
    case .sha1: EVP_sha1()
    case .md5: EVP_md5()
    }
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
