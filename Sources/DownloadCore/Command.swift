/// What anyone (a key, an option, a script) may ask of the session.
package enum Command: Sendable, Equatable {
  case add([Request])
  case pause(Selection)
  case resume(Selection)
  /// Starts now, above the jobs limit too.
  case start(Selection)
  /// Goes on, and if the file is another one now takes that, from its beginning; `keepOld` leaves the old bytes beside it for good.
  case restart(Selection, keepOld: Bool)
  /// Can be undone for a while; only then are bytes deleted.
  case remove(Selection, Leftover)
  /// Brings back what was removed last.
  case undo
  /// Positive is later in the queue, negative is earlier.
  case move(DownloadID, by: Int)
  /// Bytes per second over all downloads; nil is no limit.
  case limitRate(Int64?)
  /// Bytes per second for each of these; nil takes the setting.
  case limit(Selection, Int64?)
  /// Most connections for each of these, 1–32; nil takes the setting.
  case connections(Selection, Int?)
  /// Asks for the file at another address, now, and goes on with what is on the disk if that is the same file. `credentials` are
  /// `name:password`; those for the old address stay with it.
  case readdress(DownloadID, url: String, credentials: String?)
  /// What holds for all downloads from now on.
  case adopt(Settings)
  /// Stops all transfers and saves everything, so that the program can end.
  case quit

  package enum Selection: Sendable, Equatable {
    case all
    case these([DownloadID])
  }

  /// What happens to the bytes on disk when a download is removed from the list.
  package enum Leftover: Sendable, Equatable {
    case keep
    /// Deletes the part file and its sidecar; a finished file stays.
    case deletePart
    /// Deletes the finished file as well.
    case deleteFile
  }
}
