import DownloadCore
import Glibc

/// Gives complete part files their names. Those that are complete at the same time share what is dear: one sync of the file system and one of
/// each folder serve them all, so that a thousand small files are as durable as a large one at little more than its price. Belongs to the disk
/// worker's thread.
struct Finisher {
  typealias Answer = @Sendable (Result<FinishedFile, DownloadError>) -> Void

  private struct Job {
    let part: PartFile
    let wanted: FinishPart
    let answer: Answer
    /// Why it cannot be finished, as soon as that is known.
    var fault: DownloadError?
    var name = ""
  }

  /// From here on one sync of everything costs less than one for each.
  private static let crowd = 4
  private var waiting: [(PartID, FinishPart, Answer)] = []

  mutating func add(_ id: PartID, _ wanted: FinishPart, _ answer: @escaping Answer) {
    waiting.append((id, wanted, answer))
  }

  /// Finishes what is waiting and still open. What has to be read again comes last: nobody waits for a long verification.
  mutating func run(_ parts: [PartID: PartFile], isCancelled: () -> Bool) {
    let jobs = waiting.compactMap { id, wanted, answer in
      parts[id].map { Job(part: $0, wanted: wanted, answer: answer) }
    }
    waiting = []
    finishTogether(jobs.filter { !$0.wanted.isRead })
    for job in jobs where job.wanted.isRead {
      job.answer(Result { () throws(DownloadError) in try job.part.finish(job.wanted, isCancelled) })
    }
  }

  private func finishTogether(_ group: [Job]) {
    var jobs = group
    each(&jobs) { job throws(DownloadError) in try job.part.checkWhole(job.wanted) }
    let isSynced = jobs.count >= Self.crowd && syncFileSystems(jobs)
    each(&jobs) { job throws(DownloadError) in
      if !isSynced { try job.part.sync() }
      job.name = try job.part.moveIntoPlace(job.wanted)
    }
    syncFolders(&jobs)
    each(&jobs) { job throws(DownloadError) in
      try job.part.leaveNothing(keepsOld: job.wanted.keepsOld)
      job.part.setModified(job.wanted.modified)
    }
    for job in jobs {
      job.answer(
        job.fault.map { .failure($0) } ?? .success(FinishedFile(name: job.name, verification: job.wanted.otherwise)))
    }
  }

  private func each(_ jobs: inout [Job], _ step: (inout Job) throws(DownloadError) -> Void) {
    for index in jobs.indices where jobs[index].fault == nil {
      do throws(DownloadError) { try step(&jobs[index]) } catch { jobs[index].fault = error }
    }
  }

  /// False where that cannot be told to have worked: then each file is synced for itself, and says what is wrong with it.
  private func syncFileSystems(_ jobs: [Job]) -> Bool {
    var synced: Set<UInt64> = []
    for job in jobs where job.fault == nil {
      guard let device = job.part.device else { return false }
      if synced.insert(device).inserted, !job.part.syncFileSystem() { return false }
    }
    return true
  }

  private func syncFolders(_ jobs: inout [Job]) {
    var faults: [String: DownloadError?] = [:]
    each(&jobs) { job throws(DownloadError) in
      let folder = job.part.folder
      let fault = faults[folder] ?? PartFile.syncFolder(folder)
      faults[folder] = .some(fault)
      if let fault { throw fault }
    }
  }
}
