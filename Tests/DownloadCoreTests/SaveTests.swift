import Testing

@testable import DownloadCore

/// When the sidecar is written while a download runs.
struct SaveTests {
  /// What each save claims, in bytes, while so many come in every tenth of a second.
  private func saves(seconds: Double, perTenth: Int64) -> [Int64] {
    var settings = Settings()
    settings.connections = 1
    var world = World(seed: 1, servers: ["http://host/a": .init(total: 1 << 30)], settings: settings)
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
    for _ in 0..<Int(seconds * 10) {
      world.now += .milliseconds(100)
      note(world.session.handle(.received(transfer, perTenth), now: world.now))
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
}
