import Foundation
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Where a new file goes on the disk: never onto something that is there, nor where another file system would see the same name.
@Suite struct NameOnDiskTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func wanted(_ name: String, ifExists: Settings.IfExists = .rename) -> CreatePart {
    CreatePart(folder: folder.path, name: name, total: nil, preallocate: false, ifExists: ifExists)
  }

  /// The final names that are chosen for downloads that come at the same time.
  private func chosen(_ names: [String]) throws -> [String] {
    var known = FolderNames()
    var parts: [PartFile] = []
    return try names.map { name in
      guard case .open(let new) = try PartFile.create(wanted(name), &known) else { return "skipped" }
      parts.append(new.part)
      return new.name
    }
  }

  @Test func aFileThatIsThereIsNotTouched() throws {
    try folder.write("mine".utf8, to: "a.tar.gz")
    #expect(try chosen(["a.tar.gz", "a.tar.gz"]) == ["a (1).tar.gz", "a (2).tar.gz"])
    #expect(folder.text(of: "a.tar.gz") == "mine")
  }

  @Test(arguments: [
    ("file.bin", "FILE.bin"), ("File.Bin", "file.bin"), ("caf\u{E9}.txt", "cafe\u{301}.txt"),
    ("cafe\u{301}.txt", "CAF\u{C9}.txt"), ("ÄÖÜ", "äöü"),
  ]) func namesThatAnotherFileSystemWouldMergeAreNumbered(_ first: String, _ second: String) throws {
    let together = try chosen([first, second])
    #expect(together.count == 2 && Array(together[0].utf8) == Array(first.utf8) && together[1].contains(" (1)"))
    let later = try TemporaryFolder()
    try later.write("mine".utf8, to: first)
    var known = FolderNames()
    var request = wanted(second)
    request.folder = later.path
    guard case .open(let new) = try PartFile.create(request, &known) else { return #expect(Bool(false)) }
    #expect(new.name.contains(" (1)"), "\(new.name)")
    #expect(later.text(of: first) == "mine")
  }

  @Test func aNameThatBecameFreeIsUsedAgain() throws {
    var known = FolderNames()
    for name in ["a.bin", "A.bin"] {
      guard case .open(let new) = try PartFile.create(wanted(name), &known) else { return #expect(Bool(false)) }
      #expect(Array(new.name.utf8) == Array(name.utf8))
      try new.part.discard(restoringOld: false)
    }
  }

  @Test func aFolderThatIsRemovedMeanwhileIsMadeAgain() throws {
    var known = FolderNames()
    var request = wanted("a.bin")
    request.folder = folder["new"]
    for name in ["a.bin", "b.bin"] {
      request.name = name
      guard case .open(let new) = try PartFile.create(request, &known) else { return #expect(Bool(false)) }
      #expect(try new.part.isInPlace())
      try FileManager.default.removeItem(atPath: request.folder)
    }
  }

  /// The one that was there at first, and the one that a part had that somebody has removed since.
  @Test func aSidecarWithoutAPartDescribesNoNewPart() throws {
    var known = FolderNames()
    for _ in 1...2 {
      try folder.write("{}".utf8, to: "a.bin.part.json")
      guard case .open(let new) = try PartFile.create(wanted("a.bin"), &known) else { return #expect(Bool(false)) }
      #expect(folder.names == ["a.bin.part"])
      known.described(new.part)
      try FileManager.default.removeItem(atPath: new.part.path)
    }
  }

  @Test(arguments: Settings.IfExists.allCases) func onlyRenamingCaresForOtherSpellings(_ policy: Settings.IfExists)
    throws
  {
    try folder.write("mine".utf8, to: "A.bin")
    var known = FolderNames()
    guard case .open(let new) = try PartFile.create(wanted("a.bin", ifExists: policy), &known) else {
      return #expect(Bool(false))
    }
    #expect(new.name == (policy == .rename ? "a (1).bin" : "a.bin"))
  }

  /// System calls are what takes the time: each name is asked for a few times, however many there are.
  @Test func aThousandFilesOfOneNameAreNotTriedAThousandTimesEach() throws {
    var known = FolderNames()
    for number in 0..<2000 {
      guard case .open(let new) = try PartFile.create(wanted("same.bin"), &known) else { return #expect(Bool(false)) }
      #expect(new.name == FileName.numbered("same.bin", number))
      #expect(known.next(after: 0, folder.path, "same.bin") == number + 1)
      try new.part.discard(restoringOld: false)
      try folder.write([], to: new.name)
    }
  }
}
