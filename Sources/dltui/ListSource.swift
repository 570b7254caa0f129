import DownloadCore
import DownloadEngine
import Glibc

/// Where `list` gets its downloads from: the session file, or the sidecars in a folder.
enum ListSource {
  /// What the session file in `stateFolder` knows, in queue order; nothing when there is no file.
  static func session(in stateFolder: String) throws(DownloadError) -> [Snapshot.Item] {
    let saved = try SessionStore.read(folder: stateFolder)?.downloads ?? []
    return saved.enumerated().map { item($1, number: $0 + 1) }
  }

  /// Every unfinished download that a sidecar in `folder` describes, by name.
  static func unfinished(in folder: String) throws(DownloadError) -> [Snapshot.Item] {
    guard let stream = opendir(folder) else { throw .cannotOpen(path: folder, why: systemWords(errno)) }
    closedir(stream)
    return SidecarStore.scan(folder).map { item($0.partName, $0.sidecar, folder) }
  }

  private static func item(_ saved: SavedDownload, number: Int) -> Snapshot.Item {
    let (id, request) = (DownloadID(number), saved.request)
    var item = Snapshot.Item(id: id, state: saved.state, name: saved.name, folder: request.folder, url: request.url)
    item.total = saved.total
    item.completed = saved.completed
    item.resumability = saved.resource?.resumability ?? .unknown
    return item
  }

  /// A sidecar that cannot be read is listed too: its part file may hold good bytes. It has no number: no session knows it.
  private static func item(
    _ partName: String, _ sidecar: Result<Sidecar, DownloadError>, _ folder: String
  ) -> Snapshot.Item {
    switch sidecar {
    case .failure(let error):
      return Snapshot.Item(id: DownloadID(0), state: .failed(error), name: partName, folder: folder, url: "")
    case .success(let sidecar):
      var item = Snapshot.Item(
        id: DownloadID(0), state: .paused(because: nil), name: sidecar.name, folder: folder, url: sidecar.request.url)
      item.total = sidecar.resource.total
      item.completed = sidecar.doneRanges.count
      item.resumability = sidecar.resource.resumability
      return item
    }
  }
}
