import Foundation
import TestSupport
import Testing

/// The program and a terminal agree on how wide names are: whatever a name is made of, what stands to the right of it stays in its column.
@Suite(.timeLimit(.minutes(2))) struct TextWidthTests {
  private static let names = [
    "plain.txt", "日本語のファイル.zip", "한국어 파일.tar", "e\u{301}clair cafe\u{301}.txt", "Zalgo\u{321}\u{334}\u{489}\u{35D}.txt",
    "नमस्ते कि.txt", "ภาษาไทย.txt", "👨‍👩‍👧‍👦 family.zip", "👍🏽👍 thumbs.txt", "❤\u{FE0F}❤ hearts.txt", "🇩🇪🇫🇷 flags.txt",
    "1\u{FE0F}\u{20E3} keycap.txt", "שלום עולם.txt", "مرحبا بالعالم.txt", "ambiguous ·§°±×÷αЖ①→▲.txt", "ｆｕｌｌ.txt",
    "ﾊﾝｶｸ.txt",
    "\u{301}lone mark.txt", "joined a\u{200D}b\u{200C}c.txt", "𠀀𠮷 beyond.txt", "\u{1112}\u{1161}\u{11AB} jamo.txt",
    "soft\u{AD}hyphen.txt", "zero\u{200B}width.txt", "\u{202E}reversed.txt", "tab\u{9}and\u{7}bell.txt",
    "日本語の長い長い長い長い長い長い長い長い長い長い長い名前.txt",
  ]

  /// Bytes that are no UTF-8.
  private static let broken = ["/%FF%FE%C3.bin", "/ok%80%80.bin"]

  @Test(arguments: [120, 97, 81, 60, 38]) func whatFollowsANameStaysInItsColumn(_ columns: Int) async throws {
    let desk = try Desk("-j", "40")
    let origin = try ScriptedOrigin { $1.respond(404) }
    let paths = Self.names.map { "/" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") }
    let all = paths + Self.broken
    let terminal = try await desk.open(all.map { origin.url($0) }, columns: columns, rows: all.count + 3)
    try await terminal.waitUntil("all failed") {
      $0.split(separator: "✗", omittingEmptySubsequences: false).count > all.count
    }
    let rows = try await terminal.cells(of: "✗").filter { $0.row > 1 }
    #expect(rows.map(\.row) == Array(2..<2 + all.count))
    let screen = try await terminal.screen()
    #expect(Set(rows.map(\.column)).count == 1, "\(rows)\n\(screen)")
    #expect(screen.contains("日本語") && screen.contains("e\u{301}clair"))
    #expect(rows.allSatisfy { $0.column < columns })
  }
}
