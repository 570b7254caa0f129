/// What the server said the file is. Two answers belong to one file only if the validator proves it (RFC 9110 §8.8, §15.3.7.3).
package struct Resource: Hashable, Codable, Sendable {
  /// Bytes; nil while no answer has told.
  package var total: Int64?
  /// The entity tag as sent, quotes and `W/` included.
  package var etag: String?
  /// `Last-Modified` as sent, and both dates in seconds since 1970.
  package var lastModified: String?
  package var lastModifiedSeconds: Int64?
  package var dateSeconds: Int64?
  /// The content coding when it is not `identity`; part of what the file is (its bytes differ).
  package var coding: String?
  package var contentType: String?
  /// The sum of the whole file that the server promised (Repr-Digest, RFC 9530 §3).
  package var digest: Checksum?
  /// Whether an answer of 206 has been seen.
  package var sendsRanges: Bool

  package init(total: Int64? = nil, etag: String? = nil, sendsRanges: Bool = false) {
    self.total = total
    self.etag = etag
    self.sendsRanges = sendsRanges
  }
}

/// What proves that two answers are of the same bytes.
package enum Validator: Hashable, Sendable {
  case strongTag(String)
  /// A date that the rule of RFC 9110 §8.8.2.2 makes strong.
  case strongDate(String)
  case weakTag(String)
  case weakDate(String)
  case none

  /// What may stand in `If-Range` (RFC 9110 §13.1.5): a strong tag, or a strong date where there is no tag at all.
  package var ifRange: String? {
    switch self {
    case .strongTag(let text), .strongDate(let text): text
    case .weakTag, .weakDate, .none: nil
    }
  }

  /// Without its value.
  package var kind: String {
    switch self {
    case .strongTag: "strong ETag"
    case .strongDate: "date"
    case .weakTag: "weak ETag"
    case .weakDate: "weak date"
    case .none: "no validator"
    }
  }

  package var description: String {
    switch self {
    case .strongTag(let text): "strong ETag \(text)"
    case .strongDate(let text): "date \(text)"
    case .weakTag(let text): "weak ETag \(text)"
    case .weakDate(let text): "weak date \(text)"
    case .none: "none"
    }
  }
}

extension Resource {
  package var validator: Validator {
    if let etag { return Self.isStrong(etag) ? .strongTag(etag) : .weakTag(etag) }
    guard let lastModified, let modified = lastModifiedSeconds else { return .none }
    guard let dateSeconds, dateSeconds > modified else { return .weakDate(lastModified) }
    return .strongDate(lastModified)
  }

  package var resumability: Resumability {
    if coding != nil { return .startsOver(.coded) }
    if !sendsRanges { return .startsOver(.noRanges) }
    if total == nil { return .startsOver(.noLength) }
    return isProvable ? .resumable : .comparing
  }

  /// Whether answers can prove that they are of this very file.
  var isProvable: Bool { validator.ifRange != nil || digest != nil }

  /// A quoted tag without `W/` and without characters that could break out of a header line (RFC 9110 §8.8.3).
  static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.first == "\"" && tag.last == "\""
      && tag.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0.value <= 0xff }
  }
}
