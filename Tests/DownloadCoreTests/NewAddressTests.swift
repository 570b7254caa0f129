import Testing

@testable import DownloadCore

/// A download whose link has expired gets another one: what is on the disk is only gone on with if it is the same file.
struct NewAddressTests {
  private static let total: Int64 = 40 << 20
  private static let id = DownloadID(1)
  private static let other = "http://mirror/b"

  /// A download that has some bytes, and a mirror that serves `mirrored`.
  private func world(
    _ mirrored: World.Server?, ifChanged: Settings.IfChanged = .ask, proof: World.Server.Proof = .strong
  ) -> World {
    var settings = Settings()
    settings.ifChanged = ifChanged
    var world = World(seed: 5, servers: ["http://host/a": server { $0.proof = proof }], settings: settings)
    world.servers[Self.other] = mirrored
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    for _ in 0..<40 { world.step() }
    world.command(.pause(.all))
    return world
  }

  private func server(_ change: (inout World.Server) -> Void = { _ in }) -> World.Server {
    var server = World.Server(total: Self.total)
    change(&server)
    return server
  }

  private func download(_ world: World) throws -> Download { try #require(world.session.downloads[Self.id]) }

  private func log(_ world: World) -> [String] { world.session.downloads[Self.id]?.log.map(\.text) ?? [] }

  @Test func theSameFileGoesOnAndThatIsSaid() throws {
    var world = world(server())
    let before = try download(world).completedBytes
    world.servers["http://host/a"] = nil
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<Self.total)])
    #expect(before > 0 && log(world).contains { $0.hasPrefix("goes on from") })
    let words = "the new address has the same file, 40.0 MiB: strong ETag \"v1\""
    #expect(log(world).contains(words))
    #expect(world.notices.contains(Notice(Self.id, .warning(words))))
  }

  @Test(arguments: [Settings.IfChanged.ask, .restart, .fail], [true, false])
  func anotherFileIsAskedAboutAndTheOldBytesStay(_ ifChanged: Settings.IfChanged, isLonger: Bool) throws {
    let mirror = server { server in
      server.version = 2
      if isLonger { server.total += 1 }
      server.totals = [2: server.total]
    }
    var world = world(mirror, ifChanged: ifChanged)
    let (before, parts) = (try download(world).completedBytes, world.disk.parts)
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    _ = world.settle()
    guard case .failed(.changed(let why)) = try download(world).state else {
      Issue.record("\(try download(world).state)")
      return
    }
    #expect(why.hasPrefix("at the new address, its \(isLonger ? "size" : "ETag") was"))
    #expect(world.notices.last == Notice(Self.id, .warning("\(why): r asks what to do, u takes another address")))
    #expect(world.disk.parts == parts)
    #expect(world.disk.sidecars["a.part"]?.doneRanges.count == before)
    world.command(.restart(.all, keepOld: true))
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["a"] == [2: ByteRangeSet(0..<mirror.total)])
    #expect(world.disk.parts["a.part.old"] == parts["a.part"])
  }

  @Test func theOldAddressCanComeBack() throws {
    var world = world(server { $0.version = 2 })
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    _ = world.settle()
    world.command(.readdress(Self.id, url: "http://host/a", credentials: nil))
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<Self.total)])
    #expect(log(world).contains { $0.hasPrefix("goes on from") })
  }

  @Test func anAddressThatGivesNothingCostsNothing() throws {
    var world = world(nil)
    let before = try download(world).completedBytes
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    _ = world.settle()
    #expect(try download(world).state == .failed(.notFound(status: 404)))
    #expect(world.disk.sidecars["a.part"]?.doneRanges.count == before)
    world.servers["http://third/c"] = server()
    world.command(.readdress(Self.id, url: "http://third/c", credentials: nil))
    let ended = world.settle()
    #expect(ended)
    #expect(log(world).contains { $0.hasPrefix("goes on from") })
  }

  @Test func oneThatIsAtWorkChangesItsAddressAtOnce() throws {
    var world = world(server())
    world.command(.resume(.all))
    for _ in 0..<10 { world.step() }
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    #expect(world.transfers.values.allSatisfy { $0.url == Self.other })
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<Self.total)])
  }

  @Test func itIsKnownAfterARestartOfTheProgram() throws {
    var world = world(nil)
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    _ = world.settle()
    let saved = world.session.saved
    #expect(saved.downloads.first?.request.urls == [Self.other, "http://host/a"])
    world.session = Session(settings: world.session.settings, seed: 1, restoring: saved)
    world.servers[Self.other] = server()
    world.command(.resume(.all))
    let ended = world.settle()
    #expect(ended)
    #expect(log(world).contains { $0.hasPrefix("goes on from") })
  }

  @Test func whatCannotBeProvenIsCompared() throws {
    for (version, proof) in [(1, .none), (2, .none), (1, .strong)] as [(Int, World.Server.Proof)] {
      let mirror = server { ($0.version, $0.proof, $0.totals) = (version, .none, [version: Self.total]) }
      var world = world(mirror, proof: proof)
      let parts = world.disk.parts
      world.command(.readdress(Self.id, url: Self.other, credentials: nil))
      _ = world.settle()
      if (version, proof) == (1, .none) {
        #expect(world.disk.finished["a"] == [1: ByteRangeSet(0..<Self.total)])
        #expect(log(world).contains { $0.hasSuffix("the same file, 40.0 MiB: bytes were compared") })
      } else {
        guard case .failed(.changed) = try download(world).state else {
          Issue.record("version \(version), \(proof): \(try download(world).state)")
          continue
        }
        #expect(world.disk.parts == parts)
      }
    }
  }

  @Test func secretsStayWithTheHostTheyWereGivenFor() throws {
    var request = Request(url: "https://host/a", folder: "/d")
    (request.credentials, request.headers) = ("me:secret", ["Cookie: a=b", "X-Plain: 1"])
    for (url, given, kept) in [
      ("https://host/a?new", nil, ("me:secret", 2)), ("https://other/a", nil, (nil, 1)),
      ("https://other/a", "you:there", ("you:there", 1)), ("http://host/a", nil, (nil, 1)),
    ] as [(String, String?, (String?, Int))] {
      var session = Session(settings: Settings(), seed: 1)
      _ = session.handle(.add([request]), now: .zero)
      _ = session.handle(.readdress(Self.id, url: url, credentials: given), now: .zero)
      let moved = try #require(session.downloads[Self.id]?.request)
      #expect(moved.url == url && moved.credentials == kept.0 && moved.headers.count == kept.1, "\(url)")
    }
  }

  @Test func theFormerAddressCountsAsBeingInTheList() {
    var world = world(server())
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    #expect(world.session.order == [Self.id])
    #expect(world.notices.last == Notice(Self.id, .addedAlready))
  }

  @Test func whatIsCompleteNeedsNone() throws {
    var world = world(server())
    world.command(.resume(.all))
    _ = world.settle()
    world.command(.readdress(Self.id, url: Self.other, credentials: nil))
    #expect(try download(world).state == .completed(.size))
    #expect(try download(world).request.url == "http://host/a")
  }
}
