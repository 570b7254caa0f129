import DownloadCore
import Synchronization

/// How the loop does what the session says. What takes long is the disk worker's.
extension EventLoop {
  func perform(_ effects: [Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    port.log?.note(effect)
    switch effect {
    case .startTransfer(let id, let plan):
      multi.expected = session.connectionCount
      multi.start(id, plan, session.settings)
    case .accept(let id, let wanted): if let file = parts[wanted.part] { multi.accept(id, wanted, file) }
    case .cut(let id, let end): multi.cut(id, to: end)
    case .stop(let id): multi.stop(id)
    case .findPart(let id, let wanted): find(id, wanted)
    case .createPart(let id, let wanted): create(id, wanted)
    case .replacePart(let id, let total): replace(id, total: total)
    case .save(let id, let sidecar): save(id, sidecar)
    case .finish(let id, let wanted): finish(id, wanted)
    case .closePart(let id): close(id)
    case .discardPart(let id, let restoringOld): discard(id, restoringOld: restoringOld)
    case .deletePart(let folder, let partName): delete(folder: folder, partName: partName)
    case .deleteFile(let folder, let name, let size): deleteFile(folder + "/" + name, size)
    case .limit(let id, let rate): multi.limit(id, rate)
    case .notify(let notice):
      notices.append(notice)
      hook?.note(notice)
    case .saveSession: isSessionSaved = false
    }
  }

  private func find(_ id: PartID, _ wanted: FindPart) {
    worker.post { [port, worker] desk in
      do throws(DownloadError) {
        switch try desk.finder.find(wanted, isCancelled: { worker.isCancelled }) {
        case .nothing(let warning): port.post(.event(.found(id, .success(.nothing(warning: warning)))))
        case .leftover(let file, let sidecar, let done):
          desk.parts[id] = file
          let found = FoundPart.leftover(partName: file.name, sidecar, done: done)
          port.post(.opened(id, file, .found(id, .success(found))))
        }
      } catch {
        port.post(.event(.found(id, .failure(error))))
      }
    }
  }

  private func create(_ id: PartID, _ wanted: CreatePart) {
    worker.post { [port] desk in
      do throws(DownloadError) {
        switch try PartFile.create(wanted, &desk.names) {
        case .skipped(let name): port.post(.event(.created(id, .success(.skipped(name: name)))))
        case .open(let new):
          desk.parts[id] = new.part
          let created = CreatedPart.open(partName: new.part.name, name: new.name)
          port.post(.opened(id, new.part, .created(id, .success(created))))
        }
      } catch {
        port.post(.event(.created(id, .failure(error))))
      }
    }
  }

  private func replace(_ id: PartID, total: Int64?) {
    parts[id] = nil
    let preallocate = session.settings.preallocate
    worker.post { [port] desk in
      guard let old = desk.parts[id] else { return }
      do throws(DownloadError) {
        let fresh = try old.replaced(total: total, preallocate: preallocate)
        desk.parts[id] = fresh
        port.post(.opened(id, fresh, .replaced(id, .success(fresh.name))))
      } catch {
        port.post(.event(.replaced(id, .failure(error))))
      }
    }
  }

  private func save(_ id: PartID, _ sidecar: Sidecar) {
    worker.save(id, sidecar) { [port] error in port.post(.event(.saved(id, error))) }
  }

  private func finish(_ id: PartID, _ wanted: FinishPart) {
    guard let request = wanted.sumsFor else { return finish(id, wanted, remark: nil) }
    // Servers may take their time to say that there is no such list.
    let isStarted = NativeThread.start("dltui-sums") { [port, settings = session.settings] in
      let found = Result { () throws(DownloadError) in try ChecksumFinder.find(beside: request, settings) }
      port.post(.sums(id, wanted, found))
    }
    if !isStarted { finish(id, wanted, remark: "no checksum was looked for: cannot start a thread") }
  }

  func finish(
    _ id: PartID, _ wanted: FinishPart, _ found: Result<ChecksumFinder.Finding?, DownloadError>
  ) {
    switch found {
    case .success(let finding?):
      var wanted = wanted
      wanted.checksum = finding.checksum
      finish(id, wanted, remark: "checked against \(finding.source)")
    case .success(nil): finish(id, wanted, remark: "no checksum found beside it on the server")
    case .failure(let error): finish(id, wanted, remark: "no checksum: \(error.message)")
    }
  }

  private func finish(_ id: PartID, _ wanted: FinishPart, remark: String?) {
    // A long verification may be cut off, and then what was saved last is what the next start goes by.
    let part = wanted.isRead ? nil : parts[id]
    part?.isEnding.store(true, ordering: .relaxed)
    worker.finish(id, wanted) { [port] result in
      part?.isEnding.store(false, ordering: .relaxed)
      port.post(.event(.finished(id, result.map { $0.with(remark) })))
    }
  }

  private func close(_ id: PartID) {
    parts[id] = nil
    worker.post { desk in desk.parts.removeValue(forKey: id)?.unlock() }
  }

  private func discard(_ id: PartID, restoringOld: Bool) {
    parts[id] = nil
    worker.post { [port] desk in
      guard let file = desk.parts.removeValue(forKey: id) else { return }
      do throws(DownloadError) { try file.discard(restoringOld: restoringOld) } catch { port.warn(error.message) }
      file.unlock()
    }
  }

  private func delete(folder: String, partName: String) {
    worker.post { [port] _ in
      guard FileSystem.isTaken(folder + "/" + partName) else { return }
      do throws(DownloadError) { try PartFile.open(folder: folder, name: partName).discard(restoringOld: false) } catch
      {
        port.warn(error.message)
      }
    }
  }

  /// Only what was downloaded: another file that has taken the name since stays.
  private func deleteFile(_ path: String, _ size: Int64?) {
    worker.post { [port] _ in
      guard FileSystem.isTaken(path) else { return }
      guard let now = FileSystem.size(ofFile: path), now == size ?? now else {
        return port.warn("not deleted, it is another file now: \(path)")
      }
      do throws(SystemFault) { try FileSystem.remove(path) } catch {
        port.warn("cannot delete \(path): \(error.text)")
      }
    }
  }
}

extension FinishedFile {
  fileprivate func with(_ remark: String?) -> FinishedFile {
    var copy = self
    copy.remark = remark
    return copy
  }
}
