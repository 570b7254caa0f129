import CCurl
import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// What libcurl's codes and the server's wishes become: what to say, and whether trying again may help.
@Suite struct ErrorTests {
  private func error(_ code: CURLcode, url: String = "http://127.0.0.1/x") throws -> DownloadError {
    let handle = try #require(curl_easy_init())
    defer { curl_easy_cleanup(handle) }
    ccurl_set_string(handle, CURLOPT_URL, url)
    return CurlFault.error(code, "", handle)
  }

  private static let retried: [CURLcode] = [
    CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
    CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
  ]

  private static let final: [CURLcode] = [
    CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_OUT_OF_MEMORY, CURLE_INTERFACE_FAILED,
    CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
    CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_WEIRD_SERVER_REPLY,
    CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_LOGIN_DENIED,
    CURLE_FILE_COULDNT_READ_FILE,
  ]

  @Test func whatMayPassIsTriedAgain() throws {
    for code in Self.retried {
      let error = try error(code)
      #expect(error.isTransient && !error.isLocal && !error.condemnsBytes, "\(code.rawValue): \(error.message)")
    }
  }

  @Test func whatWillNotPassIsFinal() throws {
    for code in Self.final {
      let error = try error(code)
      #expect(!error.isTransient && !error.isLocal, "\(code.rawValue): \(error.message)")
    }
  }

  @Test func noErrorIsBothPassingAndOurs() throws {
    let local: [DownloadError] = [
      .diskFull(path: "/"), .fileExists(path: "/"), .alreadyDownloading(path: "/"), .cannotOpen(path: "/", why: ""),
      .cannotCreate(path: "/", why: ""), .cannotWrite(path: "/", why: ""), .cannotMakeFolder(path: "/", why: ""),
      .badSidecar(path: "/", why: ""), .sessionInUse(path: "/"), .checksumMismatch(expected: "", got: ""),
    ]
    for error in local { #expect(error.isLocal && !error.isTransient, "\(error.message)") }
  }

  // MARK: Retry-After

  private static let date: Int64 = 1_704_240_000

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("120", 120), ("86400", 86_400), ("86401", 86_400), ("9223372036854775807", 86_400),
      ("99999999999999999999999999", 86_400), ("Wed, 03 Jan 2024 00:02:00 GMT", 120),
      ("Wednesday, 03-Jan-24 00:02:00 GMT", 120), ("Wed Jan  3 00:02:00 2024", 120),
      ("Wed, 03 Jan 2024 00:00:00 GMT", 0),
      ("Tue, 02 Jan 2024 00:00:00 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Sat, 01 Jan 2994 00:00:00 GMT", 86_400),
    ] as [(String, Int)]) func everyFormOfRetryAfterIsUnderstood(_ text: String, _ seconds: Int)
  {
    #expect(CurlOptions.retryAfter(text, sent: Self.date) == .seconds(seconds))
  }

  @Test(arguments: ["", "soon", "-5", "+5", "1.5", "1e3", "0x10", "12:00", "120, 60", "\u{7F}", "１２０"])
  func whatIsNoRetryAfterSaysNothing(_ text: String) {
    #expect(CurlOptions.retryAfter(text, sent: Self.date) == nil)
  }

  @Test func withoutADateOfTheServerOurClockCounts() throws {
    let wait = try #require(CurlOptions.retryAfter("Sat, 01 Jan 2994 00:00:00 GMT", sent: nil))
    #expect(wait == .seconds(86_400))
    #expect(CurlOptions.retryAfter("Wed, 03 Jan 2024 00:02:00 GMT", sent: nil) == .zero)
  }
}
