import DownloadCore
import DownloadEngine
import TerminalUI

/// `dltui check`: looks whether files are what they should be. Unfinished ones are compared with the sums of their sidecars, whole ones with
/// the sum that was given, with those of a Metalink file, or with that of a list beside them.
struct CheckCommand {
  private let invocation: Invocation
  private let metalinks: [MetalinkFile]
  private var status: Int32 = 0
  /// Files with wrong bytes, which `--repair` fetches again.
  private var broken: [Request] = []

  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let files = invocation.operands
    guard !files.isEmpty else { throw UsageError("no file given", hint: "dltui check [--repair] FILE…") }
    if invocation.wish.checksum != nil, files.count > 1 {
      throw UsageError("--checksum needs exactly one file, got \(files.count)")
    }
    var command = CheckCommand(
      invocation, try invocation.metalinks.map { (path) throws(UsageError) in try MetalinkFile(path) })
    for file in files { command.check(Place.absolute(file)) }
    guard !command.broken.isEmpty else { return command.status }
    let status = try GetCommand.run(invocation.forRepair, fetching: command.broken)
    return status == 0 ? command.status : status
  }

  private init(_ invocation: Invocation, _ metalinks: [MetalinkFile]) {
    (self.invocation, self.metalinks) = (invocation, metalinks)
  }

  private mutating func check(_ path: String) {
    do throws(DownloadError) {
      if let part = FileCheck.partPath(of: path) { try checkPart(part) } else { try checkWhole(path) }
    } catch {
      status = Program.fail(error)
    }
  }

  // MARK: Unfinished files

  private mutating func checkPart(_ path: String) throws(DownloadError) {
    let findings = try FileCheck.part(path, forgetting: invocation.repairs)
    let claimed = ByteCount.text(findings.claimed)
    guard !findings.wrong.isEmpty else {
      let rest = findings.unsummed > 0 ? ", \(ByteCount.text(findings.unsummed)) of them without a sum" : ""
      say("ok", path, "\(claimed) are as they were saved\(rest)")
      return goOn(with: findings.sidecar, path)
    }
    let places = Self.places(findings.wrong)
    say("bad", path, "\(ByteCount.text(findings.wrong.count)) of \(claimed) are not as they were saved: \(places)")
    isBroken(invocation.request(of: findings.sidecar, in: Place.folderOf(path)))
  }

  /// A repair that has not come to its end is not forgotten.
  private mutating func goOn(with sidecar: Sidecar, _ path: String) {
    guard invocation.repairs, entry(for: Place.folderOf(path) + "/" + sidecar.name) != nil else { return }
    isBroken(invocation.request(of: sidecar, in: Place.folderOf(path)))
  }

  /// What can be fetched again is repaired if that is wanted.
  private mutating func isBroken(_ request: Request?) {
    if invocation.repairs, let request { broken.append(request) } else { status = 32 }
  }

  /// The first of them; there may be thousands.
  private static func places(_ wrong: ByteRangeSet) -> String {
    let shown = wrong.ranges.prefix(10).map { "\($0.lowerBound)–\($0.upperBound - 1)" }
    return (shown + (wrong.ranges.count > shown.count ? ["…"] : [])).joined(separator: ", ")
  }

  // MARK: Whole files

  private mutating func checkWhole(_ typed: String) throws(DownloadError) {
    let entry = entry(for: typed)
    let path = entry == nil ? typed : Repair.file(meantBy: typed)
    if invocation.wish.checksum == nil, entry?.file.checksum == nil, let entry, let pieces = entry.file.pieces {
      return try checkPieces(pieces, of: entry, typed, path, whole: nil)
    }
    guard let (sum, source) = try wanted(typed, entry) else {
      if let entry, let size = entry.file.size { return try checkSize(size, of: entry, typed, path) }
      throw .other("nothing to check it against: \(typed)")
    }
    do throws(DownloadError) { try FileCheck.file(path, sum) } catch {
      guard case .checksumMismatch(_, let got) = error else { throw error }
      let words = "\(sum.algorithm.rawValue) is \(got), not \(sum.hex)\(source)"
      if let entry, let pieces = entry.file.pieces {
        return try checkPieces(pieces, of: entry, typed, path, whole: words)
      }
      status = 32
      let remedy = invocation.repairs ? "; which bytes are wrong cannot be told: download it again" : ""
      return say("bad", typed, words + remedy)
    }
    try isRight(typed, "\(sum.algorithm.rawValue)\(source)")
  }

  private func isRight(_ path: String, _ words: String) throws(DownloadError) {
    say("ok", path, words)
    if invocation.repairs { try Repair.tidyUp(after: path) }
  }

  private func wanted(_ path: String, _ entry: Entry?) throws(DownloadError) -> (sum: Checksum, source: String)? {
    if let sum = invocation.wish.checksum { return (sum, "") }
    if let entry, let sum = entry.file.checksum { return (sum, " as in \(entry.metalink.name)") }
    return try ChecksumFinder.find(beside: path).map { ($0.checksum, " as in \($0.source)") }
  }

  // MARK: Metalink

  /// What a Metalink says of a file.
  private typealias Entry = (metalink: MetalinkFile, file: Metalink.File)

  /// By the file's name; where there is only one file and only one entry, they are meant for each other.
  private func entry(for path: String) -> Entry? {
    let entries = metalinks.flatMap { metalink in metalink.metalink.files.map { (metalink, $0) } }
    let name = path.split(separator: "/").last
    let named = entries.first { $0.1.name.split(separator: "/").last == name }
    return named ?? (entries.count == 1 && invocation.operands.count == 1 ? entries.first : nil)
  }

  /// `whole` says what is wrong with the sum of the whole file; nil where none is known.
  private mutating func checkPieces(
    _ pieces: PieceSums, of entry: Entry, _ typed: String, _ path: String, whole: String?
  ) throws(DownloadError) {
    let size = try FileCheck.size(of: path)
    let total = entry.file.size ?? size
    guard pieces.fits(total: total) else {
      throw .other(
        "\(entry.metalink.name) has pieces of a file of another size than \(ByteCount.text(total)): \(typed)")
    }
    let wrong = try FileCheck.wrongBytes(of: path, pieces, total: total)
    if wrong.isEmpty, size == total {
      let words = "\(pieces.algorithm.rawValue) of \(pieces.sums.count) pieces as in \(entry.metalink.name)"
      return try piecesAreRight(words, typed, whole: whole)
    }
    let surplus = size > total ? ", \(ByteCount.text(size - total)) too many at its end" : ""
    let places = wrong.isEmpty ? "" : ": \(Self.places(wrong))"
    say("bad", typed, "\(ByteCount.text(wrong.count)) of \(ByteCount.text(total)) are wrong\(places)\(surplus)")
    guard invocation.repairs else { return isBroken(nil) }
    let request = try request(for: entry, typed)
    try Repair.begin(path, for: request, lacking: wrong, of: total)
    isBroken(request)
  }

  /// A sum of the whole file that is wrong all the same shows that the two do not belong together.
  private mutating func piecesAreRight(_ words: String, _ path: String, whole: String?) throws(DownloadError) {
    guard let whole else { return try isRight(path, words) }
    status = 32
    say("bad", path, "\(whole), though it has the \(words)")
  }

  private mutating func checkSize(
    _ wanted: Int64, of entry: Entry, _ typed: String, _ path: String
  ) throws(DownloadError) {
    let size = try FileCheck.size(of: path)
    guard size != wanted else { return try isRight(typed, "size as in \(entry.metalink.name)") }
    status = 32
    say("bad", typed, "it has \(size) bytes, not \(wanted) as in \(entry.metalink.name)")
  }

  /// The file stays where it is, whatever it is called in the Metalink.
  private func request(for entry: Entry, _ path: String) throws(DownloadError) -> Request {
    var own = invocation
    own.wish.folder = Place.folderOf(path)
    own.wish.name = path.split(separator: "/").last.map(String.init)
    do throws(UsageError) {
      guard let request = try entry.metalink.request(for: entry.file, on: own) else {
        throw UsageError("no address of it in \(entry.metalink.name) can be fetched: \(path)")
      }
      return request
    } catch {
      throw .other(error.message)
    }
  }

  private func say(_ word: String, _ path: String, _ text: String) {
    guard word != "ok" || !invocation.output.isQuiet else { return }
    _ = Program.show("\(word)\(word == "ok" ? "   " : "  ")\(VisibleText.of(path)): \(text)\n")
  }
}

extension Invocation {
  /// Who wants a file repaired does not want another one in its place, unless that was said.
  fileprivate var forRepair: Invocation {
    var copy = self
    copy.ifChanged = ifChanged ?? .fail
    return copy
  }
}
