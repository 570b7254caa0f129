import Testing

@testable import DownloadCore

/// When the sidecar is written while a download runs.
struct SaveTests {
  /// What each save claims, in bytes, while so many come in every tenth of a second until the end.
  private func saves(seconds: Double, perTenth: Int64, total: Int64 = 1 << 30, until end: Double = .infinity) -> [Int64]
  {
    var settings = Settings()
    settings.connections = 1
    var world = World(seed: 1, servers: ["http://host/a": .init(total: total)], settings: settings)
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while !world.answers.isEmpty { world.event(world.answers.removeFirst()) }
    guard let transfer = world.session.all[0].run?.transfers.first?.id else {
      Issue.record("nothing flows")
      return []
    }
    var claims: [Int64] = []
    func note(_ effects: [Effect]) {
      for case .save(_, let sidecar) in effects { claims.append(sidecar.doneRanges.count) }
    }
    for tenth in 1...Int(seconds * 10) {
      world.now += .milliseconds(100)
      if Double(tenth) <= end * 10 { note(world.session.handle(.received(transfer, perTenth), now: world.now)) }
      if let deadline = world.session.deadline, deadline <= world.now {
        note(world.session.handle(.timePassed, now: world.now))
      }
    }
    return claims
  }

  @Test func theFirstComesAfterFiveSecondsOrTwoWith64MebibytesTheNextAfterFiveSeconds() {
    #expect(saves(seconds: 4.9, perTenth: 1 << 20) == [])
    #expect(saves(seconds: 5.1, perTenth: 1 << 20).count == 1)
    #expect(saves(seconds: 1.9, perTenth: 8 << 20) == [])
    #expect(saves(seconds: 2.1, perTenth: 8 << 20) == [160 << 20])
    #expect(saves(seconds: 7, perTenth: 8 << 20).count == 1)
    #expect(saves(seconds: 7.3, perTenth: 8 << 20).count == 2)
    #expect(saves(seconds: 4, perTenth: 2 << 20) == [64 << 20])
  }

  @Test func theFirstWaitsOnceForAFileThatWillSoonBeWhole() {
    #expect(saves(seconds: 9.9, perTenth: 1 << 10, total: 96 << 10) == [])
    // Too much is missing.
    #expect(saves(seconds: 5.1, perTenth: 1 << 10, total: 110 << 10) == [50 << 10])
    // What was expected did not come.
    #expect(saves(seconds: 10.1, perTenth: 1 << 10, total: 99 << 10, until: 9.8) == [98 << 10])
    // So much is not to be lost to a crash.
    #expect(saves(seconds: 9.9, perTenth: 60 << 10, total: 4 << 20) == [])
    #expect(saves(seconds: 5.1, perTenth: 60 << 10, total: (4 << 20) + 1) == [3000 << 10])
    // Much that has come waits no longer than less does.
    #expect(saves(seconds: 4.9, perTenth: 8 << 20, total: 390 << 20) == [])
    #expect(saves(seconds: 5.1, perTenth: 8 << 20, total: 390 << 20, until: 4.8) == [384 << 20])
    #expect(saves(seconds: 2.1, perTenth: 8 << 20, total: 410 << 20) == [160 << 20])
  }
}
