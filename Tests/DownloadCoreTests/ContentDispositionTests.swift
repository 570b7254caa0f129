import Testing

@testable import DownloadCore

/// Content-Disposition fields as they stand on the wire (every character of a row up to U+00FF is a byte), and the file's name on disk.
/// The address is always `http://host/dir/url.bin`, so `url.bin` means that the field gave no usable name.
struct ContentDispositionTests {
  private static let url = "http://host/dir/url.bin"

  private func expectName(_ fields: [String], _ name: String, _ location: SourceLocation = #_sourceLocation) {
    var head = ResponseHead(status: 200, url: Self.url)
    for field in fields { head.add(line: latin1Bytes("Content-Disposition: \(field)\r\n")) }
    #expect(FileName.suggested(by: head, url: Self.url) == name, "\(fields)", sourceLocation: location)
  }

  // RFC 6266 §4.1: type and parameter names in any case, tokens and quoted strings.
  @Test(arguments: [
    ("attachment; filename=\"a.txt\"", "a.txt"), ("attachment; filename=a.txt", "a.txt"),
    ("attachment;filename=a.txt", "a.txt"), ("attachment ; filename = \"a.txt\"", "a.txt"),
    ("attachment;\tfilename\t=\ta.txt", "a.txt"), ("ATTACHMENT; FILENAME=\"A.TXT\"", "A.TXT"),
    ("inline; filename=a.txt", "a.txt"), ("INLINE; FileName=\"a.txt\"", "a.txt"),
    ("unknown-type; filename=a.txt", "a.txt"), ("form-data; name=\"f\"; filename=\"a.txt\"", "a.txt"),
    ("attachment; size=5; filename=a.txt; creation-date=\"Wed, 1; Jan\"", "a.txt"),
    ("attachment; filename=\"a b.txt\"", "a b.txt"), ("attachment; filename=\"a;b.txt\"", "a;b.txt"),
    ("attachment; filename=\"a=b.txt\"", "a=b.txt"), ("attachment; filename=\"a, b.txt\"", "a, b.txt"),
    ("attachment; filename=\"it's.txt\"", "it's.txt"), ("attachment; filename='a.txt'", "'a.txt'"),
    ("attachment; filename=\"(a) [b] {c}.txt\"", "(a) [b] {c}.txt"),
    ("attachment; filename=\"a:b|c?d*.txt\"", "a:b|c?d*.txt"),
    ("attachment; filename=\"a.tar.gz\"", "a.tar.gz"), ("attachment; filename=\"README\"", "README"),
    ("attachment", "url.bin"), ("inline", "url.bin"), ("", "url.bin"), (";", "url.bin"), (";;;", "url.bin"),
    ("attachment; name=a.txt", "url.bin"), ("attachment; xfilename=a.txt", "url.bin"),
    ("attachment; filename", "url.bin"),
    ("attachment; filename=", "url.bin"), ("attachment; filename=\"\"", "url.bin"),
    ("attachment; filename=\"", "url.bin"),
    ("attachment; filename=;", "url.bin"), ("attachment; filename*=", "url.bin"), ("=", "url.bin"),
    ("attachment; =a.txt", "url.bin"),
  ]) func aNameIsFoundWhereTheStandardPutsIt(_ field: String, _ name: String) { expectName([field], name) }

  // B07, and what else servers write.
  @Test(arguments: [
    ("attachment; filename=\"a.tar.gz\";", "a.tar.gz"), ("attachment; filename=a.txt;", "a.txt"),
    ("attachment; filename=my 1st image.jpg", "my 1st image.jpg"),
    ("attachment; filename=my 1st image.jpg ; x=y", "my 1st image.jpg"),
    ("attachment; filename=correct.jpg; x=/wrong.jpg", "correct.jpg"),
    ("attachment; x=/wrong.jpg; filename=correct.jpg", "correct.jpg"),
    ("attachment; x=\"; filename=wrong.jpg\"; filename=correct.jpg", "correct.jpg"),
    ("attachment; x=\"\\\"; filename=wrong.jpg\"; filename=correct.jpg", "correct.jpg"),
    ("filename=a.txt", "a.txt"), ("filename=\"a.txt\"", "a.txt"), ("filename=\"a.txt\"; x=y", "a.txt"),
    ("filename*=UTF-8''a.txt", "a.txt"), ("; filename=a.txt", "a.txt"), (";; filename=a.txt", "a.txt"),
    ("attachment;; ;filename=a.txt", "a.txt"), ("\"attachment\"; filename=a.txt", "a.txt"),
    ("attachment; filename=\"a.txt", "a.txt"), ("attachment; filename=\"a.txt\"junk", "a.txt"),
    ("attachment; filename=\"a.txt\"; junk", "a.txt"), ("attachment; filename=a.txt junk", "a.txt junk"),
    ("attachment; filename==a.txt", "=a.txt"), ("attachment; filename=a\"b.txt", "a\"b.txt"),
    ("attachment; filename=a.txt; filename=b.txt", "a.txt"),
    ("attachment; filename=\"a.txt\"; FILENAME=\"b.txt\"", "a.txt"),
    ("attachment filename=a.txt", "url.bin"), ("attachment, filename=a.txt", "url.bin"),
    ("attachment; filename*0=\"a\"; filename*1=\".txt\"", "url.bin"),
  ]) func whatServersWriteInsteadIsUnderstood(_ field: String, _ name: String) { expectName([field], name) }

  // RFC 9110 §5.6.4. A backslash before a letter is a separator, as curl and wget have it: `f\oo.html` is not `foo.html` here.
  @Test(arguments: [
    (#"attachment; filename="a\"b;c.txt""#, #"a"b;c.txt"#),
    (#"attachment; filename="\"quoted\".txt""#, #""quoted".txt"#),
    (#"attachment; filename="a\\b.txt""#, "b.txt"), (#"attachment; filename="6.5\\pkg.rpm""#, "pkg.rpm"),
    (#"attachment; filename="6.5\pkg.rpm""#, "pkg.rpm"), (#"attachment; filename="..\\..\\evil.txt""#, "evil.txt"),
    (#"attachment; filename="..\..\evil.txt""#, "evil.txt"), (#"attachment; filename=..\..\evil.txt"#, "evil.txt"),
    (#"attachment; filename="C:\Users\me\report.pdf""#, "report.pdf"),
    (#"attachment; filename="\\\\server\\share\\a.txt""#, "a.txt"), (#"attachment; filename="f\oo.html""#, "oo.html"),
    (#"attachment; filename="a.txt\""#, "a.txt\""), (#"attachment; filename="a.txt\\""#, "url.bin"),
    (#"attachment; filename=a\"b.txt"#, #""b.txt"#), (#"attachment; filename="\"#, "url.bin"),
    (#"attachment; filename="a\\\"b.txt""#, #""b.txt"#),
  ]) func escapesAreUndoneAndBackslashesSeparate(_ field: String, _ name: String) { expectName([field], name) }

  // RFC 8187; B06.
  @Test(arguments: [
    ("attachment; filename*=UTF-8''caf%C3%A9.txt", "café.txt"),
    ("attachment; filename*=utf-8''caf%c3%a9.txt", "café.txt"),
    ("attachment; filename*=UTF-8'en'a.txt", "a.txt"), ("attachment; filename*=UTF-8'de-CH-1996'a.txt", "a.txt"),
    ("attachment; FILENAME*=UTF-8''a.txt", "a.txt"), ("attachment; filename* = UTF-8''a.txt", "a.txt"),
    ("attachment; filename*=UTF-8''a%20b.txt", "a b.txt"), ("attachment; filename*=UTF-8''a'b.txt", "a'b.txt"),
    ("attachment; filename*=UTF-8''100%25.txt", "100%.txt"), ("attachment; filename*=UTF-8''%E2%82%AC.txt", "€.txt"),
    ("attachment; filename*=UTF-8''%F0%9F%91%8D.txt", "👍.txt"), ("attachment; filename*=UTF-8''a+b.txt", "a+b.txt"),
    ("attachment; filename*=iso-8859-1'en'caf%E9.txt", "café.txt"),
    ("attachment; filename*=ISO-8859-1''%A3.txt", "£.txt"),
    ("attachment; filename*=\"UTF-8''caf%C3%A9.txt\"", "café.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''better.txt", "better.txt"),
    ("attachment; filename*=UTF-8''better.txt; filename=plain.txt", "better.txt"),
    ("attachment; filename*=UTF-8''first.txt; filename*=UTF-8''second.txt", "first.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''bad%zz.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''bad%4", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''bad%", "plain.txt"),
    ("attachment; filename*=UTF-8''bad%C3.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''over%C0%AFlong.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''half%ED%A0%80.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-16''%00a.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=koi8-r''%C1.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=''a.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=a.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8'a.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''..; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''%2F; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''bad%zz.txt", "url.bin"), ("attachment; filename*=klingon''a.txt", "url.bin"),
    ("attachment; filename*=UTF-8''..%2F..%2Fevil.txt", "evil.txt"),
    ("attachment; filename*=UTF-8''..%5C..%5Cevil.txt", "evil.txt"),
    ("attachment; filename*=UTF-8''%2Fetc%2Fpasswd", "passwd"), ("attachment; filename*=UTF-8''a%00b.txt", "ab.txt"),
    ("attachment; filename*=UTF-8''a%0D%0Ab.txt", "ab.txt"),
    ("attachment; filename*=UTF-8''a%E2%80%AEtxt.exe", "atxt.exe"),
    ("attachment; filename*=UTF-8''..%2F%CC%81evil.txt", "evil.txt"),
    ("attachment; filename*=UTF-8''.%CC%81hidden", "hidden"),
  ]) func theExtendedFormWinsUnlessItIsBroken(_ field: String, _ name: String) { expectName([field], name) }

  // B08, B14: what stands there is not decoded further than the standard says.
  @Test(arguments: [
    ("attachment; filename=\"caf\u{e9}.txt\"", "café.txt"), ("attachment; filename=caf\u{e9}.txt", "café.txt"),
    ("attachment; filename=\"caf\u{c3}\u{a9}.txt\"", "café.txt"),
    ("attachment; filename=caf\u{c3}\u{a9}.txt", "café.txt"),
    ("attachment; filename=\"\u{e2}\u{82}\u{ac}.txt\"", "€.txt"),
    ("attachment; filename=\"\u{e9}\u{c3}\u{a9}.txt\"", "éÃ©.txt"),
    ("attachment; filename=\"a\u{80}\u{9b}31m.txt\"", "a31m.txt"), ("attachment; filename=\"a\u{ff}.txt\"", "aÿ.txt"),
    ("attachment; filename=\"=?UTF-8?Q?x?=\"", "=?UTF-8?Q?x?="),
    ("attachment; filename==?UTF-8?B?eA==?=", "=?UTF-8?B?eA==?="),
    ("attachment; filename=\"100%25.txt\"", "100%25.txt"), ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
    ("attachment; filename=\"..%2F..%2Fevil\"", "%2F..%2Fevil"), ("attachment; filename=\"%41%.txt\"", "%41%.txt"),
    ("attachment; filename=\"&eacute;.txt\"", "&eacute;.txt"),
  ]) func eightBitNamesAreReadAndNothingElseIsDecoded(_ field: String, _ name: String) { expectName([field], name) }

  @Test func ofSeveralFieldsTheFirstUsableNameCounts() {
    expectName(["attachment; filename=a.txt", "attachment; filename=b.txt"], "a.txt")
    expectName(["attachment; filename=a.txt", "inline"], "a.txt")
    expectName(["inline", "attachment; filename=b.txt"], "b.txt")
    expectName(["attachment; filename=\"..\"", "attachment; filename=b.txt"], "b.txt")
    expectName(["attachment; filename=\"..\"", "attachment; filename=\"/\""], "url.bin")
  }

  @Test func aFoldedFieldIsReadWhole() {
    expectName(["attachment;\r\n"], "url.bin")
    var head = ResponseHead(status: 200, url: Self.url)
    for line in ["Content-Disposition: attachment;\r\n", "\tfilename=\"a.txt\"\r\n"] {
      head.add(line: Array(line.utf8))
    }
    #expect(FileName.suggested(by: head, url: Self.url) == "a.txt")
  }
}
