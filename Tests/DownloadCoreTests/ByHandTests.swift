import Testing

@testable import DownloadCore

/// One download whose outside is played by hand.
struct ByHandTests {
  /// A session with a download that has found no part, and its latest transfer.
  private struct Hand {
    var session = Session(settings: Settings(), seed: 1)
    var part = PartID(0)
    var transfer = TransferID(0)
    var addresses: [String] = []
    var effects: [Effect] = []

    init(_ url: String = "https://host/a", isSearched: Bool = true) {
      let added = session.handle(.add([Request(url: url, folder: "/d")]), now: .zero)
      for case .findPart(let id, _) in added { part = id }
      if isSearched { event(.found(part, .success(.nothing(warning: nil)))) }
    }

    /// Why it waits for another attempt; nil when it does not.
    var retriesAfter: DownloadError? { if case .retrying(let retry) = download?.state { retry.error } else { nil } }

    var download: Download? { session.downloads[DownloadID(1)] }

    mutating func event(_ event: Event, at second: Int = 0) {
      effects = session.handle(event, now: .seconds(second))
      for case .startTransfer(let id, let plan) in effects {
        transfer = id
        addresses.append(plan.request.url)
      }
    }

    mutating func answer(_ status: Int, _ lines: String..., location: String? = nil) {
      var head = ResponseHead(status: status, url: addresses.last ?? "")
      head.location = location.map { .address($0) }
      for line in lines { head.add(line: Array(line.utf8)) }
      event(.head(transfer, head))
    }

    mutating func begin(_ lines: String..., status: Int = 206) {
      var head = ResponseHead(status: status, url: addresses.last ?? "")
      for line in lines { head.add(line: Array(line.utf8)) }
      event(.head(transfer, head))
      event(.created(part, .success(.open(partName: "a.part", name: "a"))))
    }
  }

  @Test func aNameThatWasNeverFoundIsGivenUpSoon() {
    var hand = Hand()
    for attempt in 1...4 {
      hand.event(.ended(hand.transfer, .failed(.nameNotResolved(host: "hots"), retryAfter: nil)), at: attempt * 100)
      if attempt < 4 { hand.event(.timePassed, at: attempt * 100 + 50) }
    }
    #expect(hand.addresses.count == 4)
    #expect(hand.download?.state == .failed(.nameNotResolved(host: "hots")))
  }

  /// Something between here and there may not let ranges pass.
  @Test func aServerThatBreaksOffEachTimeIsAskedOnceWithoutARange() {
    var hand = Hand()
    var plain: [Int] = []
    for attempt in 1...6 {
      hand.event(.ended(hand.transfer, .failed(.connectionLost(why: "reset"), retryAfter: nil)), at: attempt * 100)
      hand.event(.timePassed, at: attempt * 100 + 70)
      for case .startTransfer(_, let plan) in hand.effects where plan.asked.range == nil { plain.append(attempt) }
    }
    #expect(plain == [3])
  }

  @Test func aPartThatFailsItsChecksumIsKeptAlsoAfterAResume() {
    var hand = Hand(isSearched: false)
    var resource = Resource(total: 10, etag: "\"v1\"", sendsRanges: true)
    resource.contentType = "application/octet-stream"
    let done = ByteRangeSet(0..<10)
    let sidecar = Sidecar(
      request: Request(url: "https://host/a", folder: "/d"), name: "a", resource: resource, done: done)
    hand.event(.found(hand.part, .success(.leftover(partName: "a.part", sidecar, done: done))))
    hand.event(.finished(hand.part, .failure(.checksumMismatch(expected: "1", got: "2"))))
    #expect(hand.download?.state == .failed(.checksumMismatch(expected: "1", got: "2")))
    #expect(hand.effects.contains(.closePart(hand.part)))
    #expect(!hand.effects.contains(.discardPart(hand.part, restoringOld: true)))
  }

  @Test func aRedirectToALocalFileIsRefused() {
    var hand = Hand()
    hand.answer(302, location: "file:///etc/hostname")
    #expect(hand.download?.state == .failed(.refusedRedirect(to: "file:///etc/hostname")))
  }

  @Test func aLoopOfRedirectsEnds() {
    var hand = Hand()
    for _ in 0..<100 { hand.answer(302, location: "https://host/a") }
    #expect(hand.download?.state == .failed(.tooManyRedirects))
    #expect(hand.addresses.count == 21)
  }

  @Test func aWayWithoutEncryptionIsTold() {
    var hand = Hand()
    hand.answer(302, location: "http://other/b")
    #expect(hand.addresses == ["https://host/a", "http://other/b"])
    #expect(hand.download?.log.last?.text == "sent on to an address without encryption: http://other")
  }

  @Test func aFileThatIsThereIsSkipped() {
    var hand = Hand()
    hand.answer(200, "Content-Length: 5")
    hand.event(.created(hand.part, .success(.skipped(name: "a"))))
    #expect(hand.download?.state == .completed(.size))
    #expect(hand.effects.contains(.stop(hand.transfer)))
  }

  @Test func silenceIsAStallAndTheNextOneGoesOn() {
    var hand = Hand()
    hand.begin("ETag: \"v1\"", "Content-Range: bytes 0-999999/1000000")
    hand.event(.received(hand.transfer, 300_000))
    hand.event(.timePassed, at: 30)
    #expect(hand.retriesAfter == .stalled(seconds: 30))
    #expect(hand.download?.completedBytes == 300_000)
  }

  @Test func anAnswerThatEndsTooEarlyIsTriedAgain() {
    var hand = Hand()
    hand.begin("ETag: \"v1\"", "Content-Range: bytes 0-999999/1000000")
    hand.event(.received(hand.transfer, 999_950))
    hand.event(.ended(hand.transfer, .complete))
    #expect(hand.retriesAfter == .incomplete(missing: 50))
  }

  @Test func aBreakAfterTheLastByteIsNoFault() {
    var hand = Hand()
    hand.begin("ETag: \"v1\"", "Content-Range: bytes 0-999999/1000000")
    hand.event(.received(hand.transfer, 1_000_000))
    hand.event(.ended(hand.transfer, .failed(.connectionLost(why: "reset"), retryAfter: nil)))
    #expect(hand.download?.state == .verifying)
  }

  @Test func aSizeBelowWhatIsOnTheDiskBeginsAnew() {
    var hand = Hand()
    hand.begin("ETag: \"v1\"", "Transfer-Encoding: chunked", status: 200)
    hand.event(.received(hand.transfer, 300_000))
    hand.event(.ended(hand.transfer, .failed(.connectionLost(why: "reset"), retryAfter: nil)))
    hand.event(.timePassed, at: 10)
    hand.answer(200, "ETag: \"v1\"", "Content-Length: 1000")
    #expect(hand.download?.completedBytes == 0)
    #expect(hand.addresses.count == 3)
  }
}
