import Testing

@testable import DownloadCore

/// What a request asks for: `If-Range` only where RFC 9110 §13.1.5 allows it, and bytes to compare where nothing else is proof.
struct QuestionTests {
  @Test(
    arguments: [
      ("\"v1\"", .strongTag("\"v1\"")), ("\"\"", .strongTag("\"\"")), ("W/\"v1\"", .weakTag("W/\"v1\"")),
      ("w/\"v1\"", .weakTag("w/\"v1\"")), ("v1", .weakTag("v1")), ("\"", .weakTag("\"")), ("\"v1", .weakTag("\"v1")),
      ("'v1'", .weakTag("'v1'")), ("", .weakTag("")), ("\"a\r\nX-Evil: 1\"", .weakTag("\"a\r\nX-Evil: 1\"")),
      ("\"\u{e9}\"", .strongTag("\"\u{e9}\"")), ("\"\u{1F600}\"", .weakTag("\"\u{1F600}\"")),
    ] as [(String, Validator)])
  func onlyAQuotedTagIsStrong(_ tag: String, _ validator: Validator) {
    var resource = Resource(total: 1, etag: tag)
    // Where there is any tag, a date counts for nothing.
    (resource.lastModified, resource.lastModifiedSeconds, resource.dateSeconds) = ("then", 1000, 2000)
    #expect(resource.validator == validator)
    if case .strongTag = validator { #expect(validator.ifRange == tag) } else { #expect(validator.ifRange == nil) }
  }

  @Test(
    arguments: [
      (1000, 1001, .strongDate("then")), (1000, 999_999, .strongDate("then")), (1000, 1000, .weakDate("then")),
      (1000, 999, .weakDate("then")), (1000, nil, .weakDate("then")), (nil, 1001, .none), (nil, nil, .none),
    ] as [(Int64?, Int64?, Validator)])
  func aDateIsStrongWhenTheAnswerIsASecondYounger(_ modified: Int64?, _ sent: Int64?, _ validator: Validator) {
    var resource = Resource(total: 1)
    (resource.lastModified, resource.lastModifiedSeconds, resource.dateSeconds) = ("then", modified, sent)
    #expect(resource.validator == validator)
    if case .strongDate = validator { #expect(validator.ifRange == "then") } else { #expect(validator.ifRange == nil) }
  }

  private static let part: ByteRange = 300_000..<1_000_000
  private static let compared: ByteRange = 234_464..<1_000_000

  @Test(
    arguments: [
      (.tagged, Asked(part, ifRange: "\"v1\"")), (.weakTagged, Asked(compared, overlap: 65_536)),
      (.dated, Asked(part, ifRange: String(date.dropFirst(15)))), (.weaklyDated, Asked(compared, overlap: 65_536)),
      (.anonymous, Asked(compared, overlap: 65_536)), (.digested, Asked(part)),
      (.unmeasured, Asked(300_000..<Int64.max, ifRange: "\"v1\"")),
    ] as [(Known, Asked)])
  func whatIsOnTheDiskGoesOnWithTheProofThatThereIs(_ known: Known, _ asked: Asked) throws {
    #expect(try question(known, done: 0..<300_000) == asked)
  }

  @Test(arguments: [Known.weakTagged, .weaklyDated, .anonymous])
  func whatCannotBeComparedIsAskedForAnew(_ known: Known) throws {
    for done in [0..<65_535, 1..<300_000, 500_000..<1_000_000] as [ByteRange] {
      #expect(try question(known, done: done) == Asked(0..<Int64.max))
    }
  }

  @Test func whatIsCodedOrHasNoRangesIsNeverGoneOnWithByComparing() throws {
    for change in [{ $0.coding = "gzip" }, { ($0.etag, $0.sendsRanges) = (nil, false) }] as [(inout Resource) -> Void] {
      var resource = try #require(Known.tagged.resource)
      change(&resource)
      #expect(try question(.known(resource), done: 0..<300_000) == Asked(0..<Int64.max))
    }
  }

  @Test func theBytesBeforeABreakAreCompared() throws {
    #expect(
      try question(.tagged, done: 0..<300_000, suspects: [300_000])
        == Asked(295_904..<1_000_000, ifRange: "\"v1\"", overlap: 4096))
  }

  @Test func aDownloadOfWhichNothingIsKnownAsksForEverythingByRange() throws {
    #expect(try question(.known(nil), done: 0..<0) == Asked(0..<Int64.max))
  }

  /// What a session asks first when it finds a part that holds `done`.
  private func question(_ known: Known, done: ByteRange, suspects: [Int64] = []) throws -> Asked {
    var session = Session(settings: Settings(), seed: 1)
    let request = Request(url: "http://host/file.bin", folder: "/d")
    let part = try #require(
      session.handle(.add([request]), now: .zero).compactMap { effect in
        if case .findPart(let part, _) = effect { part } else { nil }
      }.first)
    var found = FoundPart.nothing(warning: nil)
    if let resource = known.resource {
      var sidecar = Sidecar(request: request, name: "file.bin", resource: resource, done: ByteRangeSet(done))
      sidecar.suspects = suspects
      found = .leftover(partName: "file.bin.part", sidecar, done: ByteRangeSet(done))
    }
    let effects = session.handle(.found(part, .success(found)), now: .zero)
    return try #require(
      effects.compactMap { effect in
        if case .startTransfer(_, let plan) = effect { plan.asked } else { nil }
      }.first)
  }
}
