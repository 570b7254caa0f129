import DownloadCore
import Glibc
import Synchronization

/// Takes over a partial file that another program has left, so that it is a part file with a sidecar of ours. Nothing is trusted unseen:
/// the end of every stretch that is claimed is fetched again and compared first, and what differs is not taken over.
package struct Adoption {
  /// What was found out.
  package struct Findings: Sendable {
    package var request: Request
    package var kept = ByteRangeSet()
    /// Claimed, and other bytes on the server.
    package var wrong = ByteRangeSet()
    package var total: Int64
  }

  private static let proof: Int64 = 64 << 10
  private static let mostStretches = 1000
  private static let largestControl = 64 << 20
  /// Names that browsers give to what is unfinished.
  private static let suffixes = [".part", ".crdownload", ".download", ".opdownload"]

  private let request: Request
  private let settings: Settings
  private let folder: String
  private let fileName: String
  private let fetch: CurlFetch

  /// The name that the file at `path` gets in the end.
  package static func name(ofFinished path: String) -> String {
    let name = FileSystem.split(path).name
    let suffix = suffixes.first { name.hasSuffix($0) && name != $0 } ?? ""
    return String(name.dropLast(suffix.count))
  }

  /// Makes the file at the absolute `path` a part of what `request` asks for, whose folder and name it gives. Blocks.
  package static func adopt(_ path: String, for request: Request, _ settings: Settings) throws(DownloadError)
    -> Findings
  {
    guard CurlFiles.isHTTP(request.url) else {
      throw .other("only what an http or https address has can be compared: \(request.url)")
    }
    guard let fetch = CurlFetch() else { throw .other("out of memory") }
    let (folder, name) = FileSystem.split(path)
    var request = request
    (request.folder, request.name) = (folder, Self.name(ofFinished: path))
    let adoption = Adoption(request: request, settings: settings, folder: folder, fileName: name, fetch: fetch)
    return try adoption.run()
  }

  private func run() throws(DownloadError) -> Findings {
    let partName = (request.name ?? fileName) + ".part"
    guard !FileSystem.isTaken(folder + "/" + FileName.sidecar(ofPart: partName)) else {
      throw .other("dltui knows it already, `dltui get` goes on with it: \(folder)/\(partName)")
    }
    let file = try PartFile.open(folder: folder, name: fileName)
    let size = try file.size()
    let control = try self.control()
    let resource = try ask(at: 0, known: nil).resource
    guard let total = resource.total, resource.sendsRanges, resource.coding == nil else {
      throw .other("the server sends no ranges of it, so that nothing can be compared: \(request.url)")
    }
    guard control?.total ?? total == total, size <= total else {
      throw .changed("it has \(total) bytes on the server, \(control?.total ?? size) were expected")
    }
    var claimed = control?.done ?? ByteRangeSet(0..<size)
    claimed.remove(size..<Int64.max)
    var findings = try compare(claimed, file, resource, total)
    if !resource.isComparable { findings.keepOnlyTheBeginning() }
    guard !findings.kept.isEmpty || claimed.isEmpty else {
      throw .changed("none of the \(ByteCount.text(claimed.count)) that were claimed can be used")
    }
    try takeOver(file, partName, resource, findings)
    return findings
  }

  private func control() throws(DownloadError) -> Aria2Control? {
    let path = folder + "/" + fileName + ".aria2"
    let bytes: [UInt8]
    do throws(SystemFault) { bytes = try FileSystem.read(path, limit: Self.largestControl) } catch {
      if error.number == ENOENT { return nil }
      throw .cannotOpen(path: path, why: error.text)
    }
    do throws(Aria2Control.Fault) { return try Aria2Control(bytes) } catch {
      throw .badSidecar(path: path, why: error.why)
    }
  }

  // MARK: Comparing

  private func compare(
    _ claimed: ByteRangeSet, _ file: PartFile, _ resource: Resource, _ total: Int64
  ) throws(DownloadError) -> Findings {
    var findings = Findings(request: request, total: total)
    for (number, stretch) in claimed.ranges.enumerated() {
      let end = max(stretch.lowerBound, stretch.upperBound - Self.proof)..<stretch.upperBound
      if number < Self.mostStretches, try isSame(end, file, resource) {
        findings.kept.insert(stretch)
      } else {
        findings.wrong.insert(stretch)
      }
    }
    return findings
  }

  private func isSame(_ range: ByteRange, _ file: PartFile, _ resource: Resource) throws(DownloadError) -> Bool {
    let length = Int(range.upperBound - range.lowerBound)
    let (seen, bytes, body) = try ask(at: range.lowerBound, to: range.upperBound, known: resource)
    guard seen.total == resource.total, body.lowerBound == range.lowerBound, bytes.count >= length else {
      throw .badAnswer("it is not what was asked for")
    }
    var differs = false
    let fault = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { file.compare($0, length, at: range.lowerBound, differs: &differs) }
    }
    if let fault { throw fault }
    return !differs
  }

  /// The judge's verdict decides what an answer is worth; the overlap is the whole of what is asked for.
  private func ask(
    at start: Int64, to end: Int64? = nil, known: Resource?
  ) throws(DownloadError) -> (resource: Resource, bytes: [UInt8], body: ByteRange) {
    let end = end ?? start + 1
    let asked = Asked(start..<end, ifRange: known?.validator.ifRange, overlap: known == nil ? 0 : end - start - 1)
    let answer = try fetch.answer(request, asked, settings)
    switch Resource.judge(answer.head, asked: asked, known: known) {
    case .goOn(let resource, let body): return (resource, answer.bytes, body)
    case .startOver(_, let why), .askAgain(let why): throw .changed(why)
    case .compare(let why), .askPlainly(let why): throw .badAnswer(why)
    case .empty(let resource): return (resource, [], 0..<0)
    case .end(let end): throw .changed("it ends at byte \(end)")
    case .refuse(let error): throw error
    }
  }

  // MARK: Taking over

  private func takeOver(
    _ file: PartFile, _ partName: String, _ resource: Resource, _ findings: Findings
  ) throws(DownloadError) {
    if fileName != partName {
      do throws(SystemFault) { try FileSystem.renameNew(file.path, folder + "/" + partName) } catch {
        throw error.number == EEXIST
          ? .fileExists(path: folder + "/" + partName) : .cannotWrite(path: file.path, why: error.text)
      }
    }
    file.unlock()
    let part = try PartFile.open(folder: folder, name: partName)
    var sidecar = Sidecar(request: request, name: request.name ?? fileName, resource: resource, done: findings.kept)
    (sidecar.isOverlapOnly, sidecar.clean) = (true, true)
    try SidecarStore.save(sidecar, part)
    unlink(folder + "/" + fileName + ".aria2")
  }
}

extension Resource {
  /// Whether stretches that do not touch can be tied to each other later on.
  fileprivate var isComparable: Bool { resumability == .resumable }
}

extension Adoption.Findings {
  fileprivate mutating func keepOnlyTheBeginning() {
    for range in kept.ranges where range.lowerBound > 0 { kept.remove(range) }
  }
}
