/// The word that was probably meant: the closest one, if it is at most a third of its letters away.
func nearest(to typed: String, among words: [String]) -> String? {
  let ranked = words.map { (word: $0, distance: distance(typed, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance * 3 <= max(best.word.count, 6) ? best.word : nil
}

/// How many letters must be added, dropped, changed or swapped with a neighbour (optimal string alignment).
private func distance(_ from: String, _ to: String) -> Int {
  let (a, b) = (Array(from.prefix(40)), Array(to.prefix(40)))
  var rows = [Array(0...b.count)]
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
