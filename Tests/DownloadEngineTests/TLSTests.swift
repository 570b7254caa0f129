import DownloadCore
import Foundation
import TestSupport
import Testing

/// A certificate that is not right is told at once, in words, and costs nothing that is on the disk (case C06).
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What can be wrong with a certificate.
  enum Flaw: String, CaseIterable, Sendable {
    case selfSigned = "self-signed certificate"
    case wrongHost = "no alternative certificate subject name matches target host name"
    case expired = "certificate has expired"

    func certificate() async throws -> Certificate {
      switch self {
      case .selfSigned: try await Certificate()
      case .wrongHost: try await Certificate(for: "DNS:example.org")
      case .expired: try await Certificate(days: -1)
      }
    }

    /// Trust in the issuer, where that is not what is missing.
    func options(_ certificate: Certificate) -> [String] {
      self == .selfSigned ? [] : ["--cacert", certificate.file]
    }
  }

  private func server(_ certificate: Certificate) async throws -> NginxServer {
    var options = NginxServer.Options()
    options.certificate = certificate
    let nginx = try await NginxServer(options)
    try nginx.write(Version.v1, to: "file.bin")
    return nginx
  }

  private func get(_ options: [String], _ url: String) async throws -> Program.Outcome {
    try await Program.dltui(["get", "--no-config", "--no-progress", "-d", folder["files"]] + options + [url]).end()
  }

  @Test(arguments: Flaw.allCases) func aBadCertificateIsToldAndNotTriedAgain(_ flaw: Flaw) async throws {
    let certificate = try await flaw.certificate()
    let nginx = try await server(certificate)
    let outcome = try await get(flaw.options(certificate), nginx.url("/file.bin"))
    #expect(outcome.status == 6)
    #expect(outcome.errors.contains(flaw.rawValue), "\(outcome.errors)")
    #expect(outcome.errors.contains("--insecure") && !outcome.errors.contains("retry"))
    #expect(nginx.log.isEmpty && !folder.exists("files/file.bin"))
  }

  @Test(arguments: Flaw.allCases) func whoeverInsistsGetsTheFile(_ flaw: Flaw) async throws {
    let nginx = try await server(try await flaw.certificate())
    #expect(try await get(["-k"], nginx.url("/file.bin")).status == 0)
    #expect(folder.bytes(of: "files/file.bin") == Version.v1)
  }

  @Test func anAuthorityOfOnesOwnIsTrusted() async throws {
    let certificate = try await Certificate()
    let nginx = try await server(certificate)
    #expect(try await get(["--cacert", certificate.file], nginx.url("/file.bin")).status == 0)
    try folder.write("nonsense".utf8, to: "nonsense")
    let outcome = try await get(["--cacert", folder["nonsense"]], nginx.url("/file.bin"))
    #expect(outcome.status == 6 && outcome.errors.contains("nonsense"), "\(outcome.errors)")
  }

  @Test(arguments: Flaw.allCases) func aBadCertificateOnResumeKeepsThePart(_ flaw: Flaw) async throws {
    let certificate = try await flaw.certificate()
    let nginx = try await server(certificate)
    let part = Version.v1.prefix(300_000)
    var resource = Resource(total: 1_000_000, etag: "\"v1\"", sendsRanges: true)
    resource.lastModified = "Mon, 01 Jan 2024 00:00:00 GMT"
    let request = Request(url: nginx.url("/file.bin"), folder: folder["files"])
    let sidecar = Sidecar(request: request, name: "file.bin", resource: resource, done: ByteRangeSet(0..<300_000))
    try folder.write(part, to: "files/file.bin.part")
    try folder.write(JSONEncoder().encode(sidecar), to: "files/file.bin.part.json")
    #expect(try await get(flaw.options(certificate), request.url).status == 6)
    #expect(folder.bytes(of: "files/file.bin.part")?.prefix(300_000) == part)
    #expect(folder.exists("files/file.bin.part.json"))
  }

  @Test func aServerWithoutTLSIsToldToBeOne() async throws {
    let nginx = try await NginxServer()
    let outcome = try await get([], nginx.url("/file.bin").replacing("http:", with: "https:"))
    #expect(outcome.status == 6 && outcome.errors.contains("wrong version number"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("retry"))
  }

  @Test func aHandshakeThatBreaksIsTriedAgain() async throws {
    let hangUp = try RawServer { $0.reset() }
    let outcome = try await Program.dltui([
      "get", "--no-config", "--retries", "2", "--retry-wait", "0", "-d", folder["files"],
      "https://127.0.0.1:\(hangUp.port)/file.bin",
    ]).end()
    #expect(outcome.status == 6 && outcome.errors.contains("retry"), "\(outcome.errors)")
  }
}
