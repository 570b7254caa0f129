import DownloadCore
import Foundation
import TestSupport
import Testing

/// Through proxies, good and bad ones, and past them (case C07).
@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin

  init() throws { (folder, origin) = (try TemporaryFolder(), try ScriptedOrigin(.v1)) }

  private static let password = "hush-hush"

  private static func proxy(_ change: (inout RelayProxy.Manners) -> Void = { _ in }) throws -> RelayProxy {
    var manners = RelayProxy.Manners()
    change(&manners)
    return try RelayProxy(manners)
  }

  private func get(
    _ options: [String], _ url: String? = nil, environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let common = ["get", "--no-config", "--no-progress", "--retries", "2", "--retry-wait", "0", "-d", folder["files"]]
    return try await Program.dltui(common + options + [url ?? origin.url()], environment: environment).end()
  }

  private var isThere: Bool { folder.bytes(of: "files/file.bin") == Version.v1 }

  private func secure() async throws -> (nginx: NginxServer, certificate: Certificate) {
    var options = NginxServer.Options()
    let certificate = try await Certificate()
    options.certificate = certificate
    let nginx = try await NginxServer(options)
    try nginx.write(Version.v1, to: "file.bin")
    return (nginx, certificate)
  }

  @Test(arguments: [("http", "GET"), ("socks5", "SOCKS"), ("socks5h", "SOCKS")])
  func aPlainAddressGoesThroughAProxy(_ scheme: String, _ way: String) async throws {
    let proxy = try Self.proxy()
    #expect(try await get(["--proxy", "\(scheme)://127.0.0.1:\(proxy.port)"]).status == 0)
    #expect(isThere && proxy.asked == [.init(way: way, host: "127.0.0.1", port: origin.port)])
  }

  @Test(arguments: [("http", "CONNECT"), ("socks5", "SOCKS"), ("socks5h", "SOCKS")])
  func aSecureAddressGoesThroughATunnel(_ scheme: String, _ way: String) async throws {
    let (nginx, certificate) = try await secure()
    let proxy = try Self.proxy()
    let options = ["--proxy", "\(scheme)://127.0.0.1:\(proxy.port)", "--cacert", certificate.file]
    #expect(try await get(options, nginx.url("/file.bin")).status == 0)
    #expect(isThere && proxy.asked == [.init(way: way, host: "127.0.0.1", port: nginx.port)])
  }

  @Test func aProxyMayBeSecureItself() async throws {
    var options = NginxServer.Options()
    let certificate = try await Certificate()
    options.certificate = certificate
    options.directives = "location / { proxy_pass \(origin.url("")); }"
    let nginx = try await NginxServer(options)
    let proxy = ["--proxy", "https://127.0.0.1:\(nginx.port)"]
    let untrusted = try await get(proxy)
    #expect(untrusted.status == 6 && untrusted.errors.contains("self-signed certificate"), "\(untrusted.errors)")
    #expect(try await get(proxy + ["--cacert", certificate.file]).status == 0)
    #expect(isThere && nginx.log.last?.request == "GET \(origin.url()) HTTP/1.1")
  }

  @Test func socks5hLetsTheProxyLookUpTheName() async throws {
    let proxy = try Self.proxy()
    let url = "http://name.invalid:\(origin.port)/file.bin"
    let here = try await get(["--proxy", "socks5://127.0.0.1:\(proxy.port)"], url)
    #expect(here.status == 19 && proxy.asked.isEmpty, "\(here.errors)")
    #expect(try await get(["--proxy", "socks5h://127.0.0.1:\(proxy.port)"], url).status == 0)
    #expect(isThere && proxy.asked.map(\.host) == ["name.invalid"])
  }

  // MARK: Who asks

  @Test(arguments: ["http", "socks5h"]) func aProxyIsToldWhoAsksAndNobodyElse(_ scheme: String) async throws {
    let proxy = try Self.proxy { $0.credentials = "me:\(Self.password)" }
    let outcome = try await get(["--proxy", "\(scheme)://me:\(Self.password)@127.0.0.1:\(proxy.port)"])
    #expect(outcome.status == 0 && isThere)
    let heads = origin.requests.map { String(decoding: $0.raw, as: UTF8.self).lowercased() }
    #expect(heads.allSatisfy { !$0.contains("authorization") && !$0.contains(Self.password) })
    #expect(!(outcome.output + outcome.errors).contains(Self.password))
  }

  @Test(arguments: ["http", "socks5h", "CONNECT"])
  func aProxyThatWantsAnotherNameIsFinalAndNoFile(_ scheme: String) async throws {
    let proxy = try Self.proxy { $0.credentials = "me:right" }
    let address = "\(scheme == "CONNECT" ? "http" : scheme)://me:\(Self.password)@127.0.0.1:\(proxy.port)"
    let url = scheme == "CONNECT" ? origin.url().replacing("http:", with: "https:") : origin.url()
    let outcome = try await get(["--proxy", address], url)
    #expect(outcome.status == 24, "\(outcome.errors)")
    #expect(!outcome.errors.contains("retry") && !outcome.errors.contains(Self.password))
    #expect(outcome.errors.contains("proxy"))
    #expect(origin.requests.isEmpty && !folder.exists("files/file.bin"))
  }

  @Test func aProxyThatRefusesOnResumeLeavesThePart() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    var later = fetch
    let proxy = try Self.proxy { $0.credentials = "me:right" }
    later.settings.network.proxy = "http://127.0.0.1:\(proxy.port)"
    #expect(try await later.goOn(with: .v1).status == 24)
    fetch.expectPart(Version.v1[..<300_000])
  }

  // MARK: Past it

  @Test(arguments: [
    ("127.0.0.1", true), ("127.0.0.0/8", true), ("*", true), ("example.org, 127.0.0.1", true), ("127.0.0.1:PORT", true),
    ("example.org", false), ("10.0.0.0/8", false), ("127.0.0.1:1", false), ("", false), ("127.0.0", false),
  ]) func theListSaysWhatIsAskedDirectly(_ list: String, _ isDirect: Bool) async throws {
    let proxy = try Self.proxy()
    let list = list.replacing("PORT", with: "\(origin.port)")
    let address = "http://127.0.0.1:\(proxy.port)"
    #expect(try await get(["--proxy", address, "--noproxy", list]).status == 0)
    #expect(proxy.asked.isEmpty == isDirect)
    let environment = ["http_proxy": address, "no_proxy": list]
    #expect(try await get([], environment: environment).status == 0)
    #expect(proxy.asked.count == (isDirect ? 0 : 2))
  }

  @Test(arguments: [
    ("localhost", true), (".example.org", true), ("example.org", true), ("a.example.org:PORT", true),
    (".example.org:PORT", true), ("b.example.org", false), ("ample.org", false), ("example.org:1", false),
  ]) func namesInTheListAreMatchedByTheirEnd(_ list: String, _ isDirect: Bool) async throws {
    let host = list == "localhost" ? "localhost" : "a.example.org"
    let proxy = try Self.proxy()
    let list = list.replacing("PORT", with: "\(origin.port)")
    let options = ["--proxy", "http://127.0.0.1:\(proxy.port)", "--noproxy", list, "-4", "--retries", "1"]
    _ = try await get(options, "http://\(host):\(origin.port)/file.bin")
    #expect(proxy.asked.isEmpty == isDirect)
  }

  // MARK: Bad ones

  @Test func aProxyThatCutsEverythingIsOutlasted() async throws {
    let proxy = try Self.proxy { $0.cutsAfter = 64 << 10 }
    let outcome = try await get(["--proxy", "http://127.0.0.1:\(proxy.port)"])
    #expect(outcome.status == 0 && isThere, "\(outcome.errors)")
    #expect(origin.requests.count < 40)
  }

  @Test func aProxyThatDropsTheRangeCostsNoWrongByte() async throws {
    let fetch = try Fetch()
    try await fetch.begin()
    var later = fetch
    let proxy = try Self.proxy { $0.stripsRange = true }
    later.settings.network.proxy = "http://127.0.0.1:\(proxy.port)"
    #expect(try await later.goOn(with: .v1).status == 0)
    later.expectOnly(Version.v1)
    #expect(later.asked == [nil])
  }

  @Test func aProxyThatIsNotThereIsNamed() async throws {
    let port = try freePort()
    for scheme in ["http", "socks5h"] {
      let outcome = try await get(["--proxy", "\(scheme)://127.0.0.1:\(port)"])
      #expect(outcome.status == 6 && outcome.errors.contains("127.0.0.1:\(port)"), "\(outcome.errors)")
    }
    let outcome = try await get(["--proxy", "http://name.invalid:8080"])
    #expect(outcome.status == 19 && outcome.errors.contains("name.invalid"), "\(outcome.errors)")
  }
}
