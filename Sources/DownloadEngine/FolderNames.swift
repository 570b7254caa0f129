import DownloadCore

/// What the names in a folder have in common, so that a thousand files of one name are not tried a thousand times each, and names that
/// differ only in case or in their Unicode form are told apart by a number: another file system would make one file of them.
/// Belongs to the disk worker's thread; the disk has the last word, this only remembers where to look.
struct FolderNames {
  private var listed: Set<String> = []
  /// The spellings of names that some file system would take for one. (`String` compares by canonical equivalence.)
  private var spellings: [String: [String]] = [:]
  private var nextNumber: [String: Int] = [:]

  /// Learns what is in the folder; once, what comes later is looked up when it matters.
  mutating func look(into folder: String) {
    guard listed.insert(folder).inserted else { return }
    for name in FileSystem.names(in: folder) { add(folder, Self.finalName(name)) }
  }

  private static func finalName(_ name: String) -> String {
    let suffix = FileName.part(of: "")
    return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
  }

  private mutating func add(_ folder: String, _ name: String) {
    let key = Self.key(folder, name)
    if spellings[key]?.contains(where: { Self.isSame($0, name) }) != true { spellings[key, default: []].append(name) }
  }

  private static func key(_ folder: String, _ name: String) -> String { folder + "/" + name.lowercased() }

  private static func isSame(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }

  /// Whether a file, or a download on its way, has this name in another spelling.
  func hasTwin(_ folder: String, _ name: String) -> Bool {
    (spellings[Self.key(folder, name)] ?? []).contains { twin in
      !Self.isSame(twin, name)
        && [twin, FileName.part(of: twin)].contains { FileSystem.isTaken(folder + "/" + $0) }
    }
  }

  /// The number to try after `number`: what was found taken a moment ago is passed over.
  func next(after number: Int, _ folder: String, _ name: String) -> Int {
    max(number + 1, nextNumber[Self.key(folder, name)] ?? 0)
  }

  mutating func took(_ number: Int, of name: String, in folder: String) {
    add(folder, FileName.numbered(name, number))
    let key = Self.key(folder, name)
    nextNumber[key] = max(nextNumber[key] ?? 0, number + 1)
  }
}
