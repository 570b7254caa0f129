// The verdict on an answer, from its head alone, before one byte of its body is stored. libcurl compares nothing but the first number of
// Content-Range, so every rule of RFC 9110 §14–15 that keeps two versions of a file apart stands here. In doubt the answer is refused.

/// What was asked for.
package struct Asked: Hashable, Sendable {
  /// The bytes; `upperBound` is `Int64.max` for an open end. Nil asks plainly, without a Range.
  package var range: ByteRange?
  /// The validator that `If-Range` carried.
  package var ifRange: String?
  /// So many of the first bytes are on the disk already and must turn out equal.
  package var overlap: Int64

  package init(_ range: ByteRange?, ifRange: String? = nil, overlap: Int64 = 0) {
    self.range = range
    self.ifRange = ifRange
    self.overlap = overlap
  }

  /// Whether nothing but bytes to compare is wanted.
  var isProbe: Bool { range.map { overlap > 0 && $0.upperBound - $0.lowerBound == overlap } ?? false }
}

/// What to do with an answer.
package enum Verdict: Hashable, Sendable {
  /// The body holds these bytes of the file (`upperBound` is `Int64.max` when its length is unknown).
  case goOn(Resource, body: ByteRange)
  /// The body is a whole file from byte 0, and nothing proves that it begins with what is on disk.
  case startOver(Resource, why: String)
  /// Nothing but the bytes themselves can prove that it is the same file: ask again, with some that are on the disk.
  case compare(why: String)
  /// The file is another one now, and this body cannot be used: ask again from the beginning.
  case askAgain(why: String)
  /// Ranges do not work as they should: ask for the whole file, without one.
  case askPlainly(why: String)
  /// There is nothing to send: the file has no bytes at all.
  case empty(Resource)
  /// There is nothing after what was fetched: the file ends here.
  case end(at: Int64)
  case refuse(DownloadError)
}

extension Resource {
  /// `former` is what the file was before it turned out to be another one, while it is not known what it is now.
  package static func judge(
    _ head: ResponseHead, asked: Asked, known: Resource?, former: Resource? = nil
  ) -> Verdict {
    let verdict = verdict(head, asked: asked, known: known)
    switch verdict {
    case .goOn(let seen, _), .empty(let seen):
      return known == nil ? former?.faultInSuccessor(seen).map { .refuse($0) } ?? verdict : verdict
    case .startOver, .compare, .askAgain, .askPlainly, .end, .refuse: return verdict
    }
  }

  private static func verdict(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    switch head.status {
    case 200, 203: judgeWhole(head, known: known)
    case 206: judgePart(head, asked: asked, known: known)
    case 416: judgeUnsatisfiable(head, asked: asked, known: known)
    case 412 where known != nil: .askAgain(why: "the server says that it no longer has this version (412)")
    case 400, 403, 405, 501:
      asked.range == nil ? .refuse(error(head)) : .askPlainly(why: "a range was refused (\(head.status))")
    default: .refuse(error(head))
    }
  }

  private static func error(_ head: ResponseHead) -> DownloadError {
    switch head.status {
    case 401, 403, 407: .unauthorized(status: head.status)
    case 404, 410: .notFound(status: head.status)
    case 429, 503: .overloaded(status: head.status)
    case 408, 500, 502, 504: .serverFault(status: head.status)
    default: .unexpectedStatus(head.status)
    }
  }

  // MARK: 200

  private static func judgeWhole(_ head: ResponseHead, known: Resource?) -> Verdict {
    let length = head.contentLength
    guard length != .contradictory else { return .refuse(.badAnswer("more than one length")) }
    guard length != .malformed else { return .refuse(.badAnswer("a length that is no number")) }
    var seen = Resource(describing: head)
    if case .bytes(let count) = length { seen.total = count }
    guard seen.isReadable else { return .refuse(.badAnswer("the content coding \(seen.coding ?? "")")) }
    guard let known else { return seen.total == 0 ? .empty(seen) : .goOn(seen, body: 0..<(seen.total ?? .max)) }
    if let fault = known.faultInSuccessor(seen) { return .refuse(fault) }
    if let why = known.difference(to: seen) { return .startOver(seen, why: why) }
    guard known.isProvenSame(as: seen) else {
      return .startOver(seen, why: "the server sends the whole file and no proof that it is the same one")
    }
    return .goOn(known.completed(by: seen, sendsRanges: false), body: 0..<(known.total ?? seen.total ?? .max))
  }

  /// What can never take the place of a file that was something else before.
  func faultInSuccessor(_ seen: Resource) -> DownloadError? {
    if seen.total == 0, total != 0 { return .badAnswer("an empty body instead of the file") }
    if seen.isWebPage, !isWebPage { return .webPage }
    return nil
  }

  var isWebPage: Bool {
    let type = contentType?.lowercased() ?? ""
    return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml")
  }

  // MARK: 206

  private static func judgePart(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    guard let range = asked.range else { return .refuse(.badAnswer("a part (206) of what was asked for whole")) }
    guard case .range(let labelled, let total) = head.contentRange else {
      return .askPlainly(why: "206 with no usable Content-Range")
    }
    guard let body = delivered(labelled, by: head.contentLength, asked: range) else {
      return .askPlainly(why: "206 whose length is not that of its Content-Range")
    }
    let least = range.lowerBound + asked.overlap + (asked.isProbe ? 0 : 1)
    guard body.lowerBound <= range.lowerBound, body.upperBound >= least else {
      return .askPlainly(why: "asked from byte \(range.lowerBound), got \(body.lowerBound)–\(body.upperBound - 1)")
    }
    var seen = Resource(describing: head)
    seen.total = total ?? known?.total
    seen.sendsRanges = true
    guard seen.isReadable else { return .refuse(.badAnswer("the content coding \(seen.coding ?? "")")) }
    guard seen.coding == nil || known == nil && body.lowerBound == 0 else {
      return .askPlainly(why: "a range of a coded body")
    }
    guard let known else { return .goOn(seen, body: body) }
    if let why = known.difference(to: seen) { return .askAgain(why: why) }
    // That If-Range was sent proves nothing: servers that ignore it and leave out their validators exist.
    guard known.isProvenSame(as: seen) || asked.overlap > 0 else {
      return .compare(why: "nothing in the answer proves that it is still the same file")
    }
    return .goOn(known.completed(by: seen, sendsRanges: true), body: body)
  }

  /// What the body really holds of what its label says: it may end early, but only where it begins as asked is its place certain then.
  private static func delivered(
    _ labelled: ByteRange, by length: ContentLength, asked: ByteRange
  ) -> ByteRange? {
    switch length {
    case .unknown: return labelled
    case .contradictory, .malformed: return nil
    case .bytes(let count):
      let span = labelled.upperBound - labelled.lowerBound
      guard count != span else { return labelled }
      guard count < span, labelled.lowerBound == asked.lowerBound else { return nil }
      return labelled.lowerBound..<labelled.lowerBound + count
    }
  }

  // MARK: 416

  private static func judgeUnsatisfiable(_ head: ResponseHead, asked: Asked, known: Resource?) -> Verdict {
    guard asked.range != nil else { return .refuse(.unexpectedStatus(416)) }
    guard case .unsatisfied(let total?) = head.contentRange else {
      return .askPlainly(why: "416 that does not tell the size")
    }
    if total == 0, known == nil { return .empty(Resource(describing: head, total: 0)) }
    let seen = Resource(describing: head, total: total)
    if let known, known.total == nil, total > 0, asked.range?.lowerBound == total, known.difference(to: seen) == nil {
      return .end(at: total)
    }
    guard let known, known.total != total else { return .askPlainly(why: "416 for a range that should exist") }
    return .askAgain(why: "its size is now \(total)")
  }

  // MARK: Comparing

  init(describing head: ResponseHead, total: Int64? = nil) {
    self.init(total: total, etag: head.value("etag"))
    lastModified = head.value("last-modified")
    lastModifiedSeconds = head.lastModified
    dateSeconds = head.date
    contentType = head.value("content-type")
    digest = head.digest
    let codings = head.values("content-encoding").map { $0.lowercased() }
    coding = codings.isEmpty ? nil : codings.joined(separator: ", ")
    if coding == "identity" || coding == "" || isArchive(head.url) { coding = nil }
  }

  /// A `.tar.gz` that is sent "coded as gzip" is what it is: many servers are set up so, and nobody wants it unpacked.
  private func isArchive(_ url: String) -> Bool {
    guard coding == "gzip" || coding == "x-gzip" else { return false }
    let type = contentType?.lowercased() ?? ""
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    return ["application/gzip", "application/x-gzip", "application/x-tar", "application/x-tgz"].contains {
      type.hasPrefix($0)
    }
      || [".gz", ".tgz", ".svgz"].contains { path.hasSuffix($0) }
  }

  /// Whether its coding, if any, is one that can be undone.
  private var isReadable: Bool { coding.map { ["gzip", "x-gzip", "deflate"].contains($0) } ?? true }

  /// What shows that the two are different files, in words; nil when nothing does.
  func difference(to seen: Resource) -> String? {
    if let total, let now = seen.total, total != now { return "its size was \(total), now it is \(now)" }
    if let digest, let now = seen.digest, digest.algorithm == now.algorithm {
      return digest == now ? nil : "its \(now.algorithm.rawValue) sum is another one"
    }
    if let etag, let now = seen.etag, etag != now { return "its ETag was \(etag), now it is \(now)" }
    if coding != seen.coding { return "it is now sent in another coding" }
    if etag == nil, let lastModified, let now = seen.lastModified, lastModified != now {
      return "it was modified: \(now)"
    }
    return nil
  }

  private func isProvenSame(as seen: Resource) -> Bool {
    if let digest, digest == seen.digest { return true }
    return switch validator {
    case .strongTag(let tag): seen.etag == tag
    case .strongDate(let text): seen.etag == nil && seen.lastModified == text
    case .weakTag, .weakDate, .none: false
    }
  }

  private func completed(by seen: Resource, sendsRanges: Bool) -> Resource {
    var both = self
    both.total = total ?? seen.total
    both.digest = digest ?? seen.digest
    both.sendsRanges = sendsRanges
    return both
  }
}
