import Testing

@testable import DownloadCore

extension SourcesTests {
  // MARK: Mirrors that a server tells

  /// A download whose server tells of `urls` in its first answer, up to that answer.
  private func told(_ urls: [String], at url: String = "http://first/f", digest: Bool = true) -> World {
    var world = World(seed: 1, servers: [url: .init(total: Self.total)])
    for mirror in urls { world.servers[mirror] = .init(total: Self.total) }
    world.command(.add([Request(url: url, folder: "/d")]))
    while world.answers.isEmpty || world.requests.isEmpty { world.step() }
    if case .head(let id, var head)? = world.answers.first {
      head.mirrors = urls
      if digest { head.digest = Checksum(.sha256, hex: String(repeating: "0", count: 64)) }
      world.answers[0] = .head(id, head)
    }
    return world
  }

  @Test func mirrorsThatTheServerTellsHelp() {
    var world = told(Self.mirrors + Self.mirrors + [Self.first, "file:///etc/passwd", "ftp://host/f"])
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
    #expect(Set(world.requests.map(\.url)) == Set([Self.first] + Self.mirrors))
    #expect(download(world)?.request.mirrors == nil, "they are no part of what was asked for")
  }

  @Test func withoutADigestOrWithoutEncryptionThatWasWantedTheyDoNotCount() {
    for (url, digest) in [("http://first/f", false), ("https://first/f", true)] {
      var world = told(Self.mirrors, at: url, digest: digest)
      if case .head(let id, var head)? = world.answers.first {
        head.url = "http://first/f"
        world.answers[0] = .head(id, head)
      }
      let ended = world.settle(check)
      #expect(ended && isWhole(world) && world.requests.allSatisfy { $0.url == url }, story(world))
    }
  }

  @Test func thereAreNotMoreThanSixteen() {
    var world = told((0..<40).map { "http://mirror\($0)/f" })
    _ = world.settle(check)
    #expect(Set(world.requests.map(\.url)).count <= 17 && isWhole(world))
  }

  @Test func theyAreKnownAfterARestartAndAreNotTheSameDownload() {
    var world = told(Self.mirrors)
    while (download(world)?.completedBytes ?? 0) < 8 << 20 { world.step() }
    world.command(.add([Request(url: Self.mirrors[0], folder: "/d")]))
    #expect(world.session.order.count == 2)
    world.command(.pause(.all))
    #expect(world.disk.sidecars["f.part"]?.learnedMirrors == Self.mirrors)
    world.crash()
    world.servers[Self.first] = nil
    world.command(.resume(.these([Self.id])))
    let ended = world.settle(check)
    #expect(ended && isWhole(world), story(world))
  }
}
