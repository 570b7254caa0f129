import DownloadCore
import DownloadEngine
import Glibc

/// `dltui add`: hands requests to the process that holds the session, or puts them into its file when none does.
enum AddCommand {
  private static let patience: Duration = .seconds(3)

  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let foreign = OptionTable.all.first { invocation.given.contains($0.name) && !$0.concerns(.add) }
    if let foreign { throw UsageError("`dltui add` takes only what belongs to a download, not --\(foreign.name)") }
    let (requests, remarks) = try invocation.requests()
    guard !requests.isEmpty else { throw UsageError("no address given", hint: "dltui add [OPTIONS] URL…") }
    for remark in remarks where !invocation.output.isQuiet { Program.complain(remark) }
    if let problem = requests.lazy.compactMap({ FolderCheck.problem($0.folder) }).first { return Program.fail(problem) }
    return try handOver(requests, invocation)
  }

  /// Leaves the requests in the spool, and sees to it that somebody takes them.
  static func handOver(_ requests: [Request], _ invocation: Invocation) throws(UsageError) -> Int32 {
    guard requests.allSatisfy({ $0 == $0.withoutSecrets }) else {
      throw UsageError(
        "a password or secret header cannot be handed over: it would be written to a file",
        hint: "give it on the screen, or let `netrc` in the config file find it")
    }
    let stateFolder = try Place.stateFolder(invocation.stateFolder)
    do throws(DownloadError) {
      let outcome = try deliver(requests, stateFolder)
      if !invocation.output.isQuiet { Program.complain(outcome) }
      return 0
    } catch {
      return Program.fail(error)
    }
  }

  /// Returns what became of it, in words. Whoever holds the session may be about to end: then the next one takes what is there.
  private static func deliver(_ requests: [Request], _ stateFolder: String) throws(DownloadError) -> String {
    let count = requests.count == 1 ? "one download" : "\(requests.count) downloads"
    let path = try Spool.put(requests, stateFolder: stateFolder)
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline {
      if try Spool.addToWaiting(stateFolder: stateFolder) { return "\(count) in the queue for the next dltui" }
      if !Spool.isWaiting(path) { return "\(count) handed to the dltui that is running" }
      usleep(20_000)
    }
    return "\(count) left for the dltui that is running, which does not listen at the moment"
  }
}
