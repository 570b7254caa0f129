// The verdict on an answer, from its head alone, before one byte of its body is stored. libcurl compares nothing but the first number of
// Content-Range, so every rule of RFC 9110 §14–15 that keeps two versions of a file apart stands here. In doubt the answer is refused.

/// What was asked for: the bytes, and the validator that `If-Range` carried.
package struct Asked: Hashable, Sendable {
  /// `upperBound` is `Int64.max` for an open end.
  package var range: ByteRange
  package var ifRange: String?

  package init(_ range: ByteRange, ifRange: String? = nil) {
    self.range = range
    self.ifRange = ifRange
  }
}

/// What to do with an answer.
package enum Verdict: Hashable, Sendable {
  /// The body holds these bytes of the file (`upperBound` is `Int64.max` when its length is unknown).
  case goOn(Resource, body: ByteRange)
  /// The body is a whole file from byte 0, and nothing proves that it begins with what is on disk.
  case startOver(Resource, why: String)
  /// The file is another one now, and this body cannot be used: ask again from the beginning.
  case askAgain(why: String)
  /// There is nothing to send: the file has no bytes at all.
  case empty(Resource)
  case refuse(DownloadError)
}

extension Resource {
  package static func judge(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    switch head.status {
    case 200, 203: judgeWhole(head, known: known)
    case 206: judgePart(head, asked: asked, known: known)
    case 416: judgeUnsatisfiable(head, asked: asked, known: known)
    case 412: .askAgain(why: "the server says that it no longer has this version (412)")
    case 401, 403, 407: .refuse(.unauthorized(status: head.status))
    case 404, 410: .refuse(.notFound(status: head.status))
    case 429, 503: .refuse(.overloaded(status: head.status))
    case 408, 500, 502, 504: .refuse(.serverFault(status: head.status))
    default: .refuse(.unexpectedStatus(head.status))
    }
  }

  private static func judgeWhole(_ head: ResponseHead, known: Resource?) -> Verdict {
    let length = head.contentLength
    guard length != .contradictory else { return .refuse(.badAnswer("two lengths that disagree")) }
    var seen = Resource(describing: head)
    if case .bytes(let count) = length { seen.total = count }
    guard let known else { return .goOn(seen, body: 0..<(seen.total ?? .max)) }
    if let why = known.difference(to: seen) { return .startOver(seen, why: why) }
    guard known.isProvenSame(as: seen), let total = seen.total else {
      return .startOver(seen, why: "the server sends the whole file and no proof that it is the same one")
    }
    return .goOn(seen, body: 0..<total)
  }

  private static func judgePart(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    guard case .range(let body, let total) = head.contentRange else {
      return .refuse(.badAnswer("206 with no usable Content-Range"))
    }
    guard body.lowerBound <= asked.range.lowerBound, body.upperBound > asked.range.lowerBound else {
      return .refuse(.badAnswer("asked from byte \(asked.range.lowerBound), got \(body.lowerBound)"))
    }
    var seen = Resource(describing: head)
    seen.total = total ?? known?.total
    seen.sendsRanges = true
    guard let known else { return .goOn(seen, body: body) }
    if let why = known.difference(to: seen) { return .askAgain(why: why) }
    guard known.isProvenSame(as: seen) || (asked.ifRange != nil && seen.hasNoValidator) else {
      return .askAgain(why: "nothing proves that it is still the same file")
    }
    return .goOn(known.completed(by: seen), body: body)
  }

  private static func judgeUnsatisfiable(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    guard case .unsatisfied(let total?) = head.contentRange else {
      return .refuse(.badAnswer("416 that does not tell the size"))
    }
    if total == 0, known?.total ?? 0 == 0 { return .empty(Resource(describing: head, total: 0)) }
    return .askAgain(why: "its size is now \(total)")
  }

  init(describing head: ResponseHead, total: Int64? = nil) {
    self.init(total: total, etag: head.value("etag"))
    lastModified = head.value("last-modified")
    lastModifiedSeconds = head.lastModified
    dateSeconds = head.date
    coding = head.value("content-encoding").flatMap { $0.lowercased() == "identity" ? nil : $0.lowercased() }
    contentType = head.value("content-type")
  }

  /// What shows that the two are different files, in words; nil when nothing does.
  private func difference(to seen: Resource) -> String? {
    if let total, let now = seen.total, total != now { return "its size was \(total), now it is \(now)" }
    if let etag, let now = seen.etag, etag != now { return "its ETag was \(etag), now it is \(now)" }
    if coding != seen.coding { return "it is now sent in another coding" }
    if etag == nil, let lastModified, let now = seen.lastModified, lastModified != now {
      return "it was modified: \(now)"
    }
    return nil
  }

  private func isProvenSame(as seen: Resource) -> Bool {
    switch validator {
    case .strongTag(let tag): seen.etag == tag
    case .strongDate(let text): seen.etag == nil && seen.lastModified == text
    case .weakTag, .weakDate, .none: false
    }
  }

  /// After `If-Range` a 206 may leave validators out (RFC 9110 §15.3.7): the 206 itself says that they match.
  private var hasNoValidator: Bool { etag == nil && lastModified == nil }

  private func completed(by seen: Resource) -> Resource {
    var both = self
    both.total = total ?? seen.total
    both.sendsRanges = true
    return both
  }
}
