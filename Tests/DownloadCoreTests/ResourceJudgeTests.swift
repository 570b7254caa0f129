import TestSupport
import Testing

@testable import DownloadCore

/// The verdict on an answer's head, as tables: what may be joined with what is on the disk (http-resume-rules.md §1–§4).
struct ResourceJudgeTests {
  // MARK: 200 and 203

  @Test(
    arguments: [
      ("nothing is known", .known(nil), .lines("Content-Length: 1000000"), .goOn(0, 1_000_000)),
      ("no length", .known(nil), .lines(), .goOn(0, .max)),
      (
        "chunks, whatever the length says", .known(nil), .lines("Transfer-Encoding: chunked", "Content-Length: 5"),
        .goOn(0, .max)
      ),
      ("an absurd length", .known(nil), .lines("Content-Length: 99999999999999999999"), .goOn(0, .max)),
      ("two lengths", .known(nil), .lines("Content-Length: 5", "Content-Length: 6"), .refuse),
      ("no bytes at all", .known(nil), .lines("Content-Length: 0"), .empty),
      (
        "a range that means nothing here", .known(nil), .lines("Content-Length: 9", "Content-Range: bytes 5-8/9"),
        .goOn(0, 9)
      ),
      ("the same tag", .tagged, .lines(v1, million), .goOn(0, 1_000_000)),
      ("the same tag, no length", .tagged, .lines(v1), .goOn(0, 1_000_000)),
      ("another tag", .tagged, .lines("ETag: \"v2\"", million), .startOver),
      ("the tag made weak", .tagged, .lines("ETag: W/\"v1\"", million), .startOver),
      ("no tag", .tagged, .lines(million), .startOver),
      ("two tags", .tagged, .lines(v1, "ETag: \"v2\"", million), .startOver),
      ("the same tag, another size", .tagged, .lines(v1, "Content-Length: 1200000"), .startOver),
      ("the same tag, now coded", .tagged, .lines(v1, million, gzip), .startOver),
      ("the same tag, another date", .tagged, .lines(v1, million, "Last-Modified: later"), .goOn(0, 1_000_000)),
      ("the same weak tag", .weakTagged, .lines("ETag: W/\"v1\"", million), .startOver),
      ("the same strong date", .dated, .lines(date, million), .goOn(0, 1_000_000)),
      ("another date", .dated, .lines("Last-Modified: later", million), .startOver),
      ("the same date, and a tag", .dated, .lines(date, v1, million), .startOver),
      ("the same weak date", .weaklyDated, .lines(date, million), .startOver),
      ("nothing to compare", .anonymous, .lines(million), .startOver),
      ("an empty body instead", .tagged, .lines("ETag: \"v2\"", "Content-Length: 0"), .refuse),
      ("a page instead", .tagged, .lines("ETag: \"v2\"", "Content-Length: 9", html), .refuse),
      ("a page with the tag", .tagged, .lines(v1, million, html), .refuse),
      ("a page again", .page, .lines("ETag: \"v2\"", "Content-Length: 9", html), .startOver),
      ("a coding that nobody can undo", .known(nil), .lines(million, "Content-Encoding: br"), .refuse),
      ("a coding that can be undone", .known(nil), .lines(million, gzip), .goOn(0, 1_000_000)),
    ] as [(String, Known, Lines, Outcome)])
  func aWholeBodyIsTakenOrSkippedButNeverAppended(_ case: String, _ known: Known, _ lines: Lines, _ outcome: Outcome) {
    for status in [200, 203] {
      for asked in [Asked(300_000..<Int64.max, ifRange: "\"v1\""), Asked(nil)] {
        #expect(judge(status, lines, asked, known) == outcome)
      }
    }
  }

  // MARK: 206

  @Test(
    arguments: [
      ("as asked", .tagged, .lines(v1, rest), .goOn(300_000, 1_000_000)),
      (
        "as asked, the total untold", .tagged, .lines(v1, "Content-Range: bytes 300000-999999/*"),
        .goOn(300_000, 1_000_000)
      ),
      ("less than asked", .tagged, .lines(v1, "Content-Range: bytes 300000-300000/1000000"), .goOn(300_000, 300_001)),
      ("from earlier on", .tagged, .lines(v1, "Content-Range: bytes 299000-999999/1000000"), .goOn(299_000, 1_000_000)),
      ("from later on", .tagged, .lines(v1, "Content-Range: bytes 301000-999999/1000000"), .askPlainly),
      ("only what comes before", .tagged, .lines(v1, "Content-Range: bytes 0-299999/1000000"), .askPlainly),
      ("no range at all", .tagged, .lines(v1), .askPlainly),
      ("another unit", .tagged, .lines(v1, "Content-Range: items 300000-999999/1000000"), .askPlainly),
      ("two ranges", .tagged, .lines(v1, rest, "Content-Range: bytes 0-699999/1000000"), .askPlainly),
      ("the same range twice", .tagged, .lines(v1, rest, rest), .goOn(300_000, 1_000_000)),
      ("several parts", .tagged, .lines(v1, "Content-Type: multipart/byteranges; boundary=x"), .askPlainly),
      ("its end before its start", .tagged, .lines(v1, "Content-Range: bytes 999999-300000/1000000"), .askPlainly),
      ("its end beyond the total", .tagged, .lines(v1, "Content-Range: bytes 300000-1000000/1000000"), .askPlainly),
      ("unsatisfied", .tagged, .lines(v1, "Content-Range: bytes */1000000"), .askPlainly),
      ("another total", .tagged, .lines(v1, "Content-Range: bytes 300000-1199999/1200000"), .askAgain),
      ("another tag", .tagged, .lines("ETag: \"v2\"", rest), .askAgain),
      ("the tag made weak", .tagged, .lines("ETag: W/\"v1\"", rest), .askAgain),
      ("a tag in another case", .tagged, .lines("ETag: \"V1\"", rest), .askAgain),
      ("a tag without its quotes", .tagged, .lines("ETag: v1", rest), .askAgain),
      ("no tag", .tagged, .lines(rest), .compare), ("two tags", .tagged, .lines(v1, "ETag: \"v2\"", rest), .compare),
      ("no tag but a date", .tagged, .lines(date, rest), .compare),
      ("coded", .tagged, .lines(v1, rest, gzip), .askPlainly),
      ("coded as identity", .tagged, .lines(v1, rest, "Content-Encoding: identity"), .goOn(300_000, 1_000_000)),
      ("another coding", .tagged, .lines(v1, rest, "Content-Encoding: br"), .refuse),
      ("the same strong date", .dated, .lines(date, rest), .goOn(300_000, 1_000_000)),
      ("another date", .dated, .lines("Last-Modified: later", rest), .askAgain),
      ("no date", .dated, .lines(rest), .compare),
      ("a tag in place of the date", .dated, .lines(date, v1, rest), .compare),
      ("the same weak tag", .weakTagged, .lines("ETag: W/\"v1\"", rest), .compare),
      ("another weak tag", .weakTagged, .lines("ETag: W/\"v2\"", rest), .askAgain),
      ("the same weak date", .weaklyDated, .lines(date, rest), .compare),
      ("nothing", .anonymous, .lines(rest), .compare),
      ("the same digest", .digested, .lines(rest), .compare),
      ("nothing is known", .known(nil), .lines(v1, rest), .goOn(300_000, 1_000_000)),
    ] as [(String, Known, Lines, Outcome)])
  func aPartIsJoinedOnlyToItsOwnFile(_ case: String, _ known: Known, _ lines: Lines, _ outcome: Outcome) {
    #expect(judge(206, lines, Asked(300_000..<1_000_000, ifRange: "\"v1\""), known) == outcome)
    #expect(judge(206, lines, Asked(300_000..<1_000_000), known) == outcome)
    #expect(judge(206, lines, Asked(nil), known) == .refuse)
  }

  @Test(
    arguments: [
      (.weakTagged, .lines("ETag: W/\"v1\"", rest), .goOn(200_000, 1_000_000)),
      (.anonymous, .lines(rest), .goOn(200_000, 1_000_000)), (.tagged, .lines(rest), .goOn(200_000, 1_000_000)),
      (.weakTagged, .lines("ETag: W/\"v2\"", rest), .askAgain), (.tagged, .lines("ETag: \"v2\"", rest), .askAgain),
      (.anonymous, .lines("Content-Range: bytes 200000-1199999/1200000"), .askAgain),
      (.anonymous, .lines("Content-Range: bytes 200000-299999/1000000"), .askPlainly),
      (.anonymous, .lines("Content-Range: bytes 200000-300000/1000000"), .goOn(200_000, 300_001)),
      (.anonymous, .lines("Content-Range: bytes 200001-999999/1000000"), .askPlainly),
    ] as [(Known, Lines, Outcome)])
  func anOverlapIsProofThatTheBytesWillGive(_ known: Known, _ lines: Lines, _ outcome: Outcome) {
    let own = lines.replacing(rest, with: "Content-Range: bytes 200000-999999/1000000")
    #expect(judge(206, own, Asked(200_000..<1_000_000, overlap: 100_000), known) == outcome)
  }

  @Test func aCodedPartIsOnlyEverABeginning() {
    let whole = Lines.lines("Content-Range: bytes 0-999999/1000000", gzip)
    #expect(judge(206, whole, Asked(0..<Int64.max), .known(nil)) == .goOn(0, 1_000_000))
    #expect(judge(206, .lines(rest, gzip), Asked(300_000..<Int64.max), .known(nil)) == .askPlainly)
  }

  // MARK: Digests

  @Test func theDigestOfTheWholeFileProvesMoreThanAnyTag() throws {
    let sums = try [digest("aa"), digest("bb")].map { try #require($0) }
    for (first, second, outcome) in [
      (sums[0], sums[0], Outcome.goOn(300_000, 1_000_000)), (sums[0], sums[1], .askAgain),
    ] {
      var known = Resource(total: 1_000_000, etag: "\"v1\"", sendsRanges: true)
      known.digest = first
      var head = head(206, .lines("ETag: \"v2\"", rest))
      head.digest = second
      #expect(Outcome(Resource.judge(head, asked: Asked(300_000..<1_000_000), known: known)) == outcome)
    }
  }

  // MARK: 416, 412 and the rest

  @Test(
    arguments: [
      ("its size, as known", .tagged, .lines("Content-Range: bytes */1000000"), .askPlainly),
      ("larger", .tagged, .lines("Content-Range: bytes */1200000"), .askAgain),
      ("smaller", .tagged, .lines("Content-Range: bytes */300000"), .askAgain),
      ("empty now", .tagged, .lines("Content-Range: bytes */0"), .askAgain),
      ("no size", .tagged, .lines(), .askPlainly),
      ("an unknown size", .tagged, .lines("Content-Range: bytes */*"), .askPlainly),
      ("nonsense", .tagged, .lines("Content-Range: bytes 300000-999999/1000000"), .askPlainly),
      ("the end of a file of unknown size", .unmeasured, .lines("Content-Range: bytes */300000"), .end),
      ("the same with its tag", .unmeasured, .lines("Content-Range: bytes */300000", v1), .end),
      ("the same with another tag", .unmeasured, .lines("Content-Range: bytes */300000", "ETag: \"v2\""), .askAgain),
      ("another end", .unmeasured, .lines("Content-Range: bytes */299999"), .askAgain),
      ("an empty file", .known(nil), .lines("Content-Range: bytes */0"), .empty),
      ("nothing is known", .known(nil), .lines("Content-Range: bytes */1000000"), .askPlainly),
    ] as [(String, Known, Lines, Outcome)])
  func anUnsatisfiableRangeIsNeverTakenForSuccess(_ case: String, _ known: Known, _ lines: Lines, _ outcome: Outcome) {
    #expect(judge(416, lines, Asked(300_000..<Int64.max), known) == outcome)
    #expect(judge(416, lines, Asked(nil), known) == .refuse)
  }

  @Test(arguments: [
    201, 202, 204, 205, 207, 226, 300, 301, 302, 303, 304, 305, 307, 308, 401, 402, 404, 406, 407, 408, 409, 410, 411,
    413, 414, 415, 417, 418, 421, 425, 426, 428, 429, 431, 451, 500, 502, 503, 504, 505, 507, 511, 599, 0, 999,
  ]) func noOtherStatusBringsAFile(_ status: Int) {
    for known in [Known.known(nil), .tagged, .anonymous] {
      #expect(judge(status, .lines(v1, rest, million), Asked(300_000..<1_000_000, ifRange: "\"v1\""), known) == .refuse)
      #expect(judge(status, .lines(v1, million), Asked(nil), known) == .refuse)
    }
  }

  @Test(arguments: [400, 403, 405, 501]) func aServerThatMayDislikeTheRangeIsAskedWithoutOne(_ status: Int) {
    #expect(judge(status, .lines(), Asked(0..<Int64.max), .tagged) == .askPlainly)
    #expect(judge(status, .lines(), Asked(nil), .tagged) == .refuse)
  }

  @Test func aFailedPreconditionMeansAnotherFile() {
    #expect(judge(412, .lines(), Asked(300_000..<Int64.max), .tagged) == .askAgain)
    #expect(judge(412, .lines(), Asked(0..<Int64.max), .known(nil)) == .refuse)
  }

  @Test(
    arguments: [
      (401, .unauthorized(status: 401)), (403, .unauthorized(status: 403)), (407, .unauthorized(status: 407)),
      (404, .notFound(status: 404)), (410, .notFound(status: 410)), (429, .overloaded(status: 429)),
      (503, .overloaded(status: 503)), (408, .serverFault(status: 408)), (500, .serverFault(status: 500)),
      (502, .serverFault(status: 502)), (504, .serverFault(status: 504)), (304, .unexpectedStatus(304)),
      (204, .unexpectedStatus(204)), (501, .unexpectedStatus(501)),
    ] as [(Int, DownloadError)])
  func aRefusalHasItsName(_ status: Int, _ error: DownloadError) {
    #expect(Resource.judge(head(status, .lines()), asked: Asked(nil), known: nil) == .refuse(error))
  }
}
