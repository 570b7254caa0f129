@testable import DownloadCore

// Short words for the tables of verdicts.

let v1 = "ETag: \"v1\""
let million = "Content-Length: 1000000"
let rest = "Content-Range: bytes 300000-999999/1000000"
let date = "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"
let gzip = "Content-Encoding: gzip"
let html = "Content-Type: text/html; charset=utf-8"

/// Header lines.
struct Lines: Sendable {
  let lines: [String]
  static func lines(_ lines: String...) -> Lines { Lines(lines: lines) }
  func replacing(_ old: String, with new: String) -> Lines { Lines(lines: lines.map { $0 == old ? new : $0 }) }
}

/// What is known of a file of 1,000,000 bytes.
enum Known: Sendable {
  case known(Resource?)

  static let tagged = file { $0.etag = "\"v1\"" }
  static let weakTagged = file { $0.etag = "W/\"v1\"" }
  static let dated = file { ($0.lastModified, $0.lastModifiedSeconds, $0.dateSeconds) = (modified, 1000, 1001) }
  static let weaklyDated = file { ($0.lastModified, $0.lastModifiedSeconds, $0.dateSeconds) = (modified, 1000, 1000) }
  static let anonymous = file { _ in }
  static let page = file { ($0.etag, $0.contentType) = ("\"v1\"", "text/html") }
  static let digested = file { $0.digest = digest("aa") }
  static let unmeasured = file { ($0.etag, $0.total) = ("\"v1\"", nil) }

  private static let modified = String(date.dropFirst("Last-Modified: ".count))

  private static func file(_ change: (inout Resource) -> Void) -> Known {
    var resource = Resource(total: 1_000_000, sendsRanges: true)
    resource.contentType = "application/octet-stream"
    change(&resource)
    return .known(resource)
  }

  var resource: Resource? {
    switch self {
    case .known(let resource): resource
    }
  }
}

/// A verdict without its words.
enum Outcome: Equatable, Sendable {
  case goOn(Int64, Int64)
  case startOver, compare, askAgain, askPlainly, empty, end, refuse

  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .goOn(_, let body): .goOn(body.lowerBound, body.upperBound)
      case .startOver: .startOver
      case .compare: .compare
      case .askAgain: .askAgain
      case .askPlainly: .askPlainly
      case .empty: .empty
      case .end: .end
      case .refuse: .refuse
      }
  }
}

func digest(_ byte: String) -> Checksum? { Checksum(.sha256, hex: String(repeating: byte, count: 32)) }

func head(_ status: Int, _ lines: Lines) -> ResponseHead {
  var head = ResponseHead(status: status, url: "http://host/file.bin")
  for line in lines.lines { head.add(line: Array(line.utf8)) }
  return head
}

func judge(_ status: Int, _ lines: Lines, _ asked: Asked, _ known: Known) -> Outcome {
  Outcome(Resource.judge(head(status, lines), asked: asked, known: known.resource))
}
