import DownloadCore
import TerminalUI
import Testing

/// What the window's title, the taskbar and the bell are told.
@Suite struct AnnouncerTests {
  private var announcer = Announcer()
  private var moment = Duration.seconds(10)

  /// Half a second later the downloads are so.
  private mutating func see(_ items: Snapshot.Item..., after: Duration = .seconds(2)) -> Announcement? {
    moment += after
    return announcer.observe(
      Snapshot(moment: moment, downloads: items, speed: items.reduce(0) { $0 + ($1.speed ?? 0) }))
  }

  private static func item(
    _ number: Int, _ state: DownloadState, _ done: Int64 = 0, of total: Int64? = 100, speed: Int64? = nil
  )
    -> Snapshot.Item
  { Samples.item(number, "file-\(number)", state, done: done, of: total, speed: speed) }

  @Test mutating func onlyWhatIsUnderWayIsTold() {
    #expect(see() == nil)
    #expect(see(Self.item(1, .paused(because: nil)), Self.item(2, .completed(.size), 100)) == nil)
    #expect(
      see(Self.item(1, .active, 61, speed: 2), Self.item(2, .completed(.size), 100))
        == Announcement(title: "61% 00:20 dltui", progress: .percent(61)))
    #expect(
      see(Self.item(1, .paused(because: nil), 61), Self.item(2, .completed(.size), 100))
        == Announcement(progress: .none))
    #expect(see(Self.item(1, .paused(because: nil), 61)) == nil)
  }

  @Test mutating func whatHadEndedBeforeDoesNotCountWhatEndsMeanwhileDoes() {
    let old = Self.item(1, .completed(.size), 1000, of: 1000)
    #expect(see(old, Self.item(2, .active, 50), Self.item(3, .queued))?.progress == .percent(25))
    #expect(see(old, Self.item(2, .completed(.size), 100), Self.item(3, .active, 20))?.progress == .percent(60))
    #expect(
      see(old, Self.item(2, .completed(.size), 100), Self.item(3, .completed(.size), 100))?.news == "downloads: 2 done")
    #expect(see(old, Self.item(3, .completed(.size), 100), Self.item(4, .active, 7))?.progress == .percent(7))
  }

  @Test mutating func withoutASizeThereIsNoPercentage() {
    #expect(see(Self.item(1, .active, 9, of: nil)) == Announcement(title: "dltui", progress: .unknown))
    #expect(
      see(Self.item(1, .active, 9, of: nil), Self.item(2, .active, 100, speed: 5))
        == Announcement(title: "99% dltui", progress: .percent(99)))
  }

  @Test mutating func itIsToldOnceASecondButTheEndAtOnce() {
    #expect(see(Self.item(1, .active, 1)) != nil)
    #expect(see(Self.item(1, .active, 5), after: .milliseconds(900)) == nil)
    #expect(see(Self.item(1, .active, 6), after: .milliseconds(100))?.progress == .percent(6))
    #expect(see(Self.item(1, .completed(.size), 100), after: .milliseconds(10))?.news == "file-1: done")
  }

  @Test(
    arguments: [
      ([.completed(.size)], "file-1: done"), ([.failed(.notFound(status: 404))], "file-1: not found: 404"),
      ([.paused(because: .diskFull(path: "/d"))], "file-1: no space left on the disk: /d"),
      ([.paused(because: nil)], nil),
      ([.completed(.size), .paused(because: nil)], nil),
      ([.completed(.size), .completed(.nothing), .failed(.timedOut)], "downloads: 2 done, 1 failed"),
      ([.failed(.timedOut), .failed(.timedOut)], "downloads: 2 failed"),
      ([.failed(.other("\u{1B}]0;x\u{07}"))], "file-1: \u{241B}]0;x\u{2407}"),
    ] as [([DownloadState], String?)]) mutating func whenAllIsDoneItIsSaidHow(
      _ states: [DownloadState], _ news: String?
    )
  {
    let before = states.indices.map { Self.item($0 + 1, .active) }
    _ = announcer.observe(Snapshot(downloads: before))
    let after = zip(1..., states).map { Self.item($0, $1) }
    #expect(announcer.observe(Snapshot(downloads: after)) == Announcement(progress: .none, news: news))
    #expect(announcer.observe(Snapshot(downloads: after)) == nil)
  }
}
