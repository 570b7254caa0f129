import Testing

@testable import dltui

/// What is an address and what is not.
@Suite struct AddressTests {
  @Test(
    arguments: [
      ("http://example.org/file", "http://example.org/file", nil),
      ("HTTPS://Example.org/file#part", "https://Example.org/file", nil),
      ("example.org/file", "http://example.org/file", nil),
      ("example.org:8080/file", "http://example.org:8080/file", nil),
      ("ftp.example.org/file", "http://ftp.example.org/file", nil),
      ("127.0.0.1", "http://127.0.0.1/", nil),
      ("[::1]:80/x", "http://[::1]:80/x", nil),
      ("http://h", "http://h/", nil),
      ("http://h/ä?q=ß", "http://h/%c3%a4?q=%c3%9f", nil),
      ("http://h/%2e%2E/%20?a=b&c", "http://h/%2e%2E/%20?a=b&c", nil),
      ("http://me:pass%20word%3A@h/x?y#z", "http://h/x?y", "me:pass word:"),
      ("http://me@h/", "http://h/", "me:"),
      ("file:///a/b%20c", "file:///a/b%20c", nil), ("FILE://localhost/a#x", "file:///a", nil),
    ] as [(String, String, String?)])
  func anAddressIsTakenApart(_ typed: String, _ url: String, _ credentials: String?) throws {
    let address = try Address(typed)
    #expect(address.url == url)
    #expect(address.credentials == credentials)
  }

  @Test(arguments: [
    ("", "must not be empty"), ("http://", "names no host"), ("http:///x", "names no host"),
    ("https:x", "names no host"), ("http://?x", "names no host"), ("http://h/a b", "blanks or control characters"),
    ("http://h/\u{A0}", "blanks or control characters"), ("http://h/\r\nX: y", "blanks or control characters"),
    ("http://h/\u{9B}31m", "blanks or control characters"), ("http://h/\u{202E}gpj", "blanks or control characters"),
    ("http://h\u{0}x/", "blanks or control characters"), ("gopher://h/x", "addresses can be fetched"),
    ("dict://h/x", "addresses can be fetched"), ("file:/etc/passwd", "addresses can be fetched"),
    ("file://other/etc/passwd", "not a usable address"),
    ("mailto:me@example.org", "addresses can be fetched"), ("magnet:?xt=urn:btih:1", "addresses can be fetched"),
    ("javascript:alert(1)", "addresses can be fetched"), ("data:text/plain,x", "addresses can be fetched"),
    ("http://h:99999/", "not a usable address"), ("http://[::1/", "not a usable address"),
    ("http://a:b%0Ac@h/", "not a usable address"), ("http://a%3Ab:c@h/", "a colon in the user name"),
    ("get", "neither a command nor an address"), ("linux", "neither a command nor an address"),
  ]) func whatIsNoAddressIsRefused(_ typed: String, _ why: String) {
    let error = #expect(throws: UsageError.self) { try Address(typed) }
    #expect(error?.message.contains(why) == true)
  }

  @Test(arguments: [
    ("x.iso", "/d", "x.iso"), ("./x.iso", "/d", "x.iso"), ("a/b/x.iso", "/d/a/b", "x.iso"), ("/t/x", "/t", "x"),
    ("/x", "/", "x"), ("...", "/d", "..."), ("/a/../x", "/a/..", "x"),
  ]) func aChosenNameStaysInItsFolderUnlessItIsAbsolute(_ typed: String, _ folder: String, _ name: String) throws {
    let target = try TargetName(typed, folder: "/d")
    #expect(target.folder == folder)
    #expect(target.name == name)
  }
}
