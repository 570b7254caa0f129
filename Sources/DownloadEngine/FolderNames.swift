import DownloadCore

/// What the names in a folder have in common, so that a thousand files of one name are not tried a thousand times each, and names that
/// differ only in case or in their Unicode form are told apart by a number: another file system would make one file of them.
/// Belongs to the disk worker's thread; the disk has the last word, this only remembers where to look.
struct FolderNames {
  private var listed: Set<String> = []
  /// The spellings of names that some file system would take for one. (`String` compares by canonical equivalence.)
  private var spellings: [String: [String]] = [:]
  private var nextNumber: [String: Int] = [:]
  /// Paths of part files, there or not, that sidecars or older bytes lie beside.
  private var accompanied: Set<String> = []

  /// Makes the folder if it is missing and learns what is in it; once, what comes later is looked up when it matters.
  mutating func look(into folder: String) throws(SystemFault) {
    guard !listed.contains(folder) else { return }
    try FileSystem.makeFolder(folder)
    listed.insert(folder)
    for name in FileSystem.names(in: folder) {
      add(folder, Self.finalName(name))
      if let part = Self.partName(beside: name) { accompanied.insert(folder + "/" + part) }
    }
  }

  /// Somebody may have removed it since. False when nothing was known about it.
  mutating func forget(_ folder: String) -> Bool { listed.remove(folder) != nil }

  /// That a sidecar has been written beside this part.
  mutating func described(_ part: PartFile) { accompanied.insert(part.path) }

  /// Whether sidecars or older bytes may lie beside a part of this path.
  func mayHaveCompany(_ partPath: String) -> Bool { accompanied.contains(partPath) }

  /// What a name in the folder makes of a part's: sidecars and older bytes.
  private static let companions = {
    let part = FileName.part(of: "")
    let sidecar = FileName.sidecar(ofPart: part)
    return [
      sidecar, FileName.previousSidecar(ofPart: part), FileSystem.unfinished(sidecar), FileName.old(ofPart: part),
    ]
  }()

  /// The part's name for that of a companion, else nil.
  private static func partName(beside name: String) -> String? {
    companions.first(where: name.hasSuffix).map { FileName.part(of: String(name.dropLast($0.count))) }
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
