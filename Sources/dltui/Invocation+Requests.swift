import DownloadCore
import DownloadEngine
import TerminalUI

extension Invocation {
  /// Downloads, and remarks on what had to be left out.
  typealias Asked = (requests: [Request], remarks: [String])

  /// The downloads that were asked for. Those on the command line come first, then those of the Metalink files, then those of the lists.
  /// `-` among them is a list too, and read once.
  func requests() throws(UsageError) -> Asked {
    var gathering = Gathering()
    for word in operands where word != "-" { gathering.add(try requests(for: word)) }
    for path in metalinks { gathering.add(try MetalinkFile(path).requests(on: self)) }
    for path in inputFiles + (operands.contains("-") && !inputFiles.contains("-") ? ["-"] : []) {
      try gather(path, &gathering)
    }
    if gathering.asked != 1, wish.name != nil { throw onlyOne("--output", gathering.asked) }
    if gathering.asked != 1, wish.checksum != nil { throw onlyOne("--checksum", gathering.asked) }
    return (gathering.requests, gathering.remarks)
  }

  /// A list, or a Metalink in its place.
  private func gather(_ path: String, _ gathering: inout Gathering) throws(UsageError) {
    let file = try WholeFile(path, InputFile.noun, limit: InputFile.longest)
    if MetalinkFile.isOne(file.bytes) { return gathering.add(try MetalinkFile(file).requests(on: self)) }
    let list = try InputFile(file)
    gathering.remarks += list.remarks
    for entry in list.entries { gathering.add(try list.requests(of: entry, on: self)) }
  }

  /// Requests in order, each of them once.
  private struct Gathering {
    var requests: [Request] = []
    var remarks: [String] = []
    /// How many were asked for, doubles among them.
    var asked = 0
    private var known: Set<String> = []

    mutating func add(_ more: Asked) {
      remarks += more.remarks
      asked += more.requests.count
      for request in more.requests {
        if known.insert([request.url, request.folder, request.name ?? ""].joined(separator: "\n")).inserted {
          requests.append(request)
        } else {
          remarks.append("this address is given twice: \(request.url)")
        }
      }
    }
  }

  private func onlyOne(_ option: String, _ count: Int) -> UsageError {
    UsageError("\(option) needs exactly one address, got \(count)")
  }

  /// An entry of a list: one file at one or several addresses. It keeps as its own what differs from what holds for all.
  func requests(for addresses: [String], differingFrom common: Invocation) throws(UsageError) -> Asked {
    guard let first = addresses.first else { return ([], []) }
    var asked = try requests(for: first)
    let mirrors = try addresses.dropFirst().map { (word) throws(UsageError) in try Address(word).url }
    for index in asked.requests.indices {
      if !mirrors.isEmpty { asked.requests[index].mirrors = mirrors }
      if settings.connections != common.settings.connections {
        asked.requests[index].connections = settings.connections
      }
      if settings.rateLimitEach != common.settings.rateLimitEach {
        asked.requests[index].rateLimit = settings.rateLimitEach
      }
    }
    return asked
  }

  /// An address is one download; a folder stands for every unfinished one that a sidecar in it describes, a Metalink file for what it names.
  func requests(for word: String) throws(UsageError) -> Asked {
    if let folder = Place.folder(word) { return (unfinished(in: folder), []) }
    if MetalinkFile.isMeant(by: word) { return try MetalinkFile(word).requests(on: self) }
    return ([try request(try Address(word))], [])
  }

  /// What the sidecars in a folder describe.
  func unfinished(in folder: String) -> [Request] {
    SidecarStore.scan(folder).compactMap { _, sidecar in
      guard case .success(let sidecar) = sidecar else { return nil }
      return request(of: sidecar, in: folder)
    }
  }

  /// What a sidecar describes. Whoever wrote it, a file of this machine is only read when its address was typed.
  func request(of sidecar: Sidecar, in folder: String) -> Request? {
    let isLocal = { (address: String) in address.lowercased().hasPrefix("file:") }
    guard !isLocal(sidecar.request.url) else { return nil }
    var request = sidecar.request
    (request.folder, request.name, request.credentials) = (folder, sidecar.name, wish.credentials)
    request.mirrors?.removeAll(where: isLocal)
    return request
  }

  /// What was asked for on the screen: an address with options of its own.
  func requests(for download: NewDownload) throws(UsageError) -> Asked {
    var own = self
    for wanted in download.options {
      guard let option = OptionTable.all.first(where: { $0.name == wanted.name }) else { continue }
      try option.apply(option.name == "dir" ? Place.expanded(wanted.value) : wanted.value, to: &own)
    }
    if let problem = FolderCheck.problem(own.folder) { throw UsageError(problem.message) }
    return try own.requests(for: [Place.expanded(download.address)], differingFrom: self)
  }

  /// Absolute path of the folder that files go to.
  var folder: String { Place.absolute(wish.folder ?? ".") }

  /// The download of what is at this address.
  func request(_ address: Address) throws(UsageError) -> Request {
    let target = try TargetName(wish.name, folder: folder)
    var request = Request(url: address.url, folder: target.folder)
    request.name = target.name
    request.checksum = wish.checksum
    request.findsChecksum = wish.findsChecksum ? true : nil
    request.headers = wish.headers
    request.userAgent = wish.userAgent
    request.referer = wish.referer
    request.credentials = address.credentials ?? wish.credentials
    return request
  }
}

/// Where a file goes: the folder, and the name if the user chose one with `--output`.
struct TargetName: Equatable {
  let folder: String
  let name: String?

  /// A name may lead deeper into the folder, never out of it; an absolute one stands for itself.
  init(_ typed: String?, folder: String) throws(UsageError) {
    guard let typed else {
      (self.folder, name) = (folder, nil)
      return
    }
    var steps = typed.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    guard !typed.hasSuffix("/"), let last = steps.popLast(), last != "..", last != "-" else {
      throw UsageError("--output must be a file name: \(typed)")
    }
    guard last.utf8.count <= FileName.longest else {
      throw UsageError("--output is longer than \(FileName.longest) bytes: \(last)")
    }
    let isAbsolute = typed.hasPrefix("/")
    guard isAbsolute || !steps.contains("..") else {
      throw UsageError("--output must not lead out of the folder: \(typed)", hint: "--dir chooses the folder")
    }
    name = String(last)
    let path = steps.joined(separator: "/")
    self.folder = isAbsolute ? "/" + path : path.isEmpty ? folder : folder + "/" + path
  }
}
