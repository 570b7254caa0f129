import Testing

@testable import DownloadEngine

@Suite(.timeLimit(.minutes(1))) struct JobThreadTests {
  @Test func oneCallWakesItForAllThatWasPosted() async throws {
    let thread = try JobThread<[Int]>("dltui-test") { [] }
    let seen = await withCheckedContinuation { done in
      for number in 1...3 { thread.post { $0.append(number) } }
      thread.post { done.resume(returning: $0) }
      thread.wake()
    }
    #expect(seen == [1, 2, 3])
    thread.close()
  }

  @Test func aJobThatAnotherOnePostsNeedsNoCall() async throws {
    let thread = try JobThread<Int>("dltui-test") { 0 }
    let seen = await withCheckedContinuation { done in
      thread.post { count in
        count += 1
        thread.post { done.resume(returning: $0) }
      }
      thread.wake()
    }
    #expect(seen == 1)
    thread.close()
  }

  @Test func aCallForNothingDoesNotSpoilTheNextOne() async throws {
    let thread = try JobThread<Void>("dltui-test") {}
    for _ in 1...100 {
      thread.wake()
      await withCheckedContinuation { done in
        thread.post { _ in done.resume() }
        thread.wake()
      }
    }
    thread.close()
  }

  @Test func whatIsQueuedRunsBeforeItEnds() async throws {
    let thread = try JobThread<Void>("dltui-test") {}
    await withCheckedContinuation { done in
      thread.post { _ in thread.post { _ in done.resume() } }
      thread.close()
    }
  }
}
