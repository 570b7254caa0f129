import DownloadCore

// What a Metalink file names that was itself downloaded.

extension Invocation {
  /// The downloads that the complete file at `path` stands for, nil where it is not to be followed. A server chose them: no secret goes along,
  /// all stay in the file's folder, and a Metalink among them is not followed in turn, so that there is an end.
  func followed(_ path: String) throws(UsageError) -> Asked? {
    guard followsMetalinks, MetalinkFile.isNamedLikeOne(path) else { return nil }
    var own = self
    own.wish = Wish()
    own.wish.folder = Place.folderOf(path)
    (own.wish.userAgent, own.wish.findsChecksum) = (wish.userAgent, wish.findsChecksum)
    let (all, remarks) = try MetalinkFile(path).requests(on: own)
    let requests = all.filter { !MetalinkFile.isNamedLikeOne($0.name ?? "") }
    guard requests.count < all.count else { return (requests, remarks) }
    return (requests, remarks + ["\(path): a Metalink in a Metalink is not followed"])
  }
}
