import Foundation
import Testing

@testable import DownloadCore

/// What a sidecar may say, and what makes it unusable.
struct SidecarTests {
  private static let piece = String(repeating: "2", count: 40)

  private static func sidecar(_ change: (inout Sidecar) -> Void = { _ in }) -> Sidecar {
    var request = Request(url: "http://host/file.bin", folder: "/d")
    request.headers = ["Accept: a/b"]
    request.pieces = PieceSums(.sha1, length: 600, sums: [String(repeating: "1", count: 40), piece])
    request.size = 1000
    var resource = Resource(total: 1000, etag: "\"v1\"", sendsRanges: true)
    resource.lastModified = "Mon, 01 Jan 2024 00:00:00 GMT"
    (resource.lastModifiedSeconds, resource.dateSeconds) = (1_704_067_200, 1_704_240_000)
    resource.digest = Checksum(.md5, hex: String(repeating: "0", count: 32))
    var sidecar = Sidecar(
      request: request, name: "file.bin", resource: resource, done: ByteRangeSet([0..<100, 200..<300]))
    sidecar.sums = [[0, 100, 7], [200, 250, 0], [250, 300, 4_294_967_295]]
    sidecar.suspects = [100]
    change(&sidecar)
    return sidecar
  }

  private func json(_ sidecar: Sidecar) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(sidecar), as: UTF8.self)
  }

  private func decoded(_ json: String) throws -> Sidecar {
    try JSONDecoder().decode(Sidecar.self, from: Data(json.utf8))
  }

  // MARK: Round trip and secrets

  @Test func aSoundOneComesBackAsItWas() throws {
    let sidecar = Self.sidecar {
      ($0.clean, $0.partSize, $0.partTouched, $0.isOverlapOnly) = (true, 5, 6, true)
      ($0.created, $0.updated) = (.min, .max)
    }
    #expect(sidecar.fault == nil)
    #expect(try decoded(json(sidecar)) == sidecar)
    #expect(sidecar.doneRanges == ByteRangeSet([0..<100, 200..<300]))
  }

  @Test func itKeepsNoSecretAndNoFolder() throws {
    var request = Request(url: "http://host/file.bin", folder: "/home/me/private")
    request.credentials = "me:hunter2"
    request.headers = ["Authorization: hunter2", "COOKIE: hunter2", "Proxy-Authorization: hunter2", "X-Kept: 1"]
    let text = try json(
      Sidecar(request: request, name: "file.bin", resource: Resource(total: 1), done: ByteRangeSet()))
    #expect(!text.contains("hunter2") && !text.contains("private") && text.contains("X-Kept: 1"))
  }

  // MARK: Fields

  /// A change to a sound sidecar, and a word of what is said about it; nil when nothing is wrong.
  struct Field: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let word: String?
    let change: @Sendable (inout Sidecar) -> Void

    init(_ name: String, _ word: String?, _ change: @escaping @Sendable (inout Sidecar) -> Void) {
      (testDescription, self.word, self.change) = (name, word, change)
    }
  }

  static let fields = [
    Field("another format", "not a sidecar") { $0.format = "aria2" },
    Field("an empty format", "not a sidecar") { $0.format = "" },
    Field("a newer version", "version is 2") { $0.version = 2 },
    Field("an older version", "version is 0") { $0.version = 0 },
    Field("the least version", "version is") { $0.version = .min },
    Field("no name", "file name") { $0.name = "" },
    Field("a dot", "file name") { $0.name = "." },
    Field("two dots", "file name") { $0.name = ".." },
    Field("a path", "file name") { $0.name = "../../x" },
    Field("an absolute path", "file name") { $0.name = "/etc/passwd" },
    Field("a NUL in the name", "file name") { $0.name = "a\0b" },
    Field("a name that is too long", "file name") { $0.name = String(repeating: "é", count: 200) },
    Field("an escape in the name", "control") { $0.name = "a\u{1b}[2Jb" },
    Field("a line break in the name", "control") { $0.name = "a\nb" },
    Field("a name that the user may have typed", nil) { $0.name = ".-~ \\ weird" },
    Field("a local file's address with a line break", "control") { $0.request.url = "http://host/\r\nX: 1" },
    Field("a line break in a header", "control") { $0.request.headers = ["A: b", "C: d\r\nX-Evil: 1"] },
    Field("a line break in the agent", "control") { $0.request.userAgent = "a\nb" },
    Field("a line break in the referer", "control") { $0.request.referer = "a\nb" },
    Field("a line break in the tag", "control") { $0.resource.etag = "\"v1\"\r\nX-Evil: 1" },
    Field("a line break in the date", "control") { $0.resource.lastModified = "Mon\r\nX-Evil: 1" },
    Field("a line break in the coding", "control") { $0.resource.coding = "gzip\n" },
    Field("a line break in the type", "control") { $0.resource.contentType = "a/b\n" },
    Field("no texts at all", nil) {
      ($0.resource.etag, $0.resource.lastModified, $0.resource.contentType) = (nil, nil, nil)
    },
    Field("a negative total", "negative") { $0.resource.total = -1 },
    Field("the least total", "negative") { $0.resource.total = .min },
    Field("an empty file", nil) { ($0.resource.total, $0.done, $0.sums, $0.suspects) = (0, [], [], []) },
    Field("a total without end", nil) { $0.resource.total = .max },
    Field("no total", nil) { $0.resource.total = nil },
    Field("a negative size", "size") { $0.request.size = -1 },
    Field("no size", nil) { $0.request.size = nil },
    Field("a negative start", "outside") { $0.done = [[-1, 100]] },
    Field("a backward range", "outside") { $0.done = [[100, 0]] },
    Field("an empty range", "outside") { $0.done = [[100, 100]] },
    Field("overlapping ranges", "outside") { $0.done = [[0, 100], [99, 300]] },
    Field("ranges out of order", "outside") { $0.done = [[200, 300], [0, 100]] },
    Field("a range beyond the total", "outside") { $0.done = [[0, 1001]] },
    Field("a range up to the end of all numbers", "outside") { $0.done = [[0, .max]] },
    Field("a range from the least number", "outside") { $0.done = [[.min, 100]] },
    Field("half a range", "outside") { $0.done = [[0]] },
    Field("a range of three", "outside") { $0.done = [[0, 1, 2]] },
    Field("a range of nothing", "outside") { $0.done = [[]] },
    Field("touching ranges", nil) { ($0.done, $0.sums) = ([[0, 100], [100, 200]], []) },
    Field("everything done", nil) { $0.done = [[0, 1000]] },
    Field("nothing done", nil) { ($0.done, $0.sums) = ([], []) },
    Field("a sum outside of what is done", "sums") { $0.sums = [[100, 200, 1]] },
    Field("a sum across a gap", "sums") { $0.sums = [[0, 300, 1]] },
    Field("overlapping sums", "sums") { $0.sums = [[0, 60, 1], [50, 100, 1]] },
    Field("a backward sum", "sums") { $0.sums = [[60, 0, 1]] },
    Field("a sum without a sum", "sums") { $0.sums = [[0, 100]] },
    Field("a negative sum", "sums") { $0.sums = [[0, 100, -1]] },
    Field("a sum of 33 bits", "sums") { $0.sums = [[0, 100, 4_294_967_296]] },
    Field("a negative suspicion", "negative") { $0.suspects = [-1] },
    Field("the greatest suspicion", nil) { $0.suspects = [.max] },
  ]

  @Test(arguments: fields) func everyFieldIsChecked(_ field: Field) {
    let fault = Self.sidecar(field.change).fault
    if let word = field.word {
      #expect(fault?.contains(word) == true, "\(fault ?? "no fault")")
    } else {
      #expect(fault == nil)
    }
  }

  /// No use of a sidecar that is let through may trap.
  @Test(arguments: fields) func noFieldTrapsWhoeverReadsIt(_ field: Field) {
    var sidecar = Self.sidecar(field.change)
    (sidecar.resource.lastModifiedSeconds, sidecar.resource.dateSeconds) = (.min, .max)
    sidecar.resource.etag = nil
    _ = (sidecar.doneRanges, sidecar.resource.validator, sidecar.resource.resumability)
    _ = Sidecar.blockSize(total: max(0, sidecar.resource.total ?? .max))
  }

  // MARK: Text

  /// What a file may hold instead of a value: none of it decodes, none of it traps.
  @Test(
    arguments: [#""version":1"#, #""total":1000"#, "[[0,100],[200,300]]", #""clean":false"#, #""name":"file.bin""#],
    [
      "9223372036854775808", "-9223372036854775809", "1e400", "1\(String(repeating: "0", count: 400))", "1.5", "null",
      "{}", "[[[[]]]]", "[0, \"1\"]", "NaN", "-", "", String(repeating: "[", count: 100_000),
      String(repeating: "{\"a\":", count: 100_000),
    ])
  func aHostileValueDoesNotDecode(_ place: String, _ value: String) throws {
    let text = try json(Self.sidecar())
    let key = place.hasPrefix("[") ? "" : place.prefix { $0 != ":" } + ":"
    try #require(text.contains(place))
    let hostile = text.replacingOccurrences(of: place, with: key + value)
    let result = try? decoded(hostile)
    #expect(result == nil || result?.resource.total == nil, "\(key)\(value.prefix(20))")
  }

  @Test(arguments: ["00", "", "\u{1b}[2J", "zz"]) func aSumThatIsNoneDoesNotDecode(_ hex: String) throws {
    let text = try json(Self.sidecar())
    let sum = String(repeating: "0", count: 32)
    try #require(text.contains(sum))
    #expect(throws: (any Error).self) { try decoded(text.replacingOccurrences(of: sum, with: hex)) }
  }

  @Test(arguments: [
    ("\"length\":600", "\"length\":0"), ("\"length\":600", "\"length\":-1"),
    ("\"length\":600", "\"length\":\(Int64.max)"),
    (piece, ""), (piece, "zz"), (piece, "\(piece)00"), ("\"sha-1\"", "\"sha-256\""), ("\"sha-1\"", "\"crc32\""),
    ("[\"\(String(repeating: "1", count: 40))\",\"\(piece)\"]", "[]"),
  ]) func sumsOfPiecesThatAreNoneDoNotDecode(_ was: String, _ hostile: String) throws {
    let text = try json(Self.sidecar())
    try #require(text.contains(was))
    #expect(throws: (any Error).self) { try decoded(text.replacingOccurrences(of: was, with: hostile)) }
  }

  @Test func oneFromBeforeThereWerePiecesIsRead() throws {
    let text = try json(Self.sidecar { ($0.request.pieces, $0.request.size) = (nil, nil) })
    try #require(!text.contains("pieces") && !text.contains("size"))
    #expect(try decoded(text).request.pieces == nil)
  }

  @Test func whatWasCutShortDoesNotDecode() throws {
    let text = try json(Self.sidecar())
    for length in stride(from: 0, to: text.utf8.count, by: 7) {
      #expect(throws: (any Error).self) { try decoded(String(text.prefix(length))) }
    }
  }

  // MARK: Blocks

  @Test(
    arguments: [
      (0, 1 << 20), (1, 1 << 20), (2 << 30, 2 << 20), ((2 << 30) - 1, 1 << 20), (5 << 30, 4 << 20),
      (1 << 40, 1 << 30), (.max, 1 << 52),
    ] as [(Int64, Int64)])
  func blocksArePowersOfTwoFromAMebibyteOn(_ total: Int64, _ size: Int64) {
    #expect(Sidecar.blockSize(total: total) == size)
    #expect(total / size < 2048)
  }
}
