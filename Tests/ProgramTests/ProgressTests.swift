import DownloadCore
import Foundation
import Glibc
import Testing

@testable import dltui

/// What `get` writes about downloads, as lines and as JSON.
@Suite struct ProgressTests {
  private static let evil = "a\u{1B}]0;x\u{7}\u{202E}b"

  private static func item(_ number: Int = 1, total: Int64? = 1000, completed: Int64 = 590) -> Snapshot.Item {
    var item = Snapshot.Item(
      id: DownloadID(number), state: .active, name: "big.iso", folder: "/d", url: "http://h/big.iso")
    (item.total, item.completed, item.speed) = (total, completed, 100)
    return item
  }

  private static let everyNotice: [Notice.Kind] = [
    .added(url: "http://h/\(evil)"), .started(path: "/d/\(evil)", total: nil, completed: 0, resumability: .unknown),
    .retrying(.init(at: .zero, attempt: 2, of: nil, error: .other(evil)), in: .milliseconds(4000)), .paused, .verifying,
    .restarted(evil), .warning(evil),
    .completed(path: "/d/\(evil)", total: 1, seconds: .infinity, verification: .nothing), .failed(.other(evil)),
  ]

  /// What `write` writes, through a pipe.
  private func written(_ write: (Output) -> Void) throws -> String {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    write(Output(ends[1]))
    close(ends[1])
    return String(
      decoding: try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test func eventsSayNullAndKeepTheirWords() throws {
    let time = Date(timeIntervalSince1970: 1_795_953_600.25)
    let error = DownloadError.overloaded(status: 503)
    let retry = Notice(DownloadID(1), .retrying(.init(at: .zero, attempt: 2, of: 8, error: error), in: .seconds(4)))
    #expect(
      JSONLine.text(JSONEvent(retry, time: time))
        == #"{"attempt":2,"error":{"code":29,"hint":"fewer connections (-x) may be welcome","message":"server overloaded: 503"},"#
        + #""event":"retrying","id":1,"in":4,"of":8,"time":"2026-11-29T12:00:00.250Z"}"# + "\n")
    #expect(
      JSONLine.text(JSONEvent(Self.item(total: nil), time: time))
        == #"{"completed":590,"connections":0,"eta":null,"event":"progress","id":1,"speed":100,"#
        + #""time":"2026-11-29T12:00:00.250Z","total":null}"# + "\n")
  }

  @Test(arguments: everyNotice) func anEventIsOneLineOfHarmlessJSON(_ kind: Notice.Kind) throws {
    let line = JSONLine.text(JSONEvent(Notice(DownloadID(7), kind), time: .now))
    #expect(line.hasSuffix("}\n") && line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["event"] as? String == kind.word)
    #expect(object?["id"] as? Int == 7)
    #expect((object?["time"] as? String)?.count == 24)
  }

  @Test func progressComesAtMostFourTimesASecond() throws {
    let text = try written { output in
      var events = JSONProgress(output)
      let start = Notice.Kind.started(path: "/x", total: 1000, completed: 0, resumability: .resumable)
      events.report([Notice(DownloadID(1), start)], Snapshot())
      for tick in 0..<30 {
        let item = Self.item(completed: Int64(tick))
        events.report([], Snapshot(moment: .milliseconds(100 * tick), downloads: [item]))
      }
    }
    #expect(text.split(separator: "\n").filter { $0.contains("\"progress\"") }.count == 10)
  }

  @Test func aPipeGetsNoControlsAndALineEveryTenSeconds() throws {
    let text = try written { output in
      var progress = PlainProgress(output, Invocation.OutputStyle())
      for kind in Self.everyNotice { progress.report([Notice(DownloadID(1), kind)], Snapshot()) }
      for second in 1...35 {
        progress.report([], Snapshot(moment: .seconds(second), downloads: [Self.item()]))
      }
      progress.finish()
    }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)) })
    #expect(!text.contains("\u{202E}"))
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("get ") }.count == 3)
  }

  @Test func theEndIsToldInOneLine() throws {
    let text = try written { output in
      var progress = PlainProgress(output, Invocation.OutputStyle())
      let kinds: [Notice.Kind] = [
        .added(url: "http://h/big.iso"),
        .started(path: "/d/big.iso", total: 4 << 30, completed: 0, resumability: .resumable),
        .completed(path: "/d/big.iso", total: 4 << 30, seconds: 41, verification: .checksum(.sha256)),
      ]
      progress.report(kinds.map { Notice(DownloadID(1), $0) }, Snapshot())
      progress.report(
        [Notice(DownloadID(2), .added(url: "http://h/x")), Notice(DownloadID(2), .failed(.fileExists(path: "/d/x")))],
        Snapshot())
    }
    #expect(
      text == """
        start   big.iso  4.0 GiB
        done    big.iso  4.0 GiB in 41 s (99.9 MiB/s), sha-256 verified
        failed  http://h/x: the file exists: /d/x
        hint:   --if-exists rename, skip or overwrite

        """)
  }

  @Test func quietTellsErrorsOnly() throws {
    let text = try written { output in
      var style = Invocation.OutputStyle()
      style.isQuiet = true
      var progress = PlainProgress(output, style)
      let kinds: [Notice.Kind] = [
        .started(path: "/d/x", total: 1, completed: 0, resumability: .resumable), .failed(.timedOut),
      ]
      progress.report(kinds.map { Notice(DownloadID(1), $0) }, Snapshot(downloads: [Self.item()]))
    }
    #expect(text == "failed  : timed out while connecting\n")
  }

  @Test(arguments: [0, 1, 2, 10, 40, 80, 200]) func redrawnLinesAreNeverWiderThanTheWindow(_ width: Int) {
    let look = Look(Invocation.OutputStyle(), isTerminal: true)
    var items = (1...60).map { Self.item($0, total: $0 % 3 == 0 ? nil : 1 << 40, completed: Int64($0) << 30) }
    items[0].name = String(repeating: "日本", count: 100)
    items[1].state = .retrying(.init(at: .zero, attempt: 1, of: 8, error: .other(String(repeating: "w", count: 300))))
    let lines = look.lines(items, width: width, height: 20)
    #expect(lines.count == 19)
    let widest = lines.map { $0.reduce(0) { $0 + ($1.isASCII || "…█─░".contains($1) ? 1 : 2) } }.max() ?? 0
    #expect(widest < (width == 0 ? 80 : width) || width == 1)
  }

  @Test func theStatusIsZeroOnlyWhenAllIsComplete() {
    let done = Notice.Kind.completed(path: "/x", total: 1, seconds: 1, verification: .size)
    func status(_ kinds: [Notice.Kind], asked: Int) -> Int32 {
      var tally = Tally(asked: asked)
      for (number, kind) in kinds.enumerated() { tally.count(Notice(DownloadID(number), kind)) }
      return tally.exitStatus
    }
    #expect(status([done, done], asked: 2) == 0)
    #expect(status([done], asked: 2) == 7)
    #expect(status([.failed(.timedOut), done], asked: 2) == 2)
    #expect(status([.failed(.timedOut), .failed(.notFound(status: 404))], asked: 2) == 3)
    #expect(status([.failed(.timedOut)], asked: 2) == 7)
  }
}
