import DownloadCore

/// Made-up snapshots that look like real ones.
enum Samples {
  /// 30 November 2026, 12:00:00 UTC, a Monday.
  static let noon: Int64 = 1_796_040_000

  static func item(
    _ number: Int, _ name: String, _ state: DownloadState, done: Int64 = 0, of total: Int64? = nil, speed: Int64? = nil,
    connections: Int = 0
  ) -> Snapshot.Item {
    var item = Snapshot.Item(
      id: DownloadID(number), state: state, name: name, folder: "/home/ada/Downloads",
      url: "https://mirror.example.org/pub/\(name)")
    item.total = total
    item.completed = done
    item.speed = speed
    item.connectionLimit = 8
    item.resumability = .resumable
    item.transfers = transfers(connections, from: done, to: total, speed: speed ?? 0)
    item.missing = total.map { done < $0 ? [done..<$0] : [] } ?? []
    return item
  }

  private static func transfers(_ count: Int, from: Int64, to total: Int64?, speed: Int64) -> [Snapshot.Connection] {
    guard count > 0 else { return [] }
    let step = ((total ?? from + 1 << 30) - from) / Int64(count)
    return (0..<Int64(count)).map { index in
      let start = from + index * step
      return Snapshot.Connection(claim: start..<start + step / 2, speed: speed / Int64(count))
    }
  }

  /// The states that need a person.
  static let stopped: Snapshot = {
    var comparing = item(3, "no-validator.bin", .paused(because: nil), done: 30 << 20, of: 60 << 20)
    comparing.resumability = .comparing
    return Snapshot(
      wallClock: noon,
      downloads: [
        item(1, "nightly.iso", .failed(.changed("its ETag was \"a\", now it is \"b\"")), done: 3 << 20, of: 9 << 20),
        item(2, "backup.img", .paused(because: .diskFull(path: "/home/ada")), done: 1 << 30, of: 4 << 30),
        comparing, item(4, "compared.bin", .completed(.overlap), done: 5 << 20, of: 5 << 20),
      ], freeSpace: 0)
  }()

  /// One download in each state and for each thing that is worth a word.
  static let states: Snapshot = {
    let errors: [DownloadError] = [
      .nameNotResolved(host: "mirror.example.org"), .cannotConnect(host: "mirror.example.org", why: "refused"),
      .tls(why: "certificate has expired"), .unauthorized(status: 401), .webPage, .badAnswer("a part of another file"),
      .incomplete(missing: 5), .checksumMismatch(expected: "9f86d081", got: "2c26b46b"), .changed("its size"),
      .cannotWrite(path: "/srv", why: "input/output error"), .alreadyDownloading(path: "/srv/a"),
      .refusedRedirect(to: "file:///etc"),
    ]
    func retry(_ error: DownloadError, in seconds: Int) -> DownloadState {
      .retrying(DownloadState.Retry(at: .seconds(100 + seconds), attempt: 2, of: 8, error: error))
    }
    let states: [(DownloadState, Resumability)] =
      [
        (.queued, .unknown), (.active, .unknown), (.active, .resumable), (.active, .comparing),
        (.active, .startsOver(.noRanges)), (.active, .startsOver(.noLength)), (.active, .startsOver(.coded)),
        (retry(.overloaded(status: 503), in: 12), .resumable),
        (retry(.connectionLost(why: "reset"), in: 0), .resumable),
        (retry(.networkDown, in: 3), .resumable), (retry(.stalled(seconds: 30), in: 7200), .resumable),
        (.verifying, .resumable), (.paused(because: nil), .unknown), (.paused(because: nil), .resumable),
        (.paused(because: nil), .comparing), (.paused(because: nil), .startsOver(.noRanges)),
        (.paused(because: .diskFull(path: "/home/ada")), .resumable), (.completed(.checksum(.sha256)), .resumable),
        (.completed(.size), .resumable), (.completed(.overlap), .comparing),
        (.completed(.nothing), .startsOver(.noLength)),
      ] + errors.map { (.failed($0), .resumable) }
    let items = zip(1..., states).map { number, state in
      let hasSize = state.1 != .startsOver(.noLength) && state.1 != .unknown
      var item = item(
        number, "file-\(number).tar", state.0, done: state.1 == .unknown ? 0 : 5 << 20, of: hasSize ? 9 << 20 : nil)
      item.resumability = state.1
      if state.1 == .comparing { item.validator = "weak ETag W/\"a\"" }
      return item
    }
    return Snapshot(moment: .seconds(100), wallClock: noon, downloads: items, freeSpace: 1 << 40)
  }()

  static let busy: Snapshot = {
    var stalled = item(
      9, "Fedora-Workstation-43.x86_64.iso", .active, done: 900 << 20, of: 2400 << 20, speed: 0, connections: 2)
    stalled.stalledFor = 12
    var unsized = item(3, "日本語のファイル.tar.zst", .active, done: 1_288_490_189, speed: 1_258_291, connections: 1)
    unsized.resumability = .startsOver(.noLength)
    var once = item(12, "nightly-build.tar.gz", .paused(because: nil), done: 31 << 20, of: 97 << 20)
    once.resumability = .startsOver(.noRanges)
    var fresh = item(13, "just-added.bin", .active)
    fresh.resumability = .unknown
    let retry = DownloadState.Retry(at: .seconds(112), attempt: 2, of: 8, error: .overloaded(status: 503))
    return Snapshot(
      moment: .seconds(100), wallClock: noon,
      downloads: [
        item(
          1, "debian-13.1.0-amd64-netinst.iso", .active, done: 486 << 20, of: 822_083_584, speed: 44_145_050,
          connections: 8),
        item(
          2, "ubuntu-26.04-desktop-amd64.iso", .active, done: 806 << 20, of: 6_335_076_761, speed: 42_886_758,
          connections: 8),
        unsized,
        item(4, "model-00001-of-00030.safetensors", .retrying(retry), done: 2509 << 20, of: 5_261_334_937),
        item(5, "linux-6.18.tar.xz", .completed(.checksum(.sha256)), done: 155_189_248, of: 155_189_248),
        item(6, "old-backup.img", .paused(because: nil), done: 4 << 30, of: 16 << 30),
        item(7, "annual-report-2025-final-final-really-final-version-for-print.pdf", .queued),
        item(8, "missing.zip", .failed(.notFound(status: 404))),
        stalled,
        item(10, "big-dataset.parquet", .verifying, done: 3 << 30, of: 3 << 30),
        item(11, "notes.txt", .completed(.nothing), done: 4096, of: 4096),
        once, fresh,
        item(
          14, "archive.7z", .failed(.checksumMismatch(expected: "9f86d081", got: "2c26b46b")), done: 7 << 20,
          of: 7 << 20),
      ],
      speed: 88_290_099, rateLimit: 100 << 20, freeSpace: 412 << 30)
  }()

  /// The first of them in all detail.
  static let detailed: Snapshot = {
    var snapshot = busy
    var item = snapshot.downloads[0]
    item.finalURL = "https://cdn-7.example.net/debian/13.1.0/debian-13.1.0-amd64-netinst.iso?token=abc"
    item.validator = "strong ETag \"67a1-2f0\""
    item.server = "nginx/1.26.2"
    item.connections = 3
    item.rateLimit = 50 << 20
    item.history = (0..<57).map { (second: Int) -> Int64 in
      let wave = second * 37 % 23
      return Int64(wave + min(second, 20)) << 20
    }
    item.missing = [100 << 20..<120 << 20, 300 << 20..<500 << 20, 700 << 20..<822_083_584]
    item.transfers = [
      .init(claim: 100 << 20..<120 << 20, speed: 14 << 20, peer: "151.101.2.132:443"),
      .init(claim: 300 << 20..<400 << 20, speed: 15 << 20, peer: "[2a04:4e42::644]:443"),
      .init(claim: 700 << 20..<760 << 20, speed: 13 << 20),
    ]
    item.log = [
      .init(at: .seconds(1), text: "started with 8 connections"),
      .init(at: .seconds(40), text: "server overloaded: 503, going on with 3 connections"),
      .init(at: .seconds(97), text: "connection lost: reset by peer"),
    ]
    snapshot.downloads[0] = item
    return snapshot
  }()

  /// A page of text with addresses in it, one of them in the list.
  static let pasted = """
    Mirrors (see https://example.org/mirrors): https://mirror.example.org/pub/linux-6.18.tar.xz,
    <https://b.example/a_(b).iso> and "http://c.example/?q=1&r=2".
    https://me:secret@d.example/private/file-with-a-name-that-goes-on-and-on-until-no-window-is-wide-enough-for-it.bin
    """

  static let pastedCommand = """
    $ curl 'https://example.org/get?id=7' -H 'Cookie: session=hush' -H 'accept: */*' \\
        -H 'accept-encoding: gzip' -u ada:hush -A Mozilla --compressed -L -o report.pdf --cert-status
    curl -X POST https://example.org/form -d a=b
    """

  /// Names that others chose with malice or in other scripts.
  static let foreign = Snapshot(
    moment: .seconds(1), wallClock: noon,
    downloads: [
      item(1, "evil\u{1B}[2J\u{07}name.txt", .active, done: 1, of: 3, speed: 1),
      item(2, "invoice\u{202E}fdp.exe", .queued, of: 10),
      item(3, "👨‍👩‍👧‍👦 family ❤️ 🏳️‍🌈 👍🏽 🇩🇪.zip", .paused(because: nil), done: 5, of: 10),
      item(4, "한국어 파일 이름이 아주 길고 계속해서 길어집니다.tar", .queued, of: 10),
      item(5, "e\u{301}clair cafe\u{301} नमस्ते ภาษาไทย.txt", .queued, of: 10),
      item(6, "a\u{0085}b\u{009B}31mc\u{2028}d\u{200B}e\u{FEFF}f", .failed(.other("why\u{1B}]0;pwned\u{07}")), of: 10),
      item(7, "\u{301}lone mark \u{FFFD} replaced", .queued, of: 10),
    ], speed: 1, freeSpace: 5)

  static func many(_ count: Int) -> Snapshot {
    let downloads = (1...count).map { item($0, "file-\($0).bin", .queued, done: 0, of: Int64($0) << 20) }
    return Snapshot(moment: .seconds(1), wallClock: noon, downloads: downloads, freeSpace: 1 << 40)
  }
}
