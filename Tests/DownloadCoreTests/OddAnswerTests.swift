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
        == .refuse(.badAnswer("a web page instead of the file")))
    #expect(
      Resource.judge(nothing, asked: asked, known: nil, former: file)
        == .refuse(.badAnswer("an empty body instead of the file")))
    if case .goOn = Resource.judge(page, asked: asked, known: nil) {} else { Issue.record("a page may be the file") }
  }
}
