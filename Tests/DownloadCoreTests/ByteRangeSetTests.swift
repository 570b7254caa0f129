import Testing

@testable import DownloadCore

/// The set of missing bytes, held against an array of booleans.
struct ByteRangeSetTests {
  private static let everything: ByteRange = 0..<Int64.max

  @Test func aNewSetHoldsNothing() {
    let set = ByteRangeSet()
    #expect(set.isEmpty && set.count == 0 && set.first == nil && set.ranges.isEmpty)
    #expect(ByteRangeSet(5..<5) == set)
    #expect(ByteRangeSet([ByteRange]()) == set)
  }

  @Test(
    arguments: [
      ([0..<10], [0..<10]), ([0..<10, 10..<20], [0..<20]), ([10..<20, 0..<10], [0..<20]),
      ([0..<10, 11..<20], [0..<10, 11..<20]), ([11..<20, 0..<10], [0..<10, 11..<20]),
      ([0..<10, 20..<30, 10..<20], [0..<30]), ([0..<10, 20..<30, 5..<25], [0..<30]), ([0..<30, 10..<20], [0..<30]),
      ([10..<20, 0..<30], [0..<30]), ([1..<2, 3..<4, 5..<6, 0..<9], [0..<9]), ([7..<7, 3..<3], []),
      ([1..<2, 3..<4, 5..<6, 2..<5], [1..<6]), ([0..<4, 4..<4], [0..<4]),
    ] as [([ByteRange], [ByteRange])])
  func whatTouchesGrowsTogether(_ inserted: [ByteRange], _ held: [ByteRange]) {
    #expect(ByteRangeSet(inserted).ranges == held)
  }

  @Test(
    arguments: [
      ([0..<10], 0..<10, []), ([0..<10], 0..<5, [5..<10]), ([0..<10], 5..<10, [0..<5]),
      ([0..<10], 3..<6, [0..<3, 6..<10]), ([0..<10], 10..<20, [0..<10]), ([10..<20], 0..<10, [10..<20]),
      ([0..<10], 4..<4, [0..<10]), ([0..<10, 20..<30], 5..<25, [0..<5, 25..<30]), ([0..<10, 20..<30], 10..<20, nil),
      ([0..<10, 20..<30, 40..<50], 0..<50, []), ([0..<10, 20..<30, 40..<50], 15..<35, [0..<10, 40..<50]),
      ([], 0..<9, []),
    ] as [([ByteRange], ByteRange, [ByteRange]?)])
  func whatIsRemovedIsGoneAndNothingElse(_ before: [ByteRange], _ removed: ByteRange, _ after: [ByteRange]?) {
    var set = ByteRangeSet(before)
    set.remove(removed)
    #expect(set.ranges == after ?? before)
  }

  @Test func aRangeAcrossAHoleIsNotContained() {
    let set = ByteRangeSet([0..<10, 11..<20])
    #expect(set.contains(0..<10) && set.contains(11..<20) && set.contains(3..<3) && set.contains(15..<16))
    #expect(!set.contains(0..<11) && !set.contains(9..<12) && !set.contains(19..<21) && !set.contains(30..<31))
    #expect(set.contains(10..<10), "nothing is contained in everything")
  }

  @Test func theLargestFileThereCanBeIsCountedExactly() {
    var set = ByteRangeSet(Self.everything)
    #expect(set.count == .max)
    #expect(ByteRangeSet(set.ranges + [5..<9]) == set)
    set.remove((Int64.max - 1)..<Int64.max)
    #expect(set.count == .max - 1 && set.ranges == [0..<(Int64.max - 1)])
    set.remove(0..<1)
    #expect(set.complement(in: Self.everything).ranges == [0..<1, (Int64.max - 1)..<Int64.max])
    set.insert(0..<1)
    set.insert((Int64.max - 1)..<Int64.max)
    #expect(set.ranges == [Self.everything])
    set.remove(Self.everything)
    #expect(set.isEmpty)
  }

  @Test func theComplementIsCutToTheWhole() {
    let set = ByteRangeSet([0..<10, 20..<30])
    #expect(set.complement(in: 5..<25).ranges == [10..<20])
    #expect(set.complement(in: 10..<20).ranges == [10..<20])
    #expect(set.complement(in: 22..<28).isEmpty && set.complement(in: 7..<7).isEmpty)
    #expect(ByteRangeSet().complement(in: 3..<9).ranges == [3..<9])
  }

  // MARK: Against a model

  @Test(arguments: UInt64(0)..<40) func itAgreesWithAnArrayOfBooleans(seed: UInt64) {
    var random = Seeded(seed)
    var model = Model(size: Int64.random(in: 1...96, using: &random))
    var set = ByteRangeSet()
    for step in 0..<200 {
      let range = model.randomRange(&random)
      let isInsertion = Bool.random(using: &random)
      if isInsertion { set.insert(range) } else { set.remove(range) }
      model.set(range, isInsertion)
      let comment: Comment = "seed \(seed), step \(step): \(isInsertion ? "insert" : "remove") \(range)"
      #expect(set.ranges == model.ranges, comment)
      expectNormalForm(set, comment)
      #expect(set.count == model.count && set.isEmpty == (model.count == 0), comment)
      #expect(set.first == model.ranges.first, comment)
      let asked = model.randomRange(&random)
      #expect(set.contains(asked) == model.contains(asked), "\(comment), contains \(asked)")
    }
  }

  @Test(arguments: UInt64(100)..<140) func differencesAndComplementsAgreeToo(seed: UInt64) {
    var random = Seeded(seed)
    for round in 0..<50 {
      let size = Int64.random(in: 1...96, using: &random)
      let (a, b) = (Model(size: size, &random), Model(size: size, &random))
      let (left, right) = (ByteRangeSet(a.ranges.shuffled(using: &random)), ByteRangeSet(b.ranges.reversed()))
      let comment: Comment = "seed \(seed), round \(round)"
      let rest = left.subtracting(right.ranges)
      #expect(rest.ranges == Model(zip(a.bits, b.bits).map { $0 && !$1 }).ranges, comment)
      let whole = a.randomRange(&random)
      let complement = left.complement(in: whole)
      #expect(
        complement.ranges == Model(a.bits.indices.map { whole.contains(Int64($0)) && !a.bits[$0] }).ranges, comment)
      expectNormalForm(rest, comment)
      expectNormalForm(complement, comment)
      #expect(complement.complement(in: whole).subtracting(left.ranges).isEmpty, comment)
    }
  }

  @Test(arguments: UInt64(200)..<210) func theOrderOfInsertionsDoesNotMatter(seed: UInt64) {
    var random = Seeded(seed)
    let ranges = (0..<60).map { _ -> ByteRange in
      let first = Int64.random(in: 0...(Int64.max - 1), using: &random)
      return first..<Int64.random(in: first...Int64.max, using: &random)
    }
    let set = ByteRangeSet(ranges)
    for _ in 0..<5 { #expect(ByteRangeSet(ranges.shuffled(using: &random)) == set, "seed \(seed)") }
    expectNormalForm(set, "seed \(seed)")
    #expect(ranges.allSatisfy { set.contains($0) }, "seed \(seed)")
  }

  private func expectNormalForm(_ set: ByteRangeSet, _ comment: Comment) {
    #expect(set.ranges.allSatisfy { !$0.isEmpty }, comment)
    #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, comment)
  }
}

/// The same set, slow and obvious: one boolean a byte.
private struct Model {
  private(set) var bits: [Bool]

  init(size: Int64) { bits = Array(repeating: false, count: Int(size)) }
  init(_ bits: [Bool]) { self.bits = bits }
  init(size: Int64, _ random: inout Seeded) { bits = (0..<size).map { _ in Bool.random(using: &random) } }

  var count: Int64 { Int64(bits.count(where: \.self)) }

  var ranges: [ByteRange] {
    var found: [ByteRange] = []
    for index in bits.indices where bits[index] {
      let byte = Int64(index)
      if let last = found.last, last.upperBound == byte {
        found[found.count - 1] = last.lowerBound..<(byte + 1)
      } else {
        found.append(byte..<(byte + 1))
      }
    }
    return found
  }

  mutating func set(_ range: ByteRange, _ value: Bool) { for byte in range { bits[Int(byte)] = value } }

  func contains(_ range: ByteRange) -> Bool { range.allSatisfy { bits[Int($0)] } }

  /// Often short, so that many stretches live side by side; sometimes empty, sometimes everything.
  func randomRange(_ random: inout Seeded) -> ByteRange {
    let first = Int64.random(in: 0...Int64(bits.count), using: &random)
    let longest = Bool.random(using: &random) ? 6 : Int64(bits.count)
    return first..<Int64.random(in: first...min(Int64(bits.count), first + longest), using: &random)
  }
}
