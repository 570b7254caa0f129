import DownloadCore
import Glibc

/// Gives complete part files their names. Those that are complete at the same time share what is dear: one sync of the file system serves the
/// bytes of them all, and the names of those whose bytes the one before has served, so that a thousand small files are as durable as a
/// large one at little more than its price. Belongs to the disk worker's first thread; the second one syncs, a round at a time, and what
/// comes meanwhile makes up the next round.
struct Finisher {
  typealias Answer = @Sendable (Result<FinishedFile, DownloadError>) -> Void

  private var waiting: [(PartID, FinishPart, Answer)] = []
  /// Those whose bytes are on the disk, and whose names will be after the next round.
  private var named: [Job] = []
  private var isSyncing = false

  fileprivate struct Job {
    let id: PartID
    let part: PartFile
    let wanted: FinishPart
    let answer: Answer
    /// Why it cannot be finished, as soon as that is known.
    var fault: DownloadError?
    var name = ""

    func end() {
      answer(fault.map { .failure($0) } ?? .success(FinishedFile(name: name, verification: wanted.otherwise)))
    }
  }

  /// Whether it is the first one that waits.
  mutating func add(_ id: PartID, _ wanted: FinishPart, _ answer: @escaping Answer) -> Bool {
    waiting.append((id, wanted, answer))
    return waiting.count == 1
  }

  /// Finishes what is waiting and still open, unless a round is under way, after which this is called again. What has to be read again comes
  /// last: nobody waits for a long verification.
  mutating func run(_ parts: [PartID: PartFile], _ worker: DiskWorker) {
    guard !isSyncing else { return }
    let jobs = waiting.compactMap { id, wanted, answer in
      parts[id].map { Job(id: id, part: $0, wanted: wanted, answer: answer) }
    }
    waiting = []
    begin(jobs.filter { !$0.wanted.isRead }, worker)
    for job in jobs where job.wanted.isRead {
      job.answer(Result { () throws(DownloadError) in try job.part.finish(job.wanted) { worker.isCancelled } })
    }
  }

  private mutating func begin(_ jobs: [Job], _ worker: DiskWorker) {
    var round = Round(written: jobs, named: named)
    guard !round.isEmpty else { return }
    named = []
    isSyncing = true
    round.written.each { job throws(DownloadError) in try job.part.checkWhole(job.wanted) }
    worker.sync { [round] in
      let synced = round.synced()
      worker.post { desk in desk.finisher.end(synced, desk.parts, worker) }
      worker.wake()
    }
  }

  /// A part that was given up meanwhile stays as it is, and so does a sidecar that tells of a file with a name: the next start understands both.
  private mutating func end(_ round: Round, _ parts: [PartID: PartFile], _ worker: DiskWorker) {
    isSyncing = false
    var (written, named) = (round.written.filter { parts[$0.id] === $0.part }, round.named)
    written.each { job throws(DownloadError) in job.name = try job.part.moveIntoPlace(job.wanted) }
    self.named = written.filter { $0.fault == nil }
    named.each { job throws(DownloadError) in
      guard parts[job.id] === job.part else { return }
      try job.part.leaveNothing(keepsOld: job.wanted.keepsOld)
      job.part.setModified(job.wanted.modified)
    }
    for job in written where job.fault != nil { job.end() }
    for job in named { job.end() }
    run(parts, worker)
  }
}

/// What one round syncs: the bytes of some files, and the new names of others.
private struct Round {
  var written: [Finisher.Job]
  var named: [Finisher.Job]

  /// From here on one sync of everything costs less than one for each.
  private static let crowd = 4

  var isEmpty: Bool { written.isEmpty && named.isEmpty }

  func synced() -> Round {
    var copy = self
    // Where it cannot be told whether that worked each file is synced for itself, and says what is wrong with it.
    let good = written.lazy.filter { $0.fault == nil }.map(\.part)
    if written.count < Self.crowd || !PartFile.syncFileSystems(of: good) {
      copy.written.each { job throws(DownloadError) in try job.part.sync() }
    }
    copy.syncFolders()
    return copy
  }

  private mutating func syncFolders() {
    var faults: [String: DownloadError?] = [:]
    named.each { job throws(DownloadError) in
      let folder = job.part.folder
      let fault = faults[folder] ?? PartFile.syncFolder(folder)
      faults[folder] = .some(fault)
      if let fault { throw fault }
    }
  }
}

extension [Finisher.Job] {
  /// Takes a step with all that nothing is wrong with.
  fileprivate mutating func each(_ step: (inout Finisher.Job) throws(DownloadError) -> Void) {
    for index in indices where self[index].fault == nil {
      do throws(DownloadError) { try step(&self[index]) } catch { self[index].fault = error }
    }
  }
}
