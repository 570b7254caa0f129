import Testing

@testable import DownloadCore

/// Byte counts as people read and type them.
struct ByteCountTests {
  @Test(
    arguments: [
      (0, "0 B"), (1, "1 B"), (17, "17 B"), (999, "999 B"), (1000, "1.0 KiB"), (1023, "1.0 KiB"), (1024, "1.0 KiB"),
      (1075, "1.0 KiB"), (1076, "1.1 KiB"), (10_137, "9.9 KiB"), (10_188, "9.9 KiB"), (10_189, "10.0 KiB"),
      (10_240, "10.0 KiB"), (102_348, "99.9 KiB"), (102_349, "100 KiB"), (102_400, "100 KiB"), (102_911, "100 KiB"),
      (102_912, "101 KiB"), (1_022_975, "999 KiB"), (1_022_976, "999 KiB"), (1_023_488, "1000 KiB"),
      (1_023_999, "1000 KiB"), (1_024_000, "1.0 MiB"), (1 << 20, "1.0 MiB"), (784 << 20, "784 MiB"),
      (6_335_076_761, "5.9 GiB"), (1 << 40, "1.0 TiB"), (1 << 50, "1.0 PiB"), (1 << 60, "1.0 EiB"),
      (5 << 60, "5.0 EiB"),
      (Int64.max - 1, "8.0 EiB"), (Int64.max, "8.0 EiB"), (-1, "0 B"), (Int64.min, "0 B"),
    ] as [(Int64, String)])
  func aCountIsWrittenShort(_ bytes: Int64, _ text: String) {
    #expect(ByteCount.text(bytes) == text)
    #expect(ByteCount.rate(bytes) == text + "/s")
  }

  @Test func noCountIsEverWiderThanEight() {
    var random = Seeded(7)
    for _ in 0..<20_000 {
      let bytes = Int64.random(in: 0...Int64.max, using: &random) >> Int64.random(in: 0...62, using: &random)
      #expect(ByteCount.text(bytes).count <= 8, "seed 7: \(bytes)")
    }
    for power in 0...62 {
      let border = Int64(1) << power
      for bytes in [border - 2, border - 1, border, border + 1, border / 1024 * 999, border / 1024 * 1000]
      where bytes >= 0 {
        #expect(ByteCount.text(bytes).count <= 8, "\(bytes)")
      }
    }
  }

  /// A bigger count never reads as a smaller one.
  @Test func aCountIsOffByAtMostHalfOfItsLastDigit() throws {
    var random = Seeded(8)
    let units: [Substring: Double] = [
      "B": 1, "KiB": 0x1p10, "MiB": 0x1p20, "GiB": 0x1p30, "TiB": 0x1p40, "PiB": 0x1p50, "EiB": 0x1p60,
    ]
    for _ in 0..<5000 {
      let bytes = Int64.random(in: 0...Int64.max, using: &random) >> Int64.random(in: 0...62, using: &random)
      let words = ByteCount.text(bytes).split(separator: " ")
      let (number, unit) = (try #require(Double(words[0])), try #require(units[words[1]]))
      let step = unit == 1 ? 0 : words[0].contains(".") ? 0.1 : 1
      #expect(abs(number - Double(bytes) / unit) <= step / 2 + 1e-9, "seed 8: \(bytes) is \(words)")
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("007", 7), ("4096", 4096), ("1K", 1024), ("500K", 512_000), ("500k", 512_000),
      ("1KB", 1024), ("1kb", 1024), ("1KiB", 1024), ("1kib", 1024), ("10B", 10), ("2.5M", 2_621_440), (".5K", 512),
      ("1.K", 1024), ("0.1", 0), ("0.5", 1), ("1GiB", 1 << 30), ("2T", 2 << 40), ("0K", 0), ("1.5", 2),
      ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max),
      ("9007199254740991K", 9_007_199_254_740_991 << 10), ("8388607T", 8_388_607 << 40),
    ] as [(String, Int64)])
  func aTypedCountIsUnderstood(_ text: String, _ bytes: Int64) {
    #expect(ByteCount.parse(text) == bytes)
  }

  @Test(arguments: [
    "", " ", "K", "B", ".", ".K", "1X", "1KX", "1.2.3", "1..2", "-1", "+1", "-0", "1 K", " 1", "1 ", "nan", "NaN",
    "inf",
    "infinity", "1e3", "1e400", "0x10", "1,5K", "1KK", "1iB", "1BB", "1KiBB", "1Ki", "１", "½", "٣", "1\u{301}",
    "1K\u{0}",
    "9223372036854775808", "9223372036854775807K", "8388608T", "9999999999999999999999", "1.5.K", "1/2",
    String(repeating: "9", count: 400),
  ])
  func whatIsNoCountIsRefused(_ text: String) {
    #expect(ByteCount.parse(text) == nil)
  }

  @Test func everyWholeNumberIsReadExactly() {
    var random = Seeded(9)
    for _ in 0..<5000 {
      let bytes = Int64.random(in: 0...Int64.max, using: &random) >> Int64.random(in: 0...62, using: &random)
      #expect(ByteCount.parse(String(bytes)) == bytes, "seed 9")
    }
  }
}
