import TestSupport
import Testing

@testable import DownloadCore

/// Link fields as servers write them (RFC 6249, RFC 8288).
struct MirrorLinkTests {
  private func references(_ fields: String...) -> [String] {
    MirrorLink.parse(fields.map(latin1Bytes)).map(\.reference)
  }

  @Test(arguments: [
    ("<http://a/f>; rel=duplicate", ["http://a/f"]), ("<http://a/f>;rel=\"duplicate\"", ["http://a/f"]),
    ("<http://a/f> ; REL = \"DUPLICATE\"", ["http://a/f"]), ("<f>; rel=duplicate", ["f"]),
    ("<../f?a=1,2;b>; rel=duplicate, <//b/f>; rel=duplicate", ["../f?a=1,2;b", "//b/f"]),
    ("<http://a/f>; rel=\"alternate duplicate\"", ["http://a/f"]),
    ("<http://a/f>; rel=\"\tduplicate\"", ["http://a/f"]),
    ("<http://a/f>; title=\"a;b,<c>\\\"\"; rel=duplicate", ["http://a/f"]),
    (", ,<http://a/f>; rel=duplicate,,", ["http://a/f"]), ("junk, <http://a/f>; rel=duplicate; ;", ["http://a/f"]),
    ("<http://a/f>; rel=duplicate junk", ["http://a/f"]),
    ("<http://a/f> junk; rel=duplicate, <b>; rel=duplicate", ["b"]),
    ("<http://a/\u{e4}>; rel=duplicate", ["http://a/%e4"]), ("<a>; rel=duplicate; rel=next", ["a"]),
    ("<a>; rel=next; rel=duplicate", []), ("<a>; rel=duplicates", []), ("<a>; rel", []), ("<a>; rel=", []), ("<a>", []),
    ("<a>; title=duplicate", []), ("<>; rel=duplicate", []), ("<a; rel=duplicate", []), ("a; rel=duplicate", []),
    ("<a>; rel=duplicate; anchor=\"/other\"", []), ("<a>; rel=describedby; type=\"application/metalink4+xml\"", []),
    ("<a>; rel=\"duplicate", ["a"]), ("<a>; title=\"x, <b>; rel=duplicate", []), ("", []), ("<", []), ("<a>;", []),
    ("<a>;=", []),
    ("<a>;=duplicate;rel=duplicate", ["a"]), (";;;,,,===\"\\", []),
  ]) func duplicatesAreFoundAndNothingElse(_ field: String, _ wanted: [String]) {
    #expect(references(field) == wanted)
  }

  @Test func theBestComesFirst() {
    let sent = [
      "<none>; rel=duplicate, <last>; rel=duplicate; pri=999999, <second>; rel=duplicate; pri=2",
      "<first>; rel=duplicate; pri=\"1\"", "<liked>; rel=duplicate; pref, <liked-second>; rel=duplicate; pri=2; pref",
      "<odd>; rel=duplicate; pri=0, <odder>; rel=duplicate; pri=1000000, <oddest>; rel=duplicate; pri=99999999999999999999",
    ]
    let links = MirrorLink.parse(sent.map(latin1Bytes))
    #expect(
      links.map(\.reference) == [
        "first", "liked-second", "second", "last", "liked", "none", "odd", "odder", "oddest",
      ])
  }

  @Test func noAnswerBringsMoreThanTheProgramLooksAt() {
    let field = Array(repeating: "<a>; rel=duplicate", count: 5000).joined(separator: ",")
    #expect(MirrorLink.parse([latin1Bytes(field)]).count == MirrorLink.most)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func anyBytesAreReadToTheirEnd(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let words = ["<", ">", ";", ",", "=", "\"", "\\", " ", "rel", "duplicate", "pri", "a", "\u{ff}", "\0", "999999"]
    for _ in 0..<500 {
      let field = (0..<random.number(0...30)).map { _ in words.randomElement(using: &random) ?? "" }.joined()
      for link in MirrorLink.parse([latin1Bytes(field)]) {
        #expect(!link.reference.isEmpty && !link.reference.contains(">"), "seed \(seed): \(field)")
        #expect(field.lowercased().contains("duplicate"), "seed \(seed): \(field)")
      }
    }
  }
}
