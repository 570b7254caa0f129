import DownloadCore
import Foundation
import TestSupport
import Testing

@testable import dltui

/// Lists of downloads, in aria2's format.
@Suite(.timeLimit(.minutes(2))) struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a list leads to under options for all. (They are not read by getopt, which may be at work once in a process.)
  private func requests(
    _ text: String, _ options: (name: String, value: String)...
  ) throws -> (requests: [Request], remarks: [String]) {
    try folder.write(text.utf8, to: "list")
    var invocation = Invocation()
    for (name, value) in [("dir", "/d"), ("input-file", folder["list"])] + options {
      try #require(OptionTable.all.first { $0.name == name }).apply(value, to: &invocation)
    }
    return try invocation.requests()
  }

  /// aria2c(1), section "Input File", word by word.
  @Test func theExampleOfAria2sManualIsUnderstood() throws {
    let (requests, _) = try requests(
      """
      http://server/file.iso\thttp://mirror/file.iso
        dir=/iso_images
        out=file.img
      http://foo/bar
      """)
    #expect(requests.map(\.url) == ["http://server/file.iso", "http://foo/bar"])
    #expect(requests.map(\.folder) == ["/iso_images", "/d"])
    #expect(requests.map(\.name) == ["file.img", nil])
  }

  @Test func bothOurNamesAndAria2sAreUnderstood() throws {
    let sum = String(repeating: "0", count: 32)
    let (requests, remarks) = try requests(
      """
      # two ways to say the same
      http://h/1
        output=a
        checksum=md5=\(sum)
        header=X-One: 1
        header=X-Two: a=b
        user=me:word
        connections=3
        limit-rate-each=2K
        referer=http://r/
        user-agent=agent/1

      \thttp://h/2?a=b
      \tout=a
        checksum = md5=\(sum)
        # a comment between options
        header = X-One: 1
      \theader=X-Two: a=b
        http-passwd=word
        http-user=me
        split=3
        max-download-limit=2K
        referer=http://r/
        user-agent=agent/1
        gid=0123456789abcdef
        continue=true
      """, ("header", "X-All: 0"))
    try #require(requests.count == 2)
    var second = requests[1]
    #expect(second.url == "http://h/2?a=b")
    second.url = requests[0].url
    #expect(requests[0] == second)
    #expect(second.name == "a" && second.checksum?.hex == sum && second.credentials == "me:word")
    #expect(second.headers == ["X-All: 0", "X-One: 1", "X-Two: a=b"])
    #expect(second.connections == 3 && second.rateLimit == 2048)
    #expect(second.referer == "http://r/" && second.userAgent == "agent/1")
    #expect(remarks == ["\(folder["list"]): of no use here: continue, gid"])
  }

  @Test func anOptionHoldsForItsAddressOnly() throws {
    let (requests, _) = try requests(
      "http://h/1\n http://h/2\n  connections=2\n  dir=e\nhttp://h/3\n", ("connections", "4"))
    #expect(requests.map(\.connections) == [nil, 2, nil])
    #expect(requests.map(\.folder) == ["/d", Place.absolute("e"), "/d"])
  }

  @Test(
    arguments: [
      (" out=x\nhttp://h/", "line 1: an option stands above the first address: out", nil),
      ("http://h/\n frob=1", "line 2: unknown option: frob", "allowed are checksum, connections, dir, "),
      ("http://h/\n\n chekcsum=1", "line 3: unknown option: chekcsum", "did you mean checksum?"),
      ("http://h/\n jobs=3", "line 2: it holds for all downloads, not for one: jobs", nil),
      ("http://h/\n all-proxy=http://p/", "line 2: unknown option: all-proxy", nil),
      ("http://h/\n connections=0", "line 2: connections must be a whole number from 1 to 32: 0", nil),
      ("http://h/\n out=../x", "line 1: --output must not lead out of the folder: ../x", nil),
      ("http://h/1\nfoo\nhttp://h/2", "line 2: neither a command nor an address: foo", nil),
      ("http://h/\n http-passwd=se\u{7}cret", "line 2: http-passwd must be on one line", nil),
    ] as [(String, String, String?)])
  func aMistakeNamesTheFileAndTheLine(_ text: String, _ complaint: String, _ hint: String?) {
    let error = #expect(throws: UsageError.self) { try requests(text) }
    #expect(error?.message == "\(folder["list"]), \(complaint)")
    if let hint { #expect(error?.hint?.hasPrefix(hint) == true) }
  }

  @Test func tenThousandLinesAreReadAndTheLastOneIsNamed() throws {
    let lines = (1...5000).map { "http://h/\($0)\n  out=\($0)" } + ["http://h/5001\n  out="]
    let error = #expect(throws: UsageError.self) { try requests(lines.joined(separator: "\n")) }
    #expect(error?.message == "\(folder["list"]), line 10002: out needs a name, got an empty one")
    #expect(try requests(lines.dropLast().joined(separator: "\n")).requests.count == 5000)
  }

  @Test func aWrongSumInTheListIsAFailure() async throws {
    let blob = Blob.random(count: 1000, seed: 4)
    let origin = try ScriptedOrigin(ServedFile(blob))
    let wrong = String(repeating: "0", count: 64)
    let list = "\(origin.url("/1"))\n  checksum=sha-256=\(wrong)\n\(origin.url("/2"))\n  out=sub/two\n  dir=d\n"
    let outcome = try await Program.dltui(["get", "-"], input: list, in: folder.path).end()
    #expect(outcome.status == 32 && outcome.errors.contains("checksum mismatch"))
    #expect(folder.bytes(of: "d/sub/two") == blob && !folder.exists("1"))
  }
}
