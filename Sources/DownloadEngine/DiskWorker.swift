import DownloadCore
import Synchronization

/// The threads for everything on the disk that can take long. One looks, creates, verifies and renames; its jobs run one after the other, so
/// whatever was asked first about a file is also done first. The other does nothing but wait until the disk has what was written, so that
/// new files need not wait for those that are complete.
final class DiskWorker: Sendable {
  private let desk: JobThread<Desk>
  private let syncs: JobThread<Void>
  private let cancelled = Atomic(false)

  /// What only the first thread touches. Whether a part is open is decided here, where requests are taken in order: a part that is
  /// asked for and given up again in one breath is still closed before anyone looks for it the next time.
  struct Desk {
    var finder = PartFinder()
    var names = FolderNames()
    var parts: [PartID: PartFile] = [:]
    var finisher = Finisher()
    var sidecars = SidecarGroup()
  }

  init() throws(DownloadError) {
    desk = try JobThread("dltui-disk") { Desk() }
    syncs = try JobThread("dltui-sync") {}
  }

  /// The job is run after the next `wake`.
  func post(_ job: @escaping JobThread<Desk>.Job) {
    desk.post { desk in
      desk.sidecars.save()
      job(&desk)
    }
  }

  func wake() { desk.wake() }

  /// Has a sidecar saved, together with others that are to be saved at the same time and before anything that was asked for later.
  func save(_ id: PartID, _ sidecar: Sidecar, _ answer: @escaping SidecarGroup.Answer) {
    desk.post { [self] desk in
      guard let part = desk.parts[id] else { return }
      desk.names.described(part)
      if desk.sidecars.add(sidecar, part, answer) { post { _ in } }
    }
  }

  /// For what only waits until something is on the disk.
  func sync(_ job: @escaping @Sendable () -> Void) {
    syncs.post { _ in job() }
    syncs.wake()
  }

  /// Has a complete part finished, together with others that are.
  func finish(_ id: PartID, _ wanted: FinishPart, _ answer: @escaping Finisher.Answer) {
    post { [self] desk in
      guard desk.finisher.add(id, wanted, answer) else { return }
      // What was asked for at the same time joins in.
      post { [self] desk in desk.finisher.run(desk.parts, self) }
    }
  }

  /// Lets long verifications end early: the program wants to stop, and the next start verifies again.
  func cancelVerifications() { cancelled.store(true, ordering: .relaxed) }
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Runs what is queued, then ends the threads.
  func close() {
    desk.close()
    syncs.close()
  }
}
