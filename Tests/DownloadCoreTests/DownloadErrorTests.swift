import Testing

@testable import DownloadCore

/// The catalogue: each entry can be read, acted on, and told apart by scripts.
struct DownloadErrorTests {
  /// One of each, with the exit status that the command line promises for it.
  private static let all: [(error: DownloadError, code: Int)] = [
    (.nameNotResolved(host: "host"), 19), (.cannotConnect(host: "host", why: "connection refused"), 6),
    (.connectionLost(why: "reset by peer"), 6), (.networkDown, 6), (.timedOut, 2), (.stalled(seconds: 30), 5),
    (.tls(why: "certificate has expired"), 6), (.unknownHostKey(host: "host"), 6),
    (.notFound(status: 404), 3), (.notFound(status: 410), 3), (.unauthorized(status: 401), 24),
    (.overloaded(status: 503), 29),
    (.unexpectedStatus(204), 22), (.serverFault(status: 500), 22), (.tooManyRedirects, 23),
    (.refusedRedirect(to: "file:///etc"), 22),
    (.badAnswer("206 with no usable Content-Range"), 22), (.changed("its size was 1, now it is 2"), 22),
    (.incomplete(missing: 5), 22), (.webPage, 22),
    (.checksumMismatch(expected: "9f86", got: "2c26"), 32), (.wrongPieces([2..<3, 6..<9], of: 24), 32),
    (.diskFull(path: "/d/a"), 9),
    (.fileExists(path: "/d/a"), 13),
    (.alreadyDownloading(path: "/d/a"), 11), (.cannotOpen(path: "/d/a", why: "permission denied"), 15),
    (.cannotCreate(path: "/d/a", why: "permission denied"), 16),
    (.cannotWrite(path: "/d/a", why: "input/output error"), 17),
    (.cannotMakeFolder(path: "/d", why: "permission denied"), 18), (.badSidecar(path: "/d/a", why: "it is empty"), 15),
    (.missingFile(path: "/d/a"), 3), (.cannotRead(path: "/d", why: "it is a folder"), 15),
    (.sessionInUse(path: "/s"), 1), (.other("out of memory"), 1),
  ]

  /// The numbers of aria2's table that have a meaning here.
  private static let table: Set = [1, 2, 3, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 18, 19, 22, 23, 24, 28, 29, 32]

  /// A new case breaks the build here, and then the test that follows.
  private static func place(_ error: DownloadError) -> Int {
    switch error {
    case .nameNotResolved: 0
    case .cannotConnect: 1
    case .connectionLost: 2
    case .timedOut: 3
    case .stalled: 4
    case .tls: 5
    case .notFound: 6
    case .unauthorized: 7
    case .overloaded: 8
    case .unexpectedStatus: 9
    case .serverFault: 10
    case .tooManyRedirects: 11
    case .refusedRedirect: 12
    case .badAnswer: 13
    case .changed: 14
    case .incomplete: 15
    case .checksumMismatch: 16
    case .diskFull: 17
    case .fileExists: 18
    case .alreadyDownloading: 19
    case .cannotOpen: 20
    case .cannotCreate: 21
    case .cannotWrite: 22
    case .cannotMakeFolder: 23
    case .badSidecar: 24
    case .sessionInUse: 25
    case .networkDown: 26
    case .unknownHostKey: 27
    case .missingFile: 28
    case .cannotRead: 29
    case .other: 30
    case .webPage: 31
    case .wrongPieces: 32
    }
  }

  @Test func everyCaseIsInTheTestsTable() { #expect(Set(Self.all.map { Self.place($0.error) }) == Set(0...32)) }

  @Test(arguments: all.map(\.error)) func itsWordsAreLowerCaseWithoutAFullStop(_ error: DownloadError) {
    for text in [error.message, error.hint].compactMap(\.self) {
      #expect(text.first.map { $0.isLowercase || $0.isNumber || $0 == "-" } == true, "\(text)")
      #expect(text.last.map { !".!? :\n".contains($0) } == true, "\(text)")
      #expect(FileName.isPrintable(text) && text.count <= 120, "\(text)")
    }
  }

  @Test func itsMessageSaysWhichOneItIs() {
    let messages = Self.all.map(\.error.message)
    #expect(Set(messages).count == messages.count)
    #expect(
      DownloadError.checksumMismatch(expected: "9f86", got: "2c26").message
        == "checksum mismatch: expected 9f86, got 2c26")
    #expect(
      DownloadError.wrongPieces([2..<3, 6..<9], of: 24).message == "checksum mismatch in pieces 3, 7–9 of 24")
    #expect(DownloadError.wrongPieces([5..<6], of: 48).message == "checksum mismatch in piece 6 of 48")
    #expect(DownloadError.notFound(status: 404).message.contains("404"))
    #expect(DownloadError.incomplete(missing: 5).message.hasSuffix(": 5"))
  }

  @Test(arguments: all) func itsExitStatusIsTheOnePromised(_ error: DownloadError, _ code: Int) {
    #expect(error.code == code)
    #expect(Self.table.contains(error.code))
  }

  @Test(arguments: all.map(\.error)) func whatIsAtFaultHereIsNotTriedAgain(_ error: DownloadError) {
    #expect(!(error.isLocal && error.isTransient))
  }

  @Test func onlyPassingTroubleIsTriedAgain() {
    let transient = Self.all.map(\.error).filter(\.isTransient).map(Self.place)
    #expect(Set(transient) == [0, 1, 2, 3, 4, 8, 10, 15, 26])
    let local = Self.all.map(\.error).filter(\.isLocal).map(Self.place)
    #expect(Set(local) == Set(16...25).union([32]))
  }
}
