import Testing

@testable import DownloadCore

/// Sums of a file's pieces.
struct PieceSumsTests {
  private static let md5 = String(repeating: "0A", count: 16)

  private func pieces(_ count: Int, length: Int64 = 100) -> PieceSums? {
    PieceSums(.md5, length: length, sums: Array(repeating: Self.md5, count: count))
  }

  @Test func digitsAreKeptInLowerCase() throws {
    let two = try #require(pieces(2))
    #expect(two.sums == [Self.md5.lowercased(), Self.md5.lowercased()])
    #expect(two.checksum(of: 1) == Checksum(.md5, hex: Self.md5))
    #expect(two.checksum(of: 2) == nil && two.checksum(of: -1) == nil)
  }

  @Test(
    arguments: [
      (0, 100), (1, 0), (1, -1), (1, .min), (3, .max), (PieceSums.mostPieces + 1, 1), (2, .max / 2 + 1),
    ] as [(Int, Int64)]) func whatIsNoListOfPiecesIsRefused(_ count: Int, _ length: Int64)
  {
    #expect(pieces(count, length: length) == nil)
  }

  @Test(
    arguments: [
      (1, .max), (PieceSums.mostPieces, 1), (2, .max / 2),
    ] as [(Int, Int64)]) func theEndsOfWhatIsPossibleAreTaken(_ count: Int, _ length: Int64)
  {
    #expect(pieces(count, length: length) != nil)
  }

  @Test(
    arguments: [
      (1, 1, true), (1, 100, true), (1, 101, false), (2, 101, true), (2, 100, false), (2, 200, true), (2, 201, false),
      (1, 0, false), (1, -1, false), (1, .min, false), (1, .max, false),
    ] as [(Int, Int64, Bool)]) func onlyAFileOfTheRightLengthFits(_ count: Int, _ total: Int64, _ fits: Bool) throws
  {
    #expect(try #require(pieces(count)).fits(total: total) == fits)
  }

  @Test(
    arguments: [
      (0, 250, 0..<100), (1, 250, 100..<200), (2, 250, 200..<250), (2, 300, 200..<300), (2, 900, 200..<300),
      (3, 900, nil), (-1, 250, nil), (2, 200, nil), (0, 0, nil), (0, .min, nil), (.max, 250, nil), (0, .max, 0..<100),
    ] as [(Int, Int64, ByteRange?)]) func aPieceLiesWhereItsNumberSays(
      _ index: Int, _ total: Int64, _ range: ByteRange?
    )
    throws
  {
    #expect(try #require(pieces(3)).range(of: index, total: total) == range)
  }

  @Test func theLastPieceOfTheLongestFileDoesNotOverflow() throws {
    let longest = try #require(pieces(2, length: .max / 2))
    let range: ByteRange = (.max / 2)..<(.max - 1)
    #expect(longest.range(of: 1, total: .max) == range)
  }
}
