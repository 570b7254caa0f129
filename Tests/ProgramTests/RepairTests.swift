import Foundation
import TestSupport
import Testing

/// `dltui check` of whole files against a Metalink, and `--repair`, which fetches nothing but the wrong pieces.
@Suite(.timeLimit(.minutes(2))) struct RepairTests {
  private let folder: TemporaryFolder
  private let origin: ScriptedOrigin
  private static let blob = Blob.random(count: (8 << 20) + 1000, seed: 221)
  private static let piece = 1 << 20

  init() throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin(ServedFile(Self.blob))
    try folder.write(Self.blob, to: "big.iso")
  }

  /// Sums of all pieces, by sha256sum(1).
  private static func sums() async throws -> [String] {
    var sums: [String] = []
    for start in stride(from: 0, to: blob.count, by: piece) {
      sums.append(try await sha256(of: Array(blob[start..<min(start + piece, blob.count)])))
    }
    return sums
  }

  private func writeMetalink(name: String = "big.iso", hash: String? = nil, url: String? = nil) async throws {
    let hashes = try await Self.sums().map { "<hash>\($0)</hash>" }.joined()
    let whole = hash.map { "<hash type=\"sha-256\">\($0)</hash>" } ?? ""
    let text = """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(name)"><size>\(Self.blob.count)</size>\(whole)
      <pieces length="\(Self.piece)" type="sha-256">\(hashes)</pieces><url>\(url ?? origin.url("/big.iso"))</url></file></metalink>
      """
    try folder.write(text.utf8, to: "m.meta4")
  }

  private func spoil(_ offsets: Int..., in name: String = "big.iso") throws {
    let file = try FileHandle(forUpdating: URL(filePath: folder[name]))
    for offset in offsets {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([Self.blob[offset] ^ 1]))
    }
    try file.close()
  }

  private func check(_ arguments: String..., repair: Bool = false) async throws -> Program.Outcome {
    let options = ["check", "--metalink", "m.meta4"] + (repair ? ["--repair"] : [])
    return try await Program.dltui(options + arguments, in: folder.path).end()
  }

  // MARK: Looking

  @Test func wrongPiecesAreNamed() async throws {
    try await writeMetalink()
    let good = try await check("big.iso")
    #expect(
      good.status == 0 && good.output == "ok   \(folder["big.iso"]): sha-256 of 9 pieces as in m.meta4\n", "\(good)")
    try spoil(5, (3 << 20) + 7, 4 << 20)
    let bad = try await check("big.iso")
    #expect(bad.status == 32 && bad.errors.isEmpty && origin.requests.isEmpty)
    #expect(
      bad.output == "bad  \(folder["big.iso"]): 3.0 MiB of 8.0 MiB are wrong: 0–1048575, 3145728–5242879\n", "\(bad)")
    #expect(folder.names == ["big.iso", "m.meta4"])
  }

  @Test func aFileThatIsTooShortOrTooLongIsWrongAtItsEnd() async throws {
    try await writeMetalink()
    try folder.write(Self.blob + [1, 2, 3], to: "big.iso")
    #expect(try await check("big.iso").output.contains("0 B of 8.0 MiB are wrong, 3 B too many at its end"))
    try folder.write(Self.blob.dropLast(1), to: "big.iso")
    #expect(try await check("big.iso").output.contains("1.0 KiB of 8.0 MiB are wrong: 8388608–8389607"))
  }

  @Test func theSumOfTheWholeComesFirst() async throws {
    try await writeMetalink(hash: try await sha256(of: Self.blob))
    #expect(try await check("big.iso").output == "ok   \(folder["big.iso"]): sha-256 as in m.meta4\n")
    try spoil(5)
    #expect(try await check("big.iso").output.contains("are wrong: 0–1048575"))
    try await writeMetalink(hash: String(repeating: "0", count: 64))
    try folder.write(Self.blob, to: "big.iso")
    let odd = try await check("big.iso", repair: true)
    #expect(odd.status == 32 && odd.output.contains("though it has the sha-256 of 9 pieces as in m.meta4"), "\(odd)")
  }

  @Test func aNameThatIsNotInItIsOnlyTakenForTheOnlyOne() async throws {
    try await writeMetalink(name: "else.iso")
    #expect(try await check("big.iso").status == 0)
    let two = try await check("big.iso", "m.meta4")
    #expect(two.status == 1 && two.errors.contains("nothing to check it against: \(folder["big.iso"])"), "\(two)")
  }

  // MARK: Repairing

  /// Bytes that were asked for; a range without an end counts up to the end.
  private var asked: [Range<Int>] {
    origin.requests.map { request in
      guard let range = request.range else { return 0..<Self.blob.count }
      return Int(range.first)..<Int(range.last.map { $0 + 1 } ?? Int64(Self.blob.count))
    }
  }

  @Test(arguments: [[5], [(3 << 20) + 7, (3 << 20) + 9], [8 << 20], [0, 2 << 20, 5 << 20, (8 << 20) + 999]])
  func onlyTheWrongPiecesAreFetched(_ offsets: [Int]) async throws {
    try await writeMetalink(hash: try await sha256(of: Self.blob))
    for offset in offsets { try spoil(offset) }
    let outcome = try await check("big.iso", "-x", "1", repair: true)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("bad  "), "\(outcome)")
    #expect(folder.bytes(of: "big.iso") == Self.blob && folder.names == ["big.iso", "m.meta4"])
    let wrong = Set(offsets.map { $0 / Self.piece }).count
    let sent = origin.counters.bytesSent
    #expect(sent <= wrong * Self.piece + (wrong + 1) * (68 << 10), "\(sent) bytes for \(wrong) pieces: \(asked)")
  }

  @Test func whatIsMissingAtTheEndIsFetchedAndASurplusCutOff() async throws {
    try await writeMetalink()
    try folder.write(Self.blob.dropLast(1_000_000), to: "big.iso")
    #expect(try await check("big.iso", repair: true).status == 0)
    #expect(folder.bytes(of: "big.iso") == Self.blob && origin.counters.bytesSent < 3 << 20)
    try folder.write(Self.blob + [1, 2, 3], to: "big.iso")
    let outcome = try await check("big.iso", repair: true)
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == Self.blob, "\(outcome)")
  }

  @Test func aServerWithAnotherFileChangesNothing() async throws {
    try await writeMetalink()
    try spoil(5)
    origin.serve(ServedFile(Blob.random(count: Self.blob.count, seed: 222)))
    let outcome = try await check("big.iso", "--retries", "1", repair: true)
    #expect(outcome.status != 0, "\(outcome)")
    let isKept = folder.bytes(of: "big.iso.part")?.dropFirst(Self.piece).elementsEqual(Self.blob.dropFirst(Self.piece))
    #expect(isKept == true, "the good bytes are there: \(outcome), \(folder.names)")
    #expect(origin.counters.bytesSent < 1 << 20, "and no others were fetched")
  }

  @Test(arguments: [["get", "m.meta4"], ["check", "--repair", "-M", "m.meta4", "big.iso"]])
  func whatAFailureLeavesGoesOn(_ again: [String]) async throws {
    try await writeMetalink()
    try spoil(5, 5 << 20)
    origin.serve { $1.respond(404) }
    #expect(try await check("big.iso", repair: true).status == 3)
    #expect(!folder.exists("big.iso") && folder.exists("big.iso.part"))
    origin.serve(ServedFile(Self.blob))
    let outcome = try await Program.dltui(again, in: folder.path).end()
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == Self.blob, "\(outcome)")
    #expect(folder.names == ["big.iso", "m.meta4"] && origin.counters.bytesSent < 3 << 20)
  }

  /// Between its two steps a crash leaves the file under the name of its part.
  @Test func aCrashOnTheWayLosesNothing() async throws {
    try await writeMetalink()
    try spoil(5)
    try FileManager.default.moveItem(atPath: folder["big.iso"], toPath: folder["big.iso.part"])
    #expect(try await check("big.iso").output.contains("are wrong: 0–1048575"))
    let outcome = try await check("big.iso", repair: true)
    #expect(outcome.status == 0 && folder.bytes(of: "big.iso") == Self.blob, "\(outcome)")
    #expect(origin.counters.bytesSent < 2 << 20)
  }

  /// After the last step but one the file has its name, and its sidecar is still there.
  @Test func aCrashAtTheEndLeavesNothingForLong() async throws {
    try await writeMetalink()
    for name in ["big.iso.part.json", "big.iso.part.json~"] { try folder.write("{}".utf8, to: name) }
    #expect(try await check("big.iso").output.hasPrefix("ok "))
    #expect(try await check("big.iso", repair: true).status == 0)
    #expect(folder.names == ["big.iso", "m.meta4"] && folder.bytes(of: "big.iso") == Self.blob)
  }

  @Test func anotherPartOfThatNameIsLeftAlone() async throws {
    try await writeMetalink()
    try spoil(5)
    try folder.write([1, 2, 3], to: "big.iso.part")
    let outcome = try await check("big.iso", repair: true)
    #expect(outcome.status == 13 && folder.bytes(of: "big.iso.part") == [1, 2, 3], "\(outcome)")
    #expect(folder.bytes(of: "big.iso")?.count == Self.blob.count && origin.requests.isEmpty)
  }

  @Test func whatCannotBeRepairedIsStillWrongAtTheEnd() async throws {
    try await writeMetalink()
    try spoil(5)
    try folder.write([1], to: "other.iso")
    try folder.write("\(String(repeating: "0", count: 64))  other.iso\n".utf8, to: "SHA256SUMS")
    let outcome = try await check("other.iso", "big.iso", repair: true)
    #expect(outcome.status == 32 && folder.bytes(of: "big.iso") == Self.blob, "\(outcome)")
  }
}
