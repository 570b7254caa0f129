import TestSupport

extension RandomOrigin {
  /// One thing is wrong with the answer, or several.
  func fault(in file: ServedFile, _ random: inout SeededRandom, _ request: ReceivedRequest) -> Answer {
    switch random.number(0...19) {
    case 0: .reset
    case 1: random.chance(0.1) ? .silence : .reset
    case 2: .status(random.pick(503, 500, 429, 404, 403), random.pick([], ["Retry-After: 0"]))
    case 3: .status(random.pick(416, 412, 304, 204, 400, 401), [])
    case 4: .file(isKnown() ? webPage(file) : file)
    case 5: .file(isKnown() ? file.with { $0.body = Body([]) } : file)
    case 6: .file(file.with { $0.ranges = .ignored })
    case 7: .file(file.with { $0.ranges = .refused(random.pick(403, 416, 501, 400)) })
    case 8: .file(shifted(file, &random, request))
    case 9: .file(mislabelled(file, &random, request))
    case 10: .file(file.with { $0.contentLength = String($0.body.count + 50) })
    case 11: .file(unproven(file, &random, request))
    case 12: .surplus(file)
    case 13: .file(file.with { $0.framing = random.pick(.chunked(999), .chunked(70_000), .close, .http10) })
    case 14: .file(chunkedLie(file, &random))
    default: .file(broken(file, &random))
    }
  }

  private func webPage(_ file: ServedFile) -> ServedFile {
    ServedFile(Body("<html>please log in</html>")).with {
      ($0.etag, $0.lastModified, $0.contentType, $0.ranges) = (nil, nil, "text/html", .ignored)
    }
  }

  private func shifted(_ file: ServedFile, _ random: inout SeededRandom, _ request: ReceivedRequest) -> ServedFile {
    let earlier = -min(request.range?.first ?? 0, 1000)
    return file.with { $0.ranges = .shifted(random.pick(1000, earlier)) }
  }

  /// The label alone is wrong, the bytes are those that were asked for.
  private func mislabelled(_ file: ServedFile, _ random: inout SeededRandom, _ request: ReceivedRequest) -> ServedFile {
    let (first, total) = (request.range?.first ?? 0, file.body.count)
    let labels = [
      "bytes \(first + 10)-\(total - 1)/\(total)", "bytes \(max(0, first - 10))-\(total - 1)/\(total)",
      "items \(first)-\(total - 1)/\(total)", "bytes \(total - 1)-\(first)/\(total)",
      "bytes \(first)-\(total)/\(total)",
      "bytes */\(total)", "bytes \(first)-\(total - 1)/\(total + 50)", "bytes \(first)-\(total - 1)/*", "nonsense", "",
    ]
    return file.with { $0.contentRange = labels.randomElement(using: &random) }
  }

  /// Without a validator, as one node behind a balancer may be, and perhaps deaf to `If-Range` as well.
  private func unproven(_ file: ServedFile, _ random: inout SeededRandom, _ request: ReceivedRequest) -> ServedFile {
    let condition = request["if-range"]
    let holds = condition == nil || condition == file.etag || file.etag == nil && condition == file.lastModified
    let ignores = condition != nil && random.chance(0.3)
    return file.with {
      ($0.etag, $0.lastModified, $0.honoursIfRange) = (nil, nil, false)
      $0.ranges = holds || ignores ? .honoured : .ignored
    }
  }

  private func chunkedLie(_ file: ServedFile, _ random: inout SeededRandom) -> ServedFile {
    file.with { ($0.framing, $0.contentLength) = (.chunked(5000), "12345") }
  }

  /// Ends before its end, in a way that can be told from the end.
  private func broken(_ file: ServedFile, _ random: inout SeededRandom) -> ServedFile {
    let after = random.pick(0, 1, random.number(0...file.body.count), random.number(0...100_000))
    return file.with {
      switch random.number(0...3) {
      case 0: $0.ending = .closed(after: min(after, $0.body.count - 1))
      case 1: ($0.ending, $0.framing) = (.closed(after: min(after, $0.body.count - 1)), .chunked(4000))
      case 2: ($0.ending, $0.framing) = (.reset(after: after), random.pick(.close, .http10, .chunked(9999)))
      default: $0.ending = .reset(after: after)
      }
    }
  }
}
