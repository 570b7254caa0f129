import DownloadCore
import DownloadEngine
import TerminalUI

/// `dltui check`: looks whether files are what they should be. Unfinished ones are compared with the sums of their sidecars, whole ones with
/// the sum that was given or that a list beside them has.
struct CheckCommand {
  private let invocation: Invocation
  private var status: Int32 = 0
  /// Unfinished files with wrong bytes, which `--repair` fetches again.
  private var broken: [Request] = []

  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    guard !invocation.operands.isEmpty else { throw UsageError("no file given", hint: "dltui check [--repair] FILE…") }
    if invocation.wish.checksum != nil, invocation.operands.count > 1 {
      throw UsageError("--checksum needs exactly one file, got \(invocation.operands.count)")
    }
    var command = CheckCommand(invocation: invocation)
    for operand in invocation.operands { command.check(Place.absolute(operand)) }
    guard invocation.repairs, !command.broken.isEmpty else { return command.status }
    return try GetCommand.run(invocation, fetching: command.broken)
  }

  private init(invocation: Invocation) { self.invocation = invocation }

  private mutating func check(_ path: String) {
    do throws(DownloadError) {
      if let part = FileCheck.partPath(of: path) { try checkPart(part) } else { try checkWhole(path) }
    } catch {
      status = Program.fail(error)
    }
  }

  private mutating func checkPart(_ path: String) throws(DownloadError) {
    let findings = try FileCheck.part(path, forgetting: invocation.repairs)
    let claimed = ByteCount.text(findings.claimed)
    guard !findings.wrong.isEmpty else {
      let rest = findings.unsummed > 0 ? ", \(ByteCount.text(findings.unsummed)) of them without a sum" : ""
      return say("ok", path, "\(claimed) are as they were saved\(rest)")
    }
    let places = findings.wrong.ranges.map { "\($0.lowerBound)–\($0.upperBound - 1)" }.joined(separator: ", ")
    say("bad", path, "\(ByteCount.text(findings.wrong.count)) of \(claimed) are not as they were saved: \(places)")
    status = 32
    if let request = invocation.request(of: findings.sidecar, in: Place.folderOf(path)) { broken.append(request) }
  }

  private mutating func checkWhole(_ path: String) throws(DownloadError) {
    guard let (sum, source) = wanted(path) else {
      throw .other("nothing to check it against: \(path)")
    }
    do throws(DownloadError) { try FileCheck.file(path, sum) } catch {
      guard case .checksumMismatch(_, let got) = error else { throw error }
      status = 32
      let remedy = invocation.repairs ? "; which bytes are wrong cannot be told: download it again" : ""
      return say("bad", path, "\(sum.algorithm.rawValue) is \(got), not \(sum.hex)\(source)\(remedy)")
    }
    say("ok", path, "\(sum.algorithm.rawValue)\(source)")
  }

  private func wanted(_ path: String) -> (sum: Checksum, source: String)? {
    if let sum = invocation.wish.checksum { return (sum, "") }
    return ChecksumFinder.find(beside: path).map { ($0.checksum, " as in \($0.source)") }
  }

  private func say(_ word: String, _ path: String, _ text: String) {
    guard word != "ok" || !invocation.output.isQuiet else { return }
    _ = Program.show("\(word)\(word == "ok" ? "   " : "  ")\(VisibleText.of(path)): \(text)\n")
  }
}
