import DownloadCore
import Foundation
import Glibc
import TestSupport

/// A folder, an origin, and the program between them: phase 1 leaves a part of 300,000 bytes, phase 2 is told to go on with it.
struct Scene {
  /// What phase 1 leaves on the disk.
  static let kept: Int64 = 300_000

  let folder: TemporaryFolder
  let origin: ScriptedOrigin
  /// The target folder, inside the temporary one so that whatever is written beside it is seen.
  let target: String
  /// Said on every start; retries come at once.
  var options = ["--retry-wait", "0.01", "--retry-max-wait", "0.05", "--retries", "3"]

  /// How phase 1 ends.
  enum Stop: CaseIterable {
    /// SIGTERM: the sidecar says that everything is in order.
    case clean
    /// SIGKILL, after the first sidecar.
    case killed
  }

  init(_ file: ServedFile = ServedFile.v1) throws {
    folder = try TemporaryFolder()
    origin = try ScriptedOrigin(file)
    target = folder["files"]
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
  }

  // MARK: The program

  func start(_ arguments: String..., path: String = "/file.bin") throws -> Program {
    try Program.dltui(["get", "--no-progress", "-d", target] + options + arguments + [origin.url(path)])
  }

  func get(_ arguments: String..., path: String = "/file.bin") async throws -> Program.Outcome {
    let program = try Program.dltui(["get", "--no-progress", "-d", target] + options + arguments + [origin.url(path)])
    return try await program.end()
  }

  /// Phase 1: `file` comes up to `kept` bytes of each answer, then the program is stopped.
  func leavePart(of file: ServedFile = ServedFile.v1, _ stop: Stop = .clean, path: String = "/file.bin")
    async throws
  {
    origin.serve(file.with { $0.ending = .held(after: Self.kept, Gate()) })
    let program = try start(path: path)
    try await eventually("the first bytes are on the disk") { size(of: "file.bin.part") == Self.kept }
    switch stop {
    case .clean: program.send(SIGTERM)
    case .killed:
      try await eventually("a sidecar") { (sidecar()?.doneRanges.count ?? 0) >= Self.kept }
      program.send(SIGKILL)
    }
    _ = try await program.end()
    origin.clearRequests()
  }

  // MARK: What is on the disk

  func path(_ name: String) -> String { target + "/" + name }

  func bytes(of name: String = "file.bin") -> [UInt8]? { folder.bytes(of: "files/" + name) }

  func write(_ bytes: some Sequence<UInt8>, to name: String) throws { try folder.write(bytes, to: "files/" + name) }

  /// Sorted, hidden names too.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: target)) ?? []).sorted() }

  func size(of name: String) -> Int64? {
    var status = stat()
    return lstat(path(name), &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Nil without one, or when it makes no sense.
  func sidecar(of name: String = "file.bin") -> Sidecar? {
    guard let bytes = bytes(of: name + ".part.json"),
      let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(bytes))
    else { return nil }
    return sidecar.fault == nil ? sidecar : nil
  }

  /// Changes the sidecar's JSON as text.
  func editSidecar(of name: String = "file.bin", _ change: (String) -> String) throws {
    let text = String(decoding: bytes(of: name + ".part.json") ?? [], as: UTF8.self)
    try write(change(text).utf8, to: name + ".part.json")
  }

  /// Changes one byte in place.
  func flipByte(at offset: Int64, of name: String = "file.bin.part") throws {
    let file = try FileHandle(forUpdating: URL(filePath: path(name)))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(offset))
    let byte = try file.read(upToCount: 1)?.first ?? 0
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([~byte]))
  }

  /// The first bytes asked for, in the order of the requests; -1 stands for a request without a range.
  var starts: [Int64] { origin.requests.map { $0.range?.first ?? -1 } }
}
