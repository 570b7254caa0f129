import DownloadCore
import Testing

@testable import TerminalUI

/// States in words: the longer the column, the more is said, and the shortest still fits the narrowest column that has words.
@Suite struct StateTextTests {
  @Test(arguments: Samples.states.downloads) func theShortestFitsAndTheLongestComesFirst(_ item: Snapshot.Item) {
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
