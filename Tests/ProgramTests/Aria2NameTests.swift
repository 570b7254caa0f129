import Foundation
import TestSupport
import Testing

/// The program under the name `dltui-aria2c`, for others that want to start aria2c.
@Suite(.timeLimit(.minutes(5))) struct Aria2NameTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private let blob = Blob.random(count: 6 << 20, seed: 97)
  private let program: String

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin()
    program = folder["bin/dltui-aria2c"]
    try FileManager.default.createDirectory(atPath: folder["bin"], withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: try Program.dltuiPath())
    origin.serve(ServedFile(blob).with { $0.contentType = "video/mp4" })
  }

  private func run(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
    try await Program.run(program, arguments, input: input, in: folder["bin"])
  }

  /// As yt-dlp 2026.10 writes it.
  @Test func theCommandLineOfYtdlpIsUnderstood() async throws {
    try folder.write("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\tyes\n".utf8, to: "cookies")
    let outcome = try await run(
      "--no-conf", "--auto-save-interval=10", "--console-log-level=warn", "--summary-interval=0",
      "--download-result=hide",
      "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16", "-s16", "--min-split-size", "1M",
      "--load-cookies=\(folder["cookies"])", "--header", "User-Agent: agent/1", "--header", "Accept-Encoding: gzip",
      "--max-overall-download-limit", "100M", "--check-certificate=false", "--remote-time=true",
      "--show-console-readout=false",
      "--remove-control-file=false", "--allow-overwrite=true", "--always-resume=false", "--auto-file-renaming=false",
      "--force-save=false", "--dir", "./out/", "--out", "./a video [1].mp4.part", "--", origin.url("/v.mp4"))
    #expect(outcome.status == 0, "\(outcome)")
    #expect(folder.bytes(of: "bin/out/a video [1].mp4.part") == blob)
    let request = try #require(origin.requests.first)
    #expect(request["User-Agent"] == "agent/1" && request["Cookie"] == "mine=yes")
    #expect(request["Accept-Encoding"] == "identity")
    let facts = try FileManager.default.attributesOfItem(atPath: folder["bin/out/a video [1].mp4.part"])
    #expect(facts[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_704_067_200), "as Last-Modified says")
  }

  @Test func aListAndWhatIsThereAlready() async throws {
    try folder.write("old".utf8, to: "bin/one")
    let list = "\(origin.url("/1"))\n\tout=./one\n\(origin.url("/2"))\n\tout=./two\n"
    let kept = try await run("--auto-file-renaming=false", "-i", "-", input: list)
    #expect(kept.status == 13 && folder.text(of: "bin/one") == "old" && folder.bytes(of: "bin/two") == blob)
    #expect(try await run("-c", "-i", "-", input: list).status == 0)
    #expect(folder.bytes(of: "bin/one") == blob)
  }

  @Test(arguments: [
    (["-v"], 0, "dltui 0.1.0\n", ""), (["--frob"], 28, "", "unknown option: --frob"),
    (["--continue=maybe", "http://h/"], 28, "", "--continue must be true or false: maybe"),
    ([], 28, "", "no address given"),
  ]) func theRest(_ arguments: [String], _ status: Int, _ output: String, _ complaint: String) async throws {
    let outcome = try await Program.run(program, arguments, in: folder["bin"])
    #expect(Int(outcome.status) == status && outcome.output == output)
    #expect(complaint.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(complaint))
  }

  /// `make test` installs the newest one of PyPI and says where.
  private static let ytdlp = ProcessInfo.processInfo.environment["YTDLP"].flatMap {
    FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
  }

  @Test(.enabled(if: ytdlp != nil, "yt-dlp is not installed: make test does it"))
  func theRealYtdlpDownloadsAndGoesOn() async throws {
    let ytdlp = try #require(Self.ytdlp)
    let arguments = ["--ignore-config", "--downloader", program, "-o", "video.mp4", origin.url("/v.mp4")]
    origin.serve(
      ServedFile(blob).with {
        $0.contentType = "video/mp4"
        $0.ending = .held(after: 400_000, Gate())
      })
    let first = try Program(ytdlp, arguments, in: folder["bin"])
    try await eventually("a sidecar") { folder.exists("bin/video.mp4.part.part.json") }
    _ = try await Program.run("/usr/bin/pkill", ["-INT", "-P", "\(first.identifier)"])
    _ = try await first.end()
    origin.serve(ServedFile(blob).with { $0.contentType = "video/mp4" })
    origin.clearRequests()
    let second = try await Program.run(ytdlp, arguments, in: folder["bin"])
    #expect(second.status == 0, "\(second)")
    #expect(folder.bytes(of: "bin/video.mp4") == blob && folder.names(in: "bin") == ["dltui-aria2c", "video.mp4"])
    #expect(origin.requests.contains { ($0.range?.first ?? 0) > 0 && $0["If-Range"] != nil }, "it goes on")
  }
}

extension TemporaryFolder {
  fileprivate func names(in name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self[name])) ?? []).sorted()
  }
}
