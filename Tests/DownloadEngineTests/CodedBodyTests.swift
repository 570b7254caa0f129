import DownloadCore
import TestSupport
import Testing

/// The server compresses though nobody asked for it (case A21).
@Suite(.timeLimit(.minutes(5))) struct CodedBodyTests {
  private let text: [UInt8]
  private let coded: [UInt8]

  init() async throws {
    text = Version.v1[..<150_000].flatMap { Array(String($0).utf8) + [10] }
    let folder = try TemporaryFolder()
    try folder.write(text, to: "notes.txt")
    _ = try await Program.run("/usr/bin/gzip", ["-n", folder["notes.txt"]])
    coded = try #require(folder.bytes(of: "notes.txt.gz"))
  }

  private func served(_ bytes: [UInt8], _ coding: String = "gzip", _ type: String = "text/plain") -> ServedFile {
    ServedFile(bytes).with {
      $0.headers = ["Content-Encoding: \(coding)", "Vary: Accept-Encoding"]
      $0.contentType = type
    }
  }

  @Test(
    arguments: [ServedFile.Ranges.ignored, .honoured], [ServedFile.Framing.length, .chunked(7777), .close, .http10])
  func aCodedTextIsStoredAsTheTextItIs(_ ranges: ServedFile.Ranges, _ framing: ServedFile.Framing) async throws {
    let fetch = try Fetch(path: "/notes.txt")
    let ending = try await fetch.goOn(with: served(coded).with { ($0.ranges, $0.framing) = (ranges, framing) })
    #expect(ending.status == 0 && ending.isResumable == false)
    fetch.expectOnly(text)
    #expect(fetch.origin.requests.first?["accept-encoding"] == "identity")
    #expect(fetch.asked == [0])
  }

  @Test(arguments: [
    ("/x.tar.gz", "gzip", "application/gzip"), ("/x.tgz", "x-gzip", "application/octet-stream"),
    ("/x.bin", "gzip", "application/x-gzip"), ("/x.txt.gz", "gzip", "text/plain"),
    ("/x.bin", "identity", "text/plain"),
  ]) func anArchiveIsStoredAsTheArchiveItIs(_ path: String, _ coding: String, _ type: String) async throws {
    let fetch = try Fetch(path: path)
    let file = served(coded, coding, type)
    try await fetch.begin(with: file, 100_000)
    #expect(try await fetch.goOn(with: file).status == 0)
    fetch.expectOnly(coded)
    #expect(fetch.asked == [100_000])
  }

  @Test(arguments: [ServedFile.Framing.length, .chunked(7777)])
  func aCodedTextThatEndsTooEarlyIsNotComplete(_ framing: ServedFile.Framing) async throws {
    for bytes in [
      Array(coded.dropLast(9)), Array(coded.prefix(coded.count / 2)), coded.dropLast(8) + [1, 2, 3, 4, 5, 6, 7, 8],
    ] {
      let fetch = try Fetch(path: "/notes.txt")
      let ending = try await fetch.goOn(with: served(bytes).with { $0.framing = framing })
      #expect(ending.status == 22 && ending.verified == nil)
      #expect(!fetch.folder.exists("notes.txt") && !fetch.folder.names.contains { $0.hasSuffix(".decoded") })
      #expect(try await fetch.goOn(with: served(coded)).status == 0)
      fetch.expectOnly(text)
    }
  }

  @Test(arguments: [ServedFile.Framing.length, .chunked(7777)], [ServedFile.Ranges.ignored, .honoured])
  func aFailedTextIsFetchedAnewInTheSameRun(_ framing: ServedFile.Framing, _ ranges: ServedFile.Ranges) async throws {
    let fetch = try Fetch(path: "/notes.txt")
    let engine = try RunningEngine(fetch.settings)
    fetch.origin.serve(served(Array(coded.dropLast(9))).with { ($0.framing, $0.ranges) = (framing, ranges) })
    engine.add(Request(url: fetch.origin.url(fetch.path), folder: fetch.folder.path))
    try await eventually("it has failed") { engine.hasEnded }
    #expect(engine.item?.completed == 0)
    fetch.origin.serve(served(coded).with { ($0.framing, $0.ranges) = (framing, ranges) })
    engine.post(.resume(.all))
    try await eventually("it is complete") { if case .completed = engine.item?.state { true } else { false } }
    try await engine.quit()
    fetch.expectOnly(text)
  }

  @Test(arguments: Fetch.programs) func aCodedBodyIsNeverContinuedByARange(_ manner: Fetch.Manner) async throws {
    let fetch = try Fetch(manner, path: "/notes.txt")
    try await fetch.begin(with: served(coded), 100_000)
    let ending = try await fetch.goOn(with: served(coded))
    #expect(ending.status == 0)
    fetch.expectOnly(text)
    #expect(fetch.asked == [0])
  }

  @Test func aBodyThatBecomesCodedOrPlainOnTheWayIsStartedOver() async throws {
    let plain = ServedFile(text).with { $0.contentType = "text/plain" }
    for (before, after) in [(plain, served(coded)), (served(coded), plain)] {
      for ranges in [ServedFile.Ranges.honoured, .ignored] {
        let fetch = try Fetch(path: "/notes.txt")
        try await fetch.begin(with: before, 100_000)
        // One tag for both forms, as careless servers have it.
        let ending = try await fetch.goOn(with: after.with { $0.ranges = ranges })
        #expect(ending.status == 0)
        fetch.expectOnly(text)
      }
    }
  }

  @Test(arguments: ["br", "zstd", "gzip, gzip", "aws-chunked"])
  func aCodingThatCannotBeUndoneIsRefused(_ coding: String) async throws {
    let fetch = try Fetch(path: "/notes.txt")
    let ending = try await fetch.goOn(with: served(coded, coding))
    #expect(ending.status == 22 && ending.message == "unusable answer: the content coding \(coding)")
    #expect(fetch.folder.names.isEmpty)
  }
}
