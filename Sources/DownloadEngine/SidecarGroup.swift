import DownloadCore

/// Sidecars that are to be saved at the same time share what is dear: one sync for the bytes of their parts, one for what is written about
/// them, and one of each folder. Two hundred slow downloads save theirs with as many calls as one needs. Belongs to the disk worker's first
/// thread.
struct SidecarGroup {
  typealias Answer = @Sendable (DownloadError?) -> Void

  private struct Job {
    let part: PartFile
    let sidecar: Sidecar
    let answer: Answer
  }

  /// From here on one sync of everything costs less than one for each.
  private static let crowd = 4
  private var waiting: [Job] = []

  /// Whether it is the first one that waits.
  mutating func add(_ sidecar: Sidecar, _ part: PartFile, _ answer: @escaping Answer) -> Bool {
    if waiting.contains(where: { $0.part === part }) { save() }
    waiting.append(Job(part: part, sidecar: sidecar, answer: answer))
    return waiting.count == 1
  }

  /// Saves those that are waiting.
  mutating func save() {
    guard !waiting.isEmpty else { return }
    let lasting = waiting.filter { SidecarStore.mustLast($0.sidecar, $0.part) }
    for job in waiting where !SidecarStore.mustLast(job.sidecar, job.part) { Self.saveAlone(job) }
    waiting = []
    guard lasting.count >= Self.crowd, Self.sync(lasting) else { return lasting.forEach(Self.saveAlone) }
    let staged = lasting.filter(Self.stage)
    guard Self.sync(staged) else { return staged.forEach(Self.saveAlone) }
    Self.put(staged)
  }

  private static func saveAlone(_ job: Job) {
    do throws(DownloadError) {
      try SidecarStore.save(job.sidecar, job.part)
      job.answer(nil)
    } catch {
      job.answer(error)
    }
  }

  /// False when the job is answered: there was nothing to do, or that went wrong and was tried once more.
  private static func stage(_ job: Job) -> Bool {
    do throws(DownloadError) {
      if try SidecarStore.stage(job.sidecar, job.part) { return true }
      job.answer(nil)
    } catch {
      saveAlone(job)
    }
    return false
  }

  private static func put(_ jobs: [Job]) {
    var faults: [String: DownloadError?] = [:]
    let results = jobs.map { job in Result { () throws(DownloadError) in try SidecarStore.put(job.part) } }
    for folder in Set(jobs.map(\.part.folder)) { faults[folder] = .some(PartFile.syncFolder(folder)) }
    for (job, result) in zip(jobs, results) {
      switch result {
      case .success: job.answer(faults[job.part.folder] ?? nil)
      case .failure(let error): job.answer(error)
      }
    }
  }

  private static func sync(_ jobs: [Job]) -> Bool { PartFile.syncFileSystems(of: jobs.lazy.map(\.part)) }
}
