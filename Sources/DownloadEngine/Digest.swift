import CCrypto
import DownloadCore
import Glibc

/// Message digests of whole files, computed by libcrypto.
enum Digest {
  private static let chunk = 1 << 20

  /// Lower-case hexadecimal.
  /// - Throws: when the file cannot be read, or `isCancelled` says so between two chunks.
  static func hex(
    of part: PartFile, _ algorithm: Checksum.Algorithm, isCancelled: () -> Bool
  ) throws(DownloadError) -> String {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, type(algorithm), nil) == 1 else {
      throw .other("libcrypto does not offer \(algorithm.rawValue)")
    }
    defer { EVP_MD_CTX_free(context) }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      if isCancelled() { throw .other("stopped while verifying") }
      let count = try part.read(into: buffer, chunk, at: offset)
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
    return sum.prefix(Int(length)).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
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
