import Foundation
import TestSupport
import Testing

/// Many rounds of everything that can go wrong at once. `DLTUI_FUZZ_ROUNDS` makes it more of them, `DLTUI_FUZZ_SEED` makes it others,
/// `DLTUI_FUZZ_STEP=0` repeats one seed (threads make each repetition a little different).
@Suite struct FuzzTests {
  private static let lanes: UInt64 = 4
  private static let rounds = number("DLTUI_FUZZ_ROUNDS") ?? 150
  private static let step = number("DLTUI_FUZZ_STEP") ?? 1
  private static let firstSeed = number("DLTUI_FUZZ_SEED") ?? 1

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test(arguments: 0..<lanes) func noFileIsEverWrongWhateverTheOriginDoes(lane: UInt64) async throws {
    for round in stride(from: lane, to: Self.rounds, by: UInt64.Stride(Self.lanes)) {
      var fuzz = try FuzzRound(seed: Self.firstSeed + round * Self.step)
      do { try await fuzz.run() } catch { Issue.record(error) }
    }
  }
}
