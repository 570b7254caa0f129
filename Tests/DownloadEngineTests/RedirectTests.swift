import DownloadCore
import Foundation
import TestSupport
import Testing

/// Where answers may send a download, and where not (cases C11, C12, C13).
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
  private let fetch: Fetch

  init() throws { fetch = try Fetch() }

  /// The file is at one target; everything else is sent on.
  private static func sending(_ headers: [String], to target: String) -> ScriptedOrigin.Handler {
    { request, connection in
      request.target == target
        ? ServedFile.v1.answer(request, connection) : connection.respond(302, headers: headers, body: "moved\n")
    }
  }

  @Test(arguments: [
    ("/other", "/other"), ("other?a=b", "/folder/other?a=b"), ("../up", "/up"), ("?q", "/folder/file.bin?q"),
    ("/a b", "/a%20b"), ("/x#part", "/x"), ("/./y/../z", "/z"), ("/caf\u{E9}", "/caf%c3%a9"),
    ("  /blanks  ", "/blanks"), ("/%E2%9C%93", "/%E2%9C%93"),
  ]) func aReferenceLeadsWhereABrowserWouldGo(_ location: String, _ target: String) async throws {
    let fetch = try Fetch(path: "/folder/file.bin")
    let ending = try await fetch.goOn(with: Self.sending(["Location: \(location)"], to: target))
    #expect(ending.status == 0)
    #expect(fetch.origin.requests.map(\.target) == ["/folder/file.bin", target])
  }

  @Test(arguments: ["http://", "HTTP://", "//"]) func anotherHostIsAsked(_ start: String) async throws {
    let other = try ScriptedOrigin(.v1)
    let location = start + other.url().dropFirst("http://".count)
    let ending = try await fetch.goOn { $1.respond(302, headers: ["Location: \(location)"]) }
    #expect(ending.status == 0 && other.requests.count == 1)
    fetch.expectOnly(Version.v1)
  }

  /// Each with what is said, and nothing is fetched.
  @Test(arguments: [
    (["Location: /file.bin"], 23, "too many redirects"), ([], 22, "302"), (["Location:"], 22, "302"),
    (["Location: /a", "Location: /b"], 22, "302"), (["Location: javascript:alert(1)"], 22, "javascript:alert(1)"),
    (["Location: http://127.0.0.1/\u{1B}[2Jx"], 22, "\u{1B}[2Jx"), (["Location: http://"], 22, "http://"),
    (["Location: file:///etc/hostname"], 22, "file:///etc/hostname"),
    (["Location: ftp://127.0.0.1/x"], 22, "ftp://127.0.0.1/x"), (["Location: sftp://127.0.0.1/x"], 22, "sftp://"),
    (["Location: gopher://127.0.0.1:9/x"], 22, "gopher://"), (["Location: dict://127.0.0.1:9/d:x"], 22, "dict://"),
    (["Location: smb://127.0.0.1/x"], 22, "smb://"), (["Location: data:,hello"], 22, "data:,hello"),
    (["Location: http://127.0.0.1:99999/"], 22, "99999"), (["Location: http://a b/"], 22, "a b"),
  ]) func anOddLocationIsRefused(_ headers: [String], _ status: Int32, _ words: String) async throws {
    let ending = try await fetch.goOn { $1.respond(302, headers: headers, body: "moved\n") }
    #expect(ending.status == status)
    #expect(ending.message?.contains(words) == true, "\(ending.message ?? "")")
    #expect(fetch.folder.names.isEmpty && fetch.origin.requests.count <= 21)
  }

  @Test(arguments: [(20, 0), (21, 23), (25, 23)]) func twentyHopsAreEnough(_ hops: Int, _ status: Int32) async throws {
    let ending = try await fetch.goOn { request, connection in
      let step = Int(request.target.dropFirst("/file.bin?".count)) ?? 0
      guard step < hops else { return ServedFile.v1.answer(request, connection) }
      connection.respond(307, headers: ["Location: ?\(step + 1)"])
    }
    #expect(ending.status == status)
    #expect(fetch.origin.requests.count == min(hops, 20) + 1)
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func everyRedirectIsFollowed(_ status: Int) async throws {
    let ending = try await fetch.goOn { request, connection in
      request.path == "/there"
        ? ServedFile.v1.answer(request, connection) : connection.respond(status, headers: ["Location: /there"])
    }
    #expect(ending.status == 0)
    fetch.expectOnly(Version.v1)
  }

  @Test func anAnswerThatNothingHasChangedIsNoRedirect() async throws {
    let ending = try await fetch.goOn { request, connection in
      request.path == "/there"
        ? ServedFile.v1.answer(request, connection) : connection.respond(304, headers: ["Location: /there"])
    }
    #expect(ending.status == 22 && fetch.folder.names.isEmpty)
  }

  @Test func nothingForeignReachesTheTerminal() async throws {
    fetch.origin.serve { $1.respond(302, headers: ["Location: http://127.0.0.1/\u{1B}]0;x\u{7}\u{9B}2J"]) }
    for option in ["--json", "--no-progress"] {
      let outcome = try await Program.dltui(
        ["get", "--no-config", option, "-d", fetch.folder.path, fetch.origin.url()]
      ).end()
      let controls = (outcome.output + outcome.errors).unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n"
      }
      #expect(outcome.status == 22 && controls.isEmpty)
    }
  }

  @Test func encryptionIsNotGivenUpUnseen() async throws {
    let plain = try ScriptedOrigin(.v1)
    var options = NginxServer.Options()
    let certificate = try await Certificate()
    (options.certificate, options.directives) = (certificate, "return 302 \(plain.url());")
    let nginx = try await NginxServer(options)
    let secrets = ["-u", "me:hush", "-H", "X-Api-Key: hush", "--referer", "https://127.0.0.1/hush"]
    let outcome = try await Program.dltui(
      ["get", "--no-config", "-d", fetch.folder.path, "--cacert", certificate.file] + secrets + [nginx.url("/file.bin")]
    ).end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("sent on to an address without encryption: http://127.0.0.1:\(plain.port)"))
    let heads = plain.requests.map { String(decoding: $0.raw, as: UTF8.self).lowercased() }
    #expect(heads.count == 1 && heads.allSatisfy { !$0.contains("hush") && !$0.contains("referer") })
    fetch.expectOnly(Version.v1)
  }

  // MARK: Addresses that expire

  /// Sends every walk to a new address. All but the last kind stop working after so many requests.
  private static func expiring(after uses: Int, with status: Int, _ file: ServedFile) -> ScriptedOrigin.Handler {
    let state = Counts()
    return { request, connection in
      guard request.path == "/signed" else {
        return connection.respond(302, headers: ["Location: /signed?\(state.next("walks"))"])
      }
      let isFirst = request.target == "/signed?1"
      guard !isFirst || state.next("uses") <= uses else { return connection.respond(status, body: "expired\n") }
      file.answer(request, connection)
    }
  }

  @Test(arguments: [401, 403, 404, 410]) func anExpiredAddressIsLookedUpOnceForAll(_ status: Int) async throws {
    var fetch = try Fetch()
    (fetch.settings.connections, fetch.settings.minSplit) = (4, 256 << 10)
    let file = ServedFile.b.with { $0.bytesPerSecond = 8_000_000 }
    let ending = try await fetch.goOn(with: Self.expiring(after: 2, with: status, file))
    #expect(ending.status == 0 && ending.restarts.isEmpty)
    fetch.expectOnly(Version.b)
    #expect(fetch.origin.requests.count { $0.path == "/file.bin" } == 2)
  }

  @Test func anAddressThatIsGoneForGoodIsNotLookedUpForEver() async throws {
    var fetch = try Fetch()
    (fetch.settings.connections, fetch.settings.minSplit) = (4, 256 << 10)
    let walks = Counts()
    let ending = try await fetch.goOn { request, connection in
      guard request.path == "/signed" else { return connection.respond(302, headers: ["Location: /signed"]) }
      guard walks.next("uses") <= 2 else { return connection.respond(403) }
      ServedFile.b.with { $0.bytesPerSecond = 8_000_000 }.answer(request, connection)
    }
    #expect(ending.status == 24 && fetch.bytes == nil)
    #expect((fetch.sidecar?.doneRanges.count ?? 0) > 1 << 20)
    #expect(fetch.origin.requests.count < 20)
  }

  @Test func segmentsGoWhereTheFirstOneWasSent() async throws {
    let other = try ScriptedOrigin(ServedFile.b.with { $0.bytesPerSecond = 8_000_000 })
    let ending = try await fetch.goOn { $1.respond(302, headers: ["Location: \(other.url("/there"))"]) }
    #expect(ending.status == 0)
    fetch.expectOnly(Version.b)
    #expect(fetch.origin.requests.count == 1 && other.requests.count >= 8)
  }
}
