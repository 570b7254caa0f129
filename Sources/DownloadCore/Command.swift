/// What anyone (a key, an option, a script) may ask of the session.
package enum Command: Sendable, Equatable {
  case add([Request])
  case pause(Selection)
  case resume(Selection)
  /// Starts now, above the jobs limit too.
  case start(Selection)
  /// Goes on, and if the file is another one now takes that, from its beginning; `keepOld` leaves the old bytes beside it for good.
  case restart(Selection, keepOld: Bool)
  case remove(Selection, Leftover)
  /// Positive is later in the queue, negative is earlier.
  case move(DownloadID, by: Int)
  /// Bytes per second over all downloads; nil is no limit.
  case limitRate(Int64?)
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
  }
}
