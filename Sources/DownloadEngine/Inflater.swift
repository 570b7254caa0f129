import CZlib
import DownloadCore

/// Undoes a gzip or deflate content coding (RFC 9110 §8.4.1): the part file holds the coded bytes, zlib checks them as it goes.
enum Inflater {
  private static let chunk = 1 << 18

  /// - Throws: `badAnswer` when the coded bytes are broken or end too early.
  static func inflate(_ coded: PartFile, into plain: PartFile, isCancelled: () -> Bool) throws(DownloadError) {
    var stream = z_stream()
    guard czlib_inflate_init(&stream) == Z_OK else { throw .other("zlib does not start") }
    defer { inflateEnd(&stream) }
    let input = UnsafeMutablePointer<UInt8>.allocate(capacity: chunk)
    defer { input.deallocate() }
    let output = UnsafeMutablePointer<UInt8>.allocate(capacity: chunk)
    defer { output.deallocate() }
    var (read, written): (Int64, Int64) = (0, 0)
    var isEnded = false
    while true {
      if isCancelled() { throw .other("stopped while decoding") }
      let count = try coded.read(into: input, chunk, at: read)
      if count == 0 { break }
      read += Int64(count)
      (stream.next_in, stream.avail_in) = (input, UInt32(count))
      isEnded = try drain(&stream, output, into: plain, at: &written)
    }
    guard isEnded else { throw .badAnswer("its compressed form ends too early") }
  }

  /// Decodes what is in hand. True when a whole stream has just ended; another may follow (RFC 1952 §2.2).
  private static func drain(
    _ stream: inout z_stream, _ output: UnsafeMutablePointer<UInt8>, into plain: PartFile, at written: inout Int64
  ) throws(DownloadError) -> Bool {
    var result = Z_OK
    repeat {
      if result == Z_STREAM_END { inflateReset(&stream) }
      (stream.next_out, stream.avail_out) = (output, UInt32(chunk))
      result = CZlib.inflate(&stream, Z_NO_FLUSH)
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
        throw .badAnswer("its compressed form is broken")
      }
      let count = chunk - Int(stream.avail_out)
      if let error = plain.write(output, count, at: written) { throw error }
      written += Int64(count)
    } while stream.avail_in > 0 || stream.avail_out == 0
    return result == Z_STREAM_END
  }
}
