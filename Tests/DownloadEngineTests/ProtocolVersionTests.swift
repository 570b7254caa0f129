import DownloadCore
import Foundation
import TestSupport
import Testing

/// Bodies come over HTTP/1.1, a connection for each, also from servers that would rather speak HTTP/2 (case C03): streams that are reset
/// one by one, or all together by a GOAWAY, do not exist then.
@Suite(.timeLimit(.minutes(2))) struct ProtocolVersionTests {
  @Test func aServerThatOffersHTTP2IsAskedOverHTTP1() async throws {
    let folder = try TemporaryFolder()
    var options = NginxServer.Options()
    (options.certificate, options.offersHTTP2, options.rate) = (try await Certificate(), true, 4 << 20)
    let nginx = try await NginxServer(options)
    try nginx.write(Version.b, to: "file.bin")
    let curl = try await Program.run(
      "/usr/bin/curl", ["-sk", "-r", "0-9", "-o", "/dev/null", "-w", "%{http_version}", nginx.url("/file.bin")])
    #expect(curl.output == "2", "the server does speak it")
    let outcome = try await Program.dltui(
      ["get", "--no-config", "-k", "-x", "4", "-d", folder.path, nginx.url("/file.bin")]
    ).end()
    #expect(outcome.status == 0 && folder.bytes(of: "file.bin") == Version.b)
    let requests = nginx.log.filter { !$0.request.hasSuffix("HTTP/2.0") }
    #expect(requests.count == nginx.log.count - 1 && requests.allSatisfy { $0.request.hasSuffix("HTTP/1.1") })
    #expect(Set(requests.map(\.connection)).count >= 4)
  }
}
