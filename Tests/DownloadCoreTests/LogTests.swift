import Testing

@testable import DownloadCore

/// What happened to a download, in its own words.
struct LogTests {
  private func log(_ server: World.Server, redirects: [String: String] = [:], steps: Int = 5000)
    -> [String]
  {
    var world = World(seed: 2, servers: ["http://host/a": server])
    world.redirects = redirects
    world.command(.add([Request(url: redirects.keys.first ?? "http://host/a", folder: "/d")]))
    var lines: [String] = []
    _ = world.settle(limit: steps) { world in
      for line in world.session.downloads[DownloadID(1)]?.log.map(\.text) ?? [] where lines.last != line {
        if !lines.contains(line) { lines.append(line) }
      }
    }
    return lines
  }

  @Test func answersRedirectsAndTheEndAreInIt() {
    let lines = log(.init(total: 3 << 20), redirects: ["http://start/x?secret=1": "http://host/a"])
    #expect(
      lines == [
        "sent on to http://host/a", "started: 3.0 MiB, ranges, strong ETag", "complete: its size is right",
      ])
  }

  @Test func aSizeThatIsNotToldIsSaid() {
    let lines = log(.init(total: 3000, ranges: .ignored, proof: .none, tellsLength: false))
    #expect(lines == ["started: size unknown, no ranges, no validator", "complete: nothing to check it against"])
  }

  @Test func everyAttemptAndWhyItFailedAreInIt() {
    let lines = log(.init(total: 3 << 20, breaksAfter: 1000))
    #expect(lines.contains("retry 1 in 1 s: connection lost: the server broke off"))
    #expect(lines.contains("goes on from 2.9 KiB: 3.0 MiB, ranges, strong ETag"), "\(lines)")
    #expect(lines.contains("1 connection left: connection lost: the server broke off"))
    #expect(lines.last == "failed: connection lost: the server broke off")
  }

  @Test func connectionsThatFailForOneReasonAreOneLine() {
    var world = World(seed: 2, servers: ["http://host/a": .init(total: 64 << 20)])
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while world.transfers.values.count(where: { $0.store != nil }) < 8 { world.step() }
    for id in world.transfers.keys.sorted(by: { $0.number < $1.number }).prefix(5) {
      world.end(id, .failed(.connectionLost(why: "reset"), retryAfter: nil))
    }
    let log = world.session.downloads[DownloadID(1)]?.log.map(\.text) ?? []
    #expect(log.count == 2 && log.last?.hasSuffix("left: connection lost: reset") == true, "\(log)")
  }

  @Test func atMostTenLinesAreKept() {
    var world = World(seed: 2, servers: ["http://host/a": .init(total: 3 << 20, breaksAfter: 1000)])
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    _ = world.settle { #expect($0.session.downloads[DownloadID(1)]?.log.count ?? 0 <= 10) }
    #expect(world.session.downloads[DownloadID(1)]?.log.count == 10)
  }
}
