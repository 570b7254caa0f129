import Testing

@testable import DownloadCore

/// What can be read from an answer's header lines, whoever wrote them.
struct ResponseHeadTests {
  private func head(_ lines: [String]) -> ResponseHead {
    var head = ResponseHead(status: 200, url: "http://host/file")
    for line in lines { head.add(line: latin1Bytes(line)) }
    return head
  }

  // MARK: Lines

  @Test(arguments: [
    ("ETag: \"v1\"\r\n", "etag", "\"v1\""), ("ETag:\"v1\"\r\n", "etag", "\"v1\""), ("ETAG: x", "etag", "x"),
    ("eTaG:\t  x \t \r\n", "etag", "x"), ("ETag: x\n", "etag", "x"), ("ETag: a: b:c\r\n", "etag", "a: b:c"),
    ("ETag:\r\n", "etag", ""), ("ETag:   \r\n", "etag", ""), ("ETag::", "etag", ":"),
    ("ETag: a  b\r\n", "etag", "a  b"), ("ETag: \u{e9}\u{ff}\r\n", "etag", "\u{e9}\u{ff}"),
    ("ETag: a\rb\r\n", "etag", "a\rb"), ("ETag: a\nX-Evil: 1\r\n", "etag", "a\nX-Evil: 1"),
    ("ETag: a\u{0}b\r\n", "etag", "a\u{0}b"), ("X-\u{c9}: 1", "x-\u{e9}", "1"),
  ]) func aFieldIsTakenApart(_ line: String, _ name: String, _ value: String) {
    let head = head([line])
    #expect(head.fields == [.init(name: name, value: latin1Bytes(value))])
    #expect(head.value(name) == value)
  }

  @Test(arguments: [
    "", "\r\n", "\n", "HTTP/1.1 200 OK\r\n", "no colon", ": no name\r\n", ":", " folded: alone\r\n", "\t",
  ])
  func whatIsNoFieldIsLeftOut(_ line: String) {
    #expect(head([line]).fields.isEmpty)
  }

  @Test func aFoldedLineGoesOnWithItsField() {
    let head = head([
      "Content-Disposition: attachment;\r\n", "\t filename=\"a: b.txt\" \r\n", " \r\n", "ETag:\r\n", " x\r\n",
    ])
    #expect(head.value("content-disposition") == "attachment; filename=\"a: b.txt\"")
    #expect(head.value("etag") == "x")
  }

  @Test func aFieldThatDisagreesWithItselfHasNoValue() {
    #expect(head(["ETag: a", "ETag: a"]).value("etag") == "a")
    #expect(head(["ETag: a", "ETag: b"]).value("etag") == nil)
    #expect(head(["ETag: a", "etag: b"]).values("etag") == ["a", "b"])
    #expect(head([]).value("etag") == nil && head([]).values("etag").isEmpty)
  }

  @Test(arguments: UInt64(0)..<20) func anyBytesAreALine(seed: UInt64) {
    var random = Seeded(seed)
    for _ in 0..<200 {
      var head = ResponseHead(status: 206, url: "")
      for name in ["Content-Range: bytes", "Content-Length:", "Content-Range:", ""] {
        let alphabet = Array("0123456789-/*=, \t\r\n\u{0}bytes:".utf8) + [0x80, 0xff]
        let noise = (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
          alphabet.randomElement(using: &random)
        }
        head.add(line: Array(name.utf8) + noise)
      }
      if case .bytes(let count) = head.contentLength { #expect(count >= 0, "seed \(seed)") }
      if case .range(let range, let total) = head.contentRange {
        #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= total ?? .max, "seed \(seed)")
      }
      #expect(head.fields.allSatisfy { !$0.name.isEmpty }, "seed \(seed)")
    }
  }

  // MARK: Content-Length (RFC 9110 §8.6)

  @Test(
    arguments: [
      ([], .unknown), (["Content-Length: 0"], .bytes(0)), (["Content-Length: 1000000"], .bytes(1_000_000)),
      (["content-length:5\r\n"], .bytes(5)), (["Content-Length: 0005"], .bytes(5)),
      (["Content-Length: 5368709120"], .bytes(5_368_709_120)),
      (["Content-Length: 9223372036854775807"], .bytes(.max)), (["Content-Length: 9223372036854775808"], .unknown),
      (["Content-Length: 99999999999999999999"], .unknown), (["Content-Length: 18446744073709551617"], .unknown),
      (["Content-Length: \(String(repeating: "9", count: 5000))"], .unknown),
      (["Content-Length: -5"], .malformed), (["Content-Length: +5"], .malformed), (["Content-Length:"], .malformed),
      (["Content-Length: 5 bytes"], .malformed), (["Content-Length: 5.0"], .malformed),
      (["Content-Length: 0x10"], .malformed),
      (["Content-Length: 1e6"], .malformed), (["Content-Length: 1 000"], .malformed),
      (["Content-Length: \u{b2}"], .malformed),
      (["Content-Length: 5", "Content-Length: 5"], .bytes(5)),
      (["Content-Length: 5", "Content-Length: 6"], .contradictory),
      (["Content-Length: 5", "Content-Length: -5"], .contradictory),
      (["Content-Length: 1000000, 1000000"], .contradictory), (["Content-Length: 5, 6"], .contradictory),
      (["Content-Length: 5,"], .contradictory), (["Content-Length: ,"], .contradictory),
      (["Transfer-Encoding: chunked", "Content-Length: 12345"], .unknown),
      (["Content-Length: 12345", "transfer-encoding: gzip, chunked"], .unknown),
      (["Transfer-Encoding:", "Content-Length: 5"], .unknown), (["X-Content-Length: 5"], .unknown),
    ] as [([String], ContentLength)])
  func aLengthIsOnlyBelievedWhenItIsOne(_ lines: [String], _ length: ContentLength) {
    #expect(head(lines).contentLength == length)
  }

  // MARK: Content-Range (RFC 9110 §14.4)

  @Test(
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("bytes 0-0/1", 0..<1, 1),
      ("bytes 300000-999999/1000000", 300_000..<1_000_000, 1_000_000),
      ("bytes 300000-999999/*", 300_000..<1_000_000, nil), ("BYTES 0-9/10", 0..<10, 10), ("Bytes 0-9/10", 0..<10, 10),
      ("bytes  0-9/10", 0..<10, 10), ("bytes\t0-9/10", 0..<10, 10), ("bytes 0 - 9 / 10", 0..<10, 10),
      ("bytes=0-9/10", 0..<10, 10), ("bytes= 0-9/10", 0..<10, 10), ("bytes: 0-9/10", 0..<10, 10),
      ("0-9/10", 0..<10, 10),
      ("300000-999999/1000000", 300_000..<1_000_000, 1_000_000), ("bytes 00-09/0010", 0..<10, 10),
      ("bytes 4294967296-5368709119/5368709120", 4_294_967_296..<5_368_709_120, 5_368_709_120),
      ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int64.max, .max),
      ("bytes 8-9223372036854775806/*", 8..<Int64.max, nil),
    ] as [(String, ByteRange, Int64?)])
  func aRangeIsReadEvenIfSloppilyWritten(_ text: String, _ range: ByteRange, _ total: Int64?) {
    #expect(head(["Content-Range: \(text)"]).contentRange == .range(range, total: total))
  }

  @Test(
    arguments: [
      ("bytes */1000", 1000), ("bytes */0", 0), ("*/1000", 1000), ("bytes=*/1000", 1000), ("bytes * / 5", 5),
      ("bytes */*", nil),
    ] as [(String, Int64?)])
  func anUnsatisfiedRangeTellsTheSize(_ text: String, _ total: Int64?) {
    #expect(head(["Content-Range: \(text)"]).contentRange == .unsatisfied(total: total))
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/", "bytes /10", "bytes -/10", "bytes 5-/10", "bytes -5/10", "/",
    "-/",
    "bytes 300000-/1000000", "bytes 9-0/10", "bytes 0-10/10", "bytes 0-9/9", "bytes 0-0/0", "bytes 10-10/10",
    "bytes 0-9/-10",
    "items 300000-999999/1000000", "items */10", "byte 0-9/10", "octets 0-9/10", "bytesx 0-9/10", "bytes 0-9/10/10",
    "bytes 0-9-9/10", "bytes 0--9/10", "bytes +0-9/10", "bytes 0x0-9/10", "bytes 0-9/1e3", "bytes a-b/c",
    "bytes 0-9/ten",
    "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775807/9223372036854775808", "bytes 0-9/9223372036854775808",
    "bytes 9223372036854775808-9223372036854775809/*", "bytes 0-99999999999999999999/*",
    "bytes 0-9/99999999999999999999",
    "bytes 0-9/10, bytes 0-9/10", "bytes 0-9/10, 20-29/30", "bytes 0-4,5-9/10", "bytes 0-9/10 ;x", "bytes 0-9 10",
    "bytes \u{b9}-9/10",
    "bytes 0-9/10\rX", "bytes 1 0-19/20", "bytes */-1", "bytes */99999999999999999999", "bytes **/10", "bytes 0-*/10",
  ]) func aRangeThatMakesNoSenseIsMalformed(_ text: String) {
    #expect(head(["Content-Range: \(text)"]).contentRange == .malformed(text.hasSuffix(" ") ? "bytes" : text))
  }

  @Test func rangesMustAgree() {
    let (one, other) = ("Content-Range: bytes 0-9/10", "Content-Range: bytes 1-9/10")
    #expect(head([]).contentRange == .missing)
    #expect(head([one, one]).contentRange == .range(0..<10, total: 10))
    #expect(head([one, other]).contentRange == .malformed("bytes 0-9/10, bytes 1-9/10"))
    #expect(head([one, "Content-Range: bytes */10"]).contentRange == .malformed("bytes 0-9/10, bytes */10"))
  }
}

/// Every character is a byte: what a header line is on the wire. Those beyond U+00FF are spelt in UTF-8.
func latin1Bytes(_ text: String) -> [UInt8] {
  text.unicodeScalars.flatMap { $0.value <= 0xff ? [UInt8($0.value)] : Array(String($0).utf8) }
}
