import Testing

@testable import DownloadCore

/// Answers that contradict what is known, or themselves.
struct OddAnswerTests {
  private func head(_ status: Int, _ lines: String...) -> ResponseHead {
    var head = ResponseHead(status: status, url: "http://host/a")
    for line in lines { head.add(line: Array(line.utf8)) }
    return head
  }

  private var file: Resource {
    var file = Resource(total: 1_000_000, etag: "\"v1\"")
    file.contentType = "application/octet-stream"
    return file
  }

  @Test func whatTheFileWasIsRememberedWhileItIsUnknownWhatItIs() {
    let page = head(200, "Content-Type: text/html", "Content-Length: 300")
    let nothing = head(416, "Content-Range: bytes */0")
    let asked = Asked(0..<Int64.max)
    #expect(
      Resource.judge(page, asked: asked, known: nil, former: file)
        == .refuse(.webPage))
    #expect(
      Resource.judge(nothing, asked: asked, known: nil, former: file)
        == .refuse(.badAnswer("an empty body instead of the file")))
    let unsized = Resource(total: nil, etag: "\"v1\"")
    #expect(Resource.judge(nothing, asked: asked, known: unsized) == .askAgain(why: "its size is now 0"))
    if case .goOn = Resource.judge(page, asked: asked, known: nil) {} else { Issue.record("a page may be the file") }
  }

  @Test func aSizeThatIsToldLateEndsTheFileThere() {
    var session = Session(settings: Settings(), seed: 1)
    var (transfer, part) = (TransferID(0), PartID(0))
    var requests = 0
    func look(_ effects: [Effect]) {
      for effect in effects {
        if case .findPart(let id, _) = effect { part = id }
        if case .startTransfer(let id, _) = effect { (transfer, requests) = (id, requests + 1) }
      }
    }
    func event(_ event: Event, at second: Int) { look(session.handle(event, now: .seconds(second))) }
    look(session.handle(.add([Request(url: "http://host/a", folder: "/d")]), now: .zero))
    event(.found(part, .success(.nothing(warning: nil))), at: 0)
    event(.head(transfer, head(200, "ETag: \"v1\"", "Transfer-Encoding: chunked")), at: 0)
    event(.created(part, .success(.open(partName: "a.part", name: "a"))), at: 0)
    event(.received(transfer, 300_000), at: 0)
    event(.ended(transfer, .failed(.connectionLost(why: "reset"), retryAfter: nil)), at: 0)
    event(.timePassed, at: 10)
    event(.head(transfer, head(206, "ETag: \"v1\"", "Content-Range: bytes 0-999999/1000000")), at: 10)
    #expect(session.downloads[DownloadID(1)]?.completedBytes == 300_000)
    event(.received(transfer, 700_000), at: 10)
    event(.ended(transfer, .complete), at: 10)
    #expect(session.downloads[DownloadID(1)]?.state == .verifying)
    #expect(requests == 2)
  }

  @Test func aPartThatIsNotAsLongAsItsLabelSaysHasNoCertainPlace() {
    func judge(_ label: String, _ length: Int) -> Verdict {
      Resource.judge(
        head(206, "ETag: \"v1\"", "Content-Range: bytes \(label)/1000000", "Content-Length: \(length)"),
        asked: Asked(300_000..<1_000_000, ifRange: "\"v1\""), known: file)
    }
    let fault = Verdict.askPlainly(why: "206 whose length is not that of its Content-Range")
    #expect(judge("299990-999999", 700_000) == fault)
    #expect(judge("300000-999999", 700_010) == fault)
    // One byte short, but it begins where it was asked to (A27): the last byte is asked for again.
    let short = Resource.judge(
      head(206, "ETag: \"v1\"", "Content-Range: bytes 300000-999999/1000000", "Content-Length: 699999"),
      asked: Asked(300_000..<1_000_000, ifRange: "\"v1\""), known: file)
    #expect(short == judge("300000-999998", 699_999))
    if case .goOn = short {} else { Issue.record("what begins in the right place is of use") }
  }

  @Test func aDiskTooFullForTheSidecarDoesNotUndoAFileThatIsWhole() {
    var session = Session(settings: Settings(), seed: 1)
    var (transfer, part) = (TransferID(0), PartID(0))
    func event(_ event: Event) {
      for case .startTransfer(let id, _) in session.handle(event, now: .zero) { transfer = id }
    }
    for case .findPart(let id, _) in session.handle(.add([Request(url: "http://host/a", folder: "/d")]), now: .zero) {
      part = id
    }
    event(.found(part, .success(.nothing(warning: nil))))
    event(.head(transfer, head(200, "ETag: \"v1\"", "Content-Length: 5")))
    event(.created(part, .success(.open(partName: "a.part", name: "a"))))
    event(.received(transfer, 5))
    event(.ended(transfer, .complete))
    event(.saved(part, .diskFull(path: "/d")))
    event(.finished(part, .success(FinishedFile(name: "a", verification: .size))))
    #expect(session.downloads[DownloadID(1)]?.state == .completed(.size))
  }

  @Test func aPartOfWhichNothingCanBeTrustedStillTellsWhatTheFileIs() {
    var session = Session(settings: Settings(), seed: 1)
    let request = Request(url: "http://host/a", folder: "/d")
    var part = PartID(0)
    for case .findPart(let id, _) in session.handle(.add([request]), now: .zero) { part = id }
    let sidecar = Sidecar(request: request, name: "a", resource: file, done: ByteRangeSet(0..<300_000))
    let found = FoundPart.leftover(partName: "a.part", sidecar, done: ByteRangeSet())
    for case .startTransfer(let id, _) in session.handle(.found(part, .success(found)), now: .zero) {
      _ = session.handle(.head(id, head(200, "Content-Type: text/html", "Content-Length: 26")), now: .zero)
    }
    #expect(
      session.downloads[DownloadID(1)]?.state == .failed(.webPage))
  }
}
