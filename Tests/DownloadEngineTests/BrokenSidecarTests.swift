import DownloadCore
import Foundation
import Glibc
import TestSupport
import Testing

/// Sidecars that were broken, forged or left over (case A38): no trap, no write outside, nothing else blocked, no byte lost.
@Suite(.timeLimit(.minutes(3))) struct BrokenSidecarTests {
  /// What was done to a sidecar.
  struct Breakage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let apply: @Sendable (Scene) throws -> Void

    init(_ name: String, _ apply: @escaping @Sendable (Scene) throws -> Void) {
      (testDescription, self.apply) = (name, apply)
    }

    /// Other bytes in its place.
    init(_ name: String, bytes: @escaping @Sendable ([UInt8]) -> [UInt8]) {
      self.init(name) { scene in
        try scene.write(bytes(scene.bytes(of: "file.bin.part.json") ?? []), to: "file.bin.part.json")
      }
    }

    /// A text in its place.
    init(_ name: String, _ pattern: String, _ replacement: String) {
      self.init(name) { scene in
        try scene.editSidecar { $0.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression) }
      }
    }
  }

  private static let ranges = #""done" : \[[^a-z]*\]"#

  static let breakages = [
    Breakage("empty") { _ in [] },
    Breakage("zero-filled") { [UInt8](repeating: 0, count: $0.count) },
    Breakage("cut in half") { Array($0[..<($0.count / 2)]) },
    Breakage("invalid UTF-8") { $0 + [0xff, 0xfe] },
    Breakage("invalid UTF-8 in a name") { bytes in
      String(decoding: bytes, as: UTF8.self).components(separatedBy: "file.bin").map { Array($0.utf8) }
        .reduce([]) { $0.isEmpty ? $1 : $0 + [0xff] + $1 }
    },
    Breakage("deep nesting") { _ in [UInt8](repeating: UInt8(ascii: "["), count: 100_000) },
    Breakage("deep nesting in a field", #""done" : "#, "\"done\" : " + String(repeating: "[", count: 100_000)),
    Breakage("another format", "dltui sidecar", "aria2 control file"),
    Breakage("a newer version", #""version" : 1"#, "\"version\" : 2"),
    Breakage("a negative version", #""version" : 1"#, "\"version\" : -1"),
    Breakage("a negative range", ranges, "\"done\" : [[-5, 300000]]"),
    Breakage("a backward range", ranges, "\"done\" : [[300000, 0]]"),
    Breakage("overlapping ranges", ranges, "\"done\" : [[0, 200000], [100000, 300000]]"),
    Breakage("beyond the total", ranges, "\"done\" : [[0, 1000001]]"),
    Breakage("2^63", ranges, "\"done\" : [[0, 9223372036854775808]]"),
    Breakage("2^63 - 1 everywhere") { scene in
      try scene.editSidecar {
        $0.replacingOccurrences(
          of: #""total" : \d+"#, with: "\"total\" : 9223372036854775807", options: .regularExpression
        )
        .replacingOccurrences(of: ranges, with: "\"done\" : [[0, 9223372036854775807]]", options: .regularExpression)
        .replacingOccurrences(of: #""sums" : \[[^a-z]*\]"#, with: "\"sums\" : []", options: .regularExpression)
      }
    },
    Breakage("10^400", ranges, "\"done\" : [[0, 1\(String(repeating: "0", count: 400))]]"),
    Breakage("a fraction", ranges, "\"done\" : [[0, 1.5]]"),
    Breakage("a text for a range", ranges, "\"done\" : \"everything\""),
    Breakage("a negative total", #""total" : \d+"#, "\"total\" : -1"),
    Breakage("dates that overflow") { scene in
      try scene.editSidecar {
        $0.replacingOccurrences(of: #""etag" : "[^\n]*\n"#, with: "", options: .regularExpression)
          .replacingOccurrences(
            of: #""dateSeconds" : \d+"#, with: "\"dateSeconds\" : 9223372036854775807", options: .regularExpression
          )
          .replacingOccurrences(
            of: #""lastModifiedSeconds" : \d+"#, with: "\"lastModifiedSeconds\" : -9223372036854775808",
            options: .regularExpression)
      }
    },
    Breakage("a header in the tag", #""etag" : ""#, "\"etag\" : \"\\\\u000d\\\\u000aX-Evil: 1"),
    Breakage("a path for a name", #""name" : "file.bin""#, "\"name\" : \"../../x\""),
    Breakage("an absolute path for a name", #""name" : "file.bin""#, "\"name\" : \"/var/tmp/x\""),
    Breakage("a name of nothing", #""name" : "file.bin""#, "\"name\" : \"\""),
    Breakage("the address of a local file", #""url" : "http"#, "\"url\" : \"file"),
    Breakage("another address", #"file\.bin",\n *"userAgent"|/file\.bin""#, "/other.bin\""),
    Breakage("2 GiB") { scene in #expect(truncate(scene.path("file.bin.part.json"), 2 << 30) == 0) },
    Breakage("missing") { scene in unlink(scene.path("file.bin.part.json")) },
    Breakage("a folder") { scene in
      unlink(scene.path("file.bin.part.json"))
      mkdir(scene.path("file.bin.part.json"), 0o700)
    },
    Breakage("a pipe") { scene in
      unlink(scene.path("file.bin.part.json"))
      mkfifo(scene.path("file.bin.part.json"), 0o600)
    },
    Breakage("a link out of the folder") { scene in
      try scene.folder.write("outside".utf8, to: "outside")
      unlink(scene.path("file.bin.part.json"))
      symlink(scene.folder["outside"], scene.path("file.bin.part.json"))
    },
  ]

  /// Without the copy before it; with another, healthy part beside it.
  @Test(arguments: breakages)
  func a38ABrokenSidecarBlocksNothingAndItsPartIsNotTouched(_ breakage: Breakage) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    let part = scene.bytes(of: "file.bin.part")
    unlink(scene.path("file.bin.part.json~"))
    try breakage.apply(scene)
    scene.origin.serve(.v1)
    let outcome = try await scene.get(scene.origin.url("/another.bin"))
    #expect(outcome.status == 0 && scene.bytes(of: "another.bin") == Version.v1, "\(outcome)")
    // It is taken up again as far as it is sound, or set aside as it is, while the file arrives under its name or a number.
    let arrived = scene.names.filter { $0.hasPrefix("file") && $0.hasSuffix(".bin") }
    #expect(arrived.count == 1 && scene.bytes(of: arrived.first ?? "") == Version.v1, "\(scene.names) \(outcome)")
    if scene.names.contains("file.bin.part") { #expect(scene.bytes(of: "file.bin.part") == part) }
    let expected = ["files", "outside"]
    #expect(
      scene.folder.names.allSatisfy { expected.contains($0) } && !FileManager.default.fileExists(atPath: "/var/tmp/x"))
    #expect(scene.folder.text(of: "outside") ?? "outside" == "outside")
    #expect(scene.origin.requests.allSatisfy { $0["X-Evil"] == nil })
    let listing = try await Program.dltui(["list", scene.target]).end()
    #expect(listing.status == 0 || listing.status == 15, "\(listing)")
  }

  @Test(arguments: ["empty", "zero-filled", "cut in half", "invalid UTF-8", "10^400", "deep nesting"])
  func a38TheCopyBeforeABrokenOneIsUsed(_ name: String) async throws {
    let scene = try Scene()
    try await scene.leavePart()
    try scene.write(scene.bytes(of: "file.bin.part.json") ?? [], to: "file.bin.part.json~")
    try #require(Self.breakages.first { $0.testDescription == name }).apply(scene)
    scene.origin.serve(.v1)
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
    #expect(scene.starts == [Scene.kept] && scene.names == ["file.bin"])
  }

  enum Stray: CaseIterable { case file, folder, pipe, link, hardLink }

  @Test(arguments: Stray.allCases) func a38AStrayTemporaryFileNeitherHangsNorLeadsOutside(_ stray: Stray) async throws {
    let scene = try Scene()
    try scene.folder.write("outside".utf8, to: "outside")
    let path = scene.path("file.bin.part.json.tmp")
    switch stray {
    case .file: try scene.write("stray".utf8, to: "file.bin.part.json.tmp")
    case .folder: mkdir(path, 0o700)
    case .pipe: mkfifo(path, 0o600)
    case .link: symlink(scene.folder["outside"], path)
    case .hardLink: link(scene.folder["outside"], path)
    }
    try await scene.leavePart()
    if case .folder = stray {} else { #expect(scene.sidecar()?.done == [[0, Scene.kept]]) }
    #expect(scene.folder.text(of: "outside") == "outside")
    scene.origin.serve(.v1)
    let outcome = try await scene.get()
    #expect(outcome.status == 0 && scene.bytes() == Version.v1, "\(outcome)")
  }
}
