import DownloadCore
import Testing

@testable import TerminalUI

/// States in words: the longer the column, the more is said, and the shortest still fits the narrowest column that has words.
@Suite struct StateTextTests {
  private static let waiting: Snapshot.Item = {
    var item = Samples.item(1, "a.iso", .active, of: 9 << 20, speed: 0)
    item.waitsForConnection = true
    return item
  }()

  @Test(arguments: [(100, "waiting for a connection"), (18, "waiting its turn"), (13, "waiting")])
  func whoHasNoConnectionWaits(_ width: Int, _ words: String) {
    #expect(StateText(Self.waiting, at: .zero, Glyphs(ascii: false)).words(width: width) == words)
  }

  @Test(arguments: Samples.states.downloads + [waiting]) func theShortestFitsAndTheLongestComesFirst(
    _ item: Snapshot.Item
  ) {
    let text = StateText(item, at: Samples.states.moment, Glyphs(ascii: false))
    let widths = text.phrases.map { TextWidth.of($0) }
    #expect(widths.last.map { $0 <= 13 } == true, "\(text.phrases)")
    #expect(widths == widths.sorted(by: >), "\(text.phrases)")
    for width in 13..<40 { #expect(TextWidth.of(text.words(width: width)) <= width, "\(text.phrases)") }
    for width in 40...200 { #expect(text.words(width: width) == text.words) }
  }

  @Test(arguments: [
    (80, 13), (100, 18), (120, 22), (200, 60),
  ]) func theColumnForWordsGrowsWithTheWindow(_ columns: Int, _ width: Int) {
    let state = Columns(width: columns, numberWidth: 2).placed.first { $0.kind == .state }
    #expect(state.map { $0.width - 2 >= width } == true)
  }
}
