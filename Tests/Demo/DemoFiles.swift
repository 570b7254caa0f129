import Foundation
import TestSupport

/// One of the demo's files: each is served well or badly in a way of its own.
struct DemoFile: Sendable {
  let name: String
  let handler: ScriptedOrigin.Handler
  /// As `--checksum` takes it; the list of addresses gives it to the file.
  let checksum: String?

  init(_ name: String, checksum: String? = nil, _ handler: @escaping ScriptedOrigin.Handler) {
    self.name = name
    self.checksum = checksum
    self.handler = handler
  }

  init(_ name: String, checksum: String? = nil, _ file: ServedFile) {
    self.init(name, checksum: checksum, file.handler)
  }

  /// The name as an address has it.
  var path: String { "/" + (name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name) }
}

let demoFiles = [
  DemoFile("debian-netinst-amd64.iso", file(128, kibPerSecond: 500, seed: 1)),
  DemoFile("linux-6.18.tar.xz", file(48, kibPerSecond: 900, seed: 2)),
  DemoFile("日本語のファイル.tar.zst", file(20, kibPerSecond: 900, seed: 3).withoutLength),
  DemoFile("model-00001-of-00030.safetensors", file(96, kibPerSecond: 700, seed: 5).with { $0.requestLimit = 14 }),
  DemoFile("gone.zip", { $1.respond(404, body: "no such file\n") }),
  DemoFile(
    "readme.txt", checksum: "sha-256=d1fb007aab7593003e8ee2b599aef0c99c7bd1323e42ea97b139ed841a45521d",
    ServedFile(Body("This file is small and there at once.\n"))),
  DemoFile("busy-at-first.iso", busy(times: 2, then: file(32, kibPerSecond: 800, seed: 4))),
  DemoFile("no-ranges.img", file(24, kibPerSecond: 1400, seed: 6).with { $0.ranges = .ignored }),
  DemoFile(
    "get.php", file(16, kibPerSecond: 500, seed: 7).with { $0.disposition = "attachment; filename=\"talk.mp4\"" }),
  DemoFile("cut-off-often.bin", file(32, kibPerSecond: 600, seed: 8).with { $0.ending = .reset(after: 3 << 20) }),
  DemoFile("Ελληνικά – naïve café 한국어.pdf", file(6, kibPerSecond: 200, seed: 9)),
  DemoFile("very-slow.log", file(2, kibPerSecond: 8, seed: 10)),
]

func handler(for files: [DemoFile]) -> ScriptedOrigin.Handler {
  { request, connection in
    guard let file = files.first(where: { $0.path == request.path }) else { return connection.respond(404) }
    file.handler(request, connection)
  }
}

/// So many MiB, which come at so many KiB per second on each connection.
private func file(_ mebibytes: Int64, kibPerSecond: Int, seed: UInt64) -> ServedFile {
  ServedFile(.virtual(count: mebibytes << 20, seed: seed)).with {
    $0.bytesPerSecond = kibPerSecond << 10
    $0.etag = "\"demo-\(seed)\""
  }
}

extension ServedFile {
  /// The same, made while it is sent: in chunks, without ranges.
  fileprivate var withoutLength: ServedFile {
    with {
      $0.framing = .chunked(1 << 14)
      $0.ranges = .ignored
      $0.acceptRanges = nil
    }
  }
}

/// A file that is only there after some answers 503.
private func busy(times: Int, then file: ServedFile) -> ScriptedOrigin.Handler {
  let overloaded: ScriptedOrigin.Handler = { $1.respond(503, headers: ["Retry-After: 6"], body: "too busy\n") }
  return ScriptedOrigin.inTurn(Array(repeating: overloaded, count: times) + [file.handler])
}
