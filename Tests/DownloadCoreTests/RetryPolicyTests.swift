import Testing

@testable import DownloadCore

/// When the next attempt comes.
struct RetryPolicyTests {
  private func policy(attempts: Int = 0, first: Duration = .seconds(1), longest: Duration = .seconds(60)) -> RetryPolicy
  {
    var policy = RetryPolicy()
    (policy.attempts, policy.firstWait, policy.longestWait) = (attempts, first, longest)
    return policy
  }

  @Test func theDefaultsAreThoseOfTheCommandLine() {
    let policy = RetryPolicy()
    #expect(policy.attempts == 8 && policy.firstWait == .seconds(1) && policy.longestWait == .seconds(60))
  }

  @Test(arguments: zip(1...9, [1, 2, 4, 8, 16, 32, 60, 60, 60]))
  func waitsDoubleUpToTheLongest(_ attempt: Int, _ seconds: Int) {
    #expect(policy().wait(before: attempt, jitter: 0, retryAfter: nil) == .seconds(seconds))
  }

  @Test(arguments: [1, 2, 5, 6, 31, 32, 63, 64, 65, 1000, Int.max - 1, Int.max, 0, -1])
  func anyNumberOfAttemptsIsCounted(_ attempt: Int) throws {
    let wait = try #require(policy().wait(before: attempt, jitter: 0.5, retryAfter: nil))
    #expect(wait > .zero && wait <= .seconds(60))
  }

  @Test(arguments: UInt64(0)..<20) func jitterTakesUpToAQuarterOff(seed: UInt64) throws {
    var random = Seeded(seed)
    for attempt in 1...20 {
      let full = try #require(policy().wait(before: attempt, jitter: 0, retryAfter: nil))
      let jitter = Double.random(in: 0..<1, using: &random)
      let wait = try #require(policy().wait(before: attempt, jitter: jitter, retryAfter: nil))
      #expect(wait <= full && wait > full * 3 / 4 - .nanoseconds(1), "seed \(seed), attempt \(attempt)")
      #expect(abs(wait.seconds - full.seconds * (1 - jitter / 4)) < 1e-6, "seed \(seed), attempt \(attempt)")
    }
  }

  @Test(
    arguments: [
      (1, 0.0, 10, 10), (1, 0.99, 10, 10), (3, 0.0, 1, 4), (3, 0.0, 0, 4), (3, 0.0, -5, 4), (9, 0.0, 59, 60),
      (9, 0.0, 61, 61),
      (1, 0.0, 86_400, 86_400), (9, 0.0, Int64.max, Int64.max),
    ] as [(Int, Double, Int64, Int64)])
  func theServersWishIsObeyedWhenItIsLonger(_ attempt: Int, _ jitter: Double, _ asked: Int64, _ waited: Int64) {
    #expect(policy().wait(before: attempt, jitter: jitter, retryAfter: .seconds(asked)) == .seconds(waited))
  }

  @Test(arguments: [(1, 1), (8, 8), (100, 100)]) func theBudgetIsSpentAfterItsLastAttempt(_ attempts: Int, _ last: Int)
  {
    let policy = policy(attempts: attempts)
    #expect(policy.wait(before: last, jitter: 0, retryAfter: nil) != nil)
    #expect(policy.wait(before: last + 1, jitter: 0, retryAfter: nil) == nil)
    #expect(policy.wait(before: .max, jitter: 0, retryAfter: nil) == nil)
    #expect(policy.wait(before: last + 1, jitter: 0, retryAfter: .seconds(5)) == nil, "a wish is no new budget")
  }

  @Test func noBudgetMeansForEver() {
    #expect(policy(attempts: 0).wait(before: .max, jitter: 0, retryAfter: nil) == .seconds(60))
  }

  @Test(arguments: [
    (Duration.seconds(604_800), Duration.seconds(604_800)), (.seconds(10), .seconds(5)), (.zero, .seconds(60)),
    (.milliseconds(100), .milliseconds(150)), (.seconds(604_800), .zero),
  ]) func noWaitIsLongerThanTheLongest(_ first: Duration, _ longest: Duration) throws {
    let policy = policy(first: first, longest: longest)
    for attempt in [1, 2, 3, 31, 64, .max] {
      let wait = try #require(policy.wait(before: attempt, jitter: 0, retryAfter: nil))
      #expect(wait >= .zero && wait <= longest)
    }
  }
}
