import Foundation
import Glibc
import TestSupport
import Testing

/// The order in which the program makes things durable, as strace sees it (case A44).
@Suite(.timeLimit(.minutes(2))) struct CommitOrderTests {
  private let scene: Scene

  init() throws { scene = try Scene() }

  private func trace(_ options: [String]) throws -> Program {
    try Program(
      "/usr/bin/strace",
      ["-f", "-y", "-qq", "-s", "300", "-o", scene.folder["trace"]] + options
        + [try Program.dltuiPath(), "get", "--no-progress", "-d", scene.target, scene.origin.url()])
  }

  /// The calls that concern the target folder, in order, each as `name path` (and `-> path` for a second one). How much one writes is no matter.
  private var calls: [String] {
    (scene.folder.text(of: "trace") ?? "").split(separator: "\n").compactMap { line in
      guard line.contains(scene.target), !line.contains(" = -1 "), !line.contains("resumed>"),
        let match = line.firstMatch(of: /^\d+ +(\w+)\(/)
      else { return nil }
      let paths = line.matches(of: /[<"](\/[^">]*)[>"]/).map { String($0.1) }
      let own = paths.filter { $0.hasPrefix(scene.target) }.map { $0.replacing(scene.target, with: ".") }
      return "\(match.1) ".replacing("pwritev", with: "pwrite64") + own.joined(separator: " -> ")
    }
  }

  private static let durable = "trace=fsync,fdatasync,rename,renameat,renameat2,link,unlink,unlinkat,pwrite64,pwritev"

  /// The positions of `steps`, each after the one before it. Nil when one is missing.
  private func positions(_ steps: [String], in calls: [String]) -> [Int]? {
    var found: [Int] = []
    for step in steps {
      let rest = calls[((found.last ?? -1) + 1)...]
      guard let index = rest.firstIndex(where: { $0.wholeMatch(of: pattern(step)) != nil }) else { return nil }
      found.append(index)
    }
    return found
  }

  private func pattern(_ step: String) -> Regex<Substring> {
    (try? Regex(step, as: Substring.self)) ?? /never/
  }

  @Test func a44DataIsOnTheDiskBeforeTheSidecarClaimsIt() async throws {
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, Gate()) })
    let program = try trace(["-e", Self.durable])
    try await eventually("bytes") { scene.size(of: "file.bin.part") == Scene.kept }
    // strace passes no signal on; the program is its child.
    try await Program.run("/usr/bin/pkill", ["-TERM", "-P", "\(program.identifier)"]).expectSuccess()
    #expect(try await program.end().status == 7)
    let calls = calls
    let order = [
      #"pwrite64 \./file\.bin\.part"#, #"fdatasync \./file\.bin\.part"#, #"fsync \./file\.bin\.part\.json\.tmp"#,
      #"rename(?:at2?)? \./file\.bin\.part\.json\.tmp -> \./file\.bin\.part\.json"#, #"fsync \."#,
    ]
    #expect(positions(order, in: calls) != nil, "\(calls.joined(separator: "\n"))")
    let last = try #require(calls.lastIndex { $0.hasPrefix("rename") })
    #expect(calls.lastIndex { $0.hasPrefix("pwrite64 ./file.bin.part") }.map { $0 < last } == true, "no byte after it")
  }

  @Test func a44TheFileIsWholeOnTheDiskBeforeItHasItsNameAndItsSidecarGoesLast() async throws {
    try await scene.leavePart()
    scene.origin.serve(.v1)
    let outcome = try await trace(["-e", Self.durable]).end()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    let calls = calls
    let order = [
      #"pwrite64 \./file\.bin\.part"#, #"f(?:data)?sync \./file\.bin\.part"#,
      #"renameat2 \./file\.bin\.part -> \./file\.bin"#, #"fsync \."#, #"unlink(?:at)? \./file\.bin\.part\.json"#,
    ]
    #expect(positions(order, in: calls) != nil, "\(calls.joined(separator: "\n"))")
    let named = try #require(calls.lastIndex { $0.hasPrefix("renameat2") })
    let synced = try #require(calls[..<named].lastIndex { $0.contains(#/^f(data)?sync \.\/file\.bin\.part$/#) })
    #expect(!calls[synced...].contains { $0.hasPrefix("pwrite64 ./file.bin.part") }, "\(calls)")
  }

  /// Files that are complete at the same time share a sync; each of them is on the disk before it has its name.
  @Test func a44ManySmallFilesAreEachSyncedBeforeTheyHaveTheirNames() async throws {
    scene.origin.serve(ServedFile(Blob.random(count: 20_000, seed: 30)))
    let addresses = (0..<60).map { scene.origin.url("/small\($0)") }
    let program = try Program(
      "/usr/bin/strace",
      ["-f", "-y", "-qq", "-s", "300", "-o", scene.folder["trace"], "-e", Self.durable + ",syncfs"]
        + [
          try Program.dltuiPath(), "get", "--no-progress", "-j", "30", "--max-host-connections", "30", "-d",
          scene.target,
        ]
        + addresses)
    #expect(try await program.end().status == 0)
    let calls = calls
    for number in 0..<60 {
      let named = try #require(calls.firstIndex(of: "renameat2 ./small\(number).part -> ./small\(number)"))
      let written = try #require(calls[..<named].lastIndex(of: "pwrite64 ./small\(number).part"))
      let isSynced = calls[written..<named].contains {
        $0.hasPrefix("syncfs ") || $0 == "fdatasync ./small\(number).part"
      }
      #expect(isSynced, "small\(number)")
      #expect(calls[named...].contains("fsync ."))
    }
  }

  /// Sidecars that are saved at the same time share their syncs too.
  @Test func a44ManySidecarsClaimOnlyWhatIsOnTheDisk() async throws {
    let (count, gate) = (12, Gate())
    scene.origin.serve(ServedFile.v1.with { $0.ending = .held(after: Scene.kept, gate) })
    let addresses = (0..<count).map { scene.origin.url("/slow\($0)") }
    let program = try Program(
      "/usr/bin/strace",
      ["-f", "-y", "-qq", "-s", "300", "-o", scene.folder["trace"], "-e", Self.durable + ",syncfs,openat"]
        + [
          try Program.dltuiPath(), "get", "--no-progress", "-x", "1", "-j", "20", "--max-host-connections", "20", "-d",
        ]
        + [scene.target] + addresses)
    for number in 0..<count {
      try await eventually("a sidecar") { scene.names.contains("slow\(number).part.json") }
    }
    try await Program.run("/usr/bin/pkill", ["-TERM", "-P", "\(program.identifier)"]).expectSuccess()
    #expect(try await program.end().status == 7)
    let calls = calls
    let isSynced = { (stretch: ArraySlice<String>, file: String) in
      stretch.contains { $0.hasPrefix("syncfs ") || $0 == "fdatasync \(file)" || $0 == "fsync \(file)" }
    }
    for number in 0..<count {
      let part = "./slow\(number).part"
      let puts = calls.indices.filter { calls[$0] == "rename \(part).json.tmp -> \(part).json" }
      #expect(puts.count >= 2, "while it ran and at the end")
      for put in puts {
        let begun = try #require(calls[..<put].lastIndex { $0.hasPrefix("openat") && $0.contains("\(part).json.tmp") })
        let written = try #require(calls[..<begun].lastIndex(of: "pwrite64 \(part)"))
        #expect(isSynced(calls[written..<begun], part), "the bytes of \(number)")
        #expect(isSynced(calls[begun..<put], part + ".json.tmp"), "the sidecar of \(number)")
        #expect(calls[put...].contains("fsync ."), "the name of \(number)")
      }
    }
  }

  /// Killed when it is about to make this call, for the first or a later time.
  @Test(
    arguments: ["fdatasync", "fsync", "rename", "link", "renameat2", "unlink", "fallocate", "pwrite64"], [1, 2, 3])
  func a44KilledAtAnyOfTheseCallsItCanGoOn(_ call: String, _ time: Int) async throws {
    try await scene.leavePart()
    scene.origin.serve(.v1)
    _ = try await trace(["-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(time)"]).end()
    let outcome = try await scene.get()
    let arrived = scene.names.filter { !$0.contains(".part") }
    #expect(outcome.status == 0 && !arrived.isEmpty, "\(outcome)")
    for name in arrived { #expect(scene.bytes(of: name) == Version.v1, "\(name)") }
    // Before the name is gone for good nothing is fetched twice; after that the file is complete, and a second one was asked for.
    #expect(scene.names == arrived, "\(scene.names)")
    #expect(scene.starts.allSatisfy { $0 >= Scene.kept } || arrived.count == 2, "\(scene.starts)")
  }
}

extension Program.Outcome {
  func expectSuccess() { #expect(status == 0, "\(errors)") }
}
