import DownloadCore

/// Where `list` gets its downloads from. To be filled from `SessionStore` and `SidecarStore`.
enum ListSource {
  /// What the session file in `stateFolder` knows, in queue order; nothing when there is no file.
  static func session(in stateFolder: String) throws(DownloadError) -> [Snapshot.Item] { [] }

  /// Every unfinished download that a sidecar in `folder` describes, by name.
  static func unfinished(in folder: String) throws(DownloadError) -> [Snapshot.Item] { [] }
}
