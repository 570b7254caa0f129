import DownloadCore
import TestSupport
import Testing

/// Connections that are used again and again carry each answer whole.
@Suite(.timeLimit(.minutes(5))) struct ConnectionReuseTests {
  /// A fast origin and small segments: a new transfer takes a connection over in the moment in which it becomes free.
  @Test(arguments: 0..<12) func segmentsTakeNoBytesFromEachOther(_ round: Int) async throws {
    var fetch = try Fetch(.inProcess)
    fetch.settings.minSplit = 64 << 10
    fetch.settings.connections = 4 + round % 5
    #expect(try await fetch.goOn(with: ServedFile.b.handler).status == 0)
    fetch.expectOnly(Version.b)
  }
}
