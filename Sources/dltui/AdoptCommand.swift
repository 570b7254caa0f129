import DownloadCore
import DownloadEngine

/// `dltui adopt`: takes over a partial file that another program has left, and goes on with it as `get` does.
enum AdoptCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    guard invocation.operands.count == 2 else {
      throw UsageError(
        "an address and a file are needed, got \(invocation.operands.count)", hint: "dltui adopt URL FILE")
    }
    if invocation.given.contains(where: { ["dir", "output"].contains($0) }) {
      throw UsageError("the file stays in its folder and keeps its name: neither --dir nor --output")
    }
    guard let request = try invocation.requests(for: invocation.operands[0]).requests.first else {
      throw UsageError("no address: \(invocation.operands[0])")
    }
    let findings: Adoption.Findings
    do throws(DownloadError) {
      findings = try Adoption.adopt(Place.absolute(invocation.operands[1]), for: request, invocation.settings)
    } catch {
      return Program.fail(error)
    }
    return try GetCommand.run(invocation, fetching: [findings.request], [words(findings)])
  }

  private static func words(_ findings: Adoption.Findings) -> String {
    let kept = "\(ByteCount.text(findings.kept.count)) of \(ByteCount.text(findings.total)) are taken over"
    guard !findings.wrong.isEmpty else { return kept }
    return kept + ", \(ByteCount.text(findings.wrong.count)) are not those of the server"
  }
}
