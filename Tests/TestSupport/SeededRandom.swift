/// Random numbers that are the same for the same seed (SplitMix64), and the draws that fault injection lives on.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True so often, in 0...1.
  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  package mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    others.indices.randomElement(using: &self).flatMap { chance(1 / Double(others.count + 1)) ? nil : others[$0] }
      ?? first
  }

  package mutating func number<N: FixedWidthInteger>(_ range: ClosedRange<N>) -> N { N.random(in: range, using: &self) }
}
