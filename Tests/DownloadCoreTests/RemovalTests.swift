import Testing

@testable import DownloadCore

/// What is removed can be had back for a while, and only then bytes are deleted.
struct RemovalTests {
  private static let total: Int64 = 40 << 20
  private static let these = Command.Selection.these([DownloadID(2)])

  /// Three downloads, of which the middle one has some bytes on the disk; the clock stands still from then on.
  private func world(flow: Int = 30) -> World {
    var servers: [String: World.Server] = [:]
    for name in ["a", "b", "c"] { servers["http://host/\(name)"] = .init(total: Self.total) }
    var world = World(seed: 3, servers: servers)
    world.command(.add(["a", "b", "c"].map { Request(url: "http://host/\($0)", folder: "/d") }))
    for _ in 0..<flow * 3 { world.step() }
    return world
  }

  private func numbers(_ world: World) -> [Int] { world.session.order.map(\.number) }

  @Test(arguments: [Command.Leftover.keep, .deletePart, .deleteFile])
  func whatWasRemovedComesBackWhereItWasAndGoesOn(_ leftover: Command.Leftover) throws {
    var world = world()
    let before = try #require(world.session.downloads[DownloadID(2)]?.completedBytes)
    #expect(before > 0)
    world.command(.remove(Self.these, leftover))
    #expect(numbers(world) == [1, 3])
    #expect(world.disk.parts["b.part"] != nil)
    world.command(.undo)
    #expect(numbers(world) == [1, 2, 3])
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished["b"] == [1: ByteRangeSet(0..<Self.total)])
    let again = world.session.downloads[DownloadID(2)]?.log.contains { $0.text.hasPrefix("goes on from") }
    #expect(again == true)
  }

  @Test func theBytesGoAfterAMinute() {
    var world = world()
    world.command(.pause(.all))
    world.command(.remove(Self.these, .deletePart))
    #expect(world.session.deadline == world.now + .seconds(60))
    world.now += .milliseconds(59_999)
    world.event(.timePassed)
    #expect(world.disk.parts["b.part"] != nil)
    world.passTime()
    #expect(world.disk.parts["b.part"] == nil && world.disk.sidecars["b.part"] == nil)
    #expect(world.disk.parts["a.part"] != nil)
    #expect(world.session.deadline == nil)
    world.command(.undo)
    #expect(numbers(world) == [1, 3])
    #expect(world.notices.last == Notice(DownloadID(0), .warning("there is nothing to bring back")))
  }

  @Test(
    arguments: [.quit, .remove(.these([DownloadID(1)]), .keep), .add([Request(url: "http://host/b", folder: "/d")])]
      as [Command])
  func nothingIsLeftToUndoAfter(_ command: Command) {
    var world = world()
    world.command(.remove(Self.these, .deletePart))
    #expect(world.disk.parts["b.part"] != nil)
    world.command(command)
    #expect(world.disk.sidecars["b.part"] == nil)
    world.command(.undo)
    #expect(!world.session.order.contains(DownloadID(2)))
  }

  @Test func theBytesOfOneThatIsKeptStayWhateverFollows() {
    var world = world()
    world.command(.remove(Self.these, .keep))
    world.command(.quit)
    #expect(world.disk.parts["b.part"] != nil && world.disk.sidecars["b.part"] != nil)
  }

  @Test func aFinishedFileIsOnlyDeletedWhenThatWasAskedFor() {
    for (leftover, stays) in [(Command.Leftover.keep, true), (.deletePart, true), (.deleteFile, false)] {
      var world = world()
      _ = world.settle()
      #expect(world.disk.finished.count == 3)
      world.command(.remove(Self.these, leftover))
      #expect(world.disk.finished["b"] != nil, "not at once")
      world.command(.quit)
      #expect((world.disk.finished["b"] != nil) == stays, "\(leftover)")
      #expect(world.disk.finished.count == (stays ? 3 : 2))
    }
  }

  @Test func allCanBeRemovedAndBroughtBack() {
    var world = world()
    world.command(.remove(.all, .deletePart))
    #expect(world.session.order.isEmpty && !world.session.isWorking)
    world.command(.undo)
    #expect(numbers(world) == [1, 2, 3])
    let ended = world.settle()
    #expect(ended)
    #expect(world.disk.finished.count == 3)
  }

  @Test func oneThatIsJustBeingVerifiedDoesNotComeBackTwice() throws {
    var world = World(seed: 4, servers: ["http://host/a": .init(total: 1000)])
    world.command(.add([Request(url: "http://host/a", folder: "/d")]))
    while world.session.downloads[DownloadID(1)]?.state != .verifying { world.step() }
    world.command(.remove(.all, .keep))
    world.command(.undo)
    #expect(world.session.order.isEmpty)
  }
}
