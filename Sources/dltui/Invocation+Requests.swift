import DownloadCore
import DownloadEngine
import TerminalUI

extension Invocation {
  /// The downloads that were asked for, and remarks on what had to be left out. Those on the command line come first, then those of the
  /// lists. `-` among them is a list too, and read once.
  func requests() throws(UsageError) -> (requests: [Request], remarks: [String]) {
    let typed = operands.filter { $0 != "-" }
    var lists: [InputFile] = []
    for path in inputFiles + (operands.contains("-") && !inputFiles.contains("-") ? ["-"] : []) {
      lists.append(try InputFile(path: path))
    }
    let count = lists.reduce(typed.count) { $0 + $1.entries.count }
    if count != 1, wish.name != nil { throw onlyOne("--output", count) }
    if count != 1, wish.checksum != nil { throw onlyOne("--checksum", count) }
    var gathering = Gathering(remarks: lists.flatMap(\.remarks))
    for word in typed { gathering.add(try self.requests(for: word)) }
    for list in lists {
      for entry in list.entries { gathering.add(try list.requests(of: entry, on: self)) }
    }
    return (gathering.requests, gathering.remarks)
  }

  /// Requests in order, each of them once.
  private struct Gathering {
    var requests: [Request] = []
    var remarks: [String]
    private var known: Set<String> = []

    init(remarks: [String]) { self.remarks = remarks }

    mutating func add(_ more: [Request]) {
      for request in more {
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
  func requests(for addresses: [String], differingFrom common: Invocation) throws(UsageError) -> [Request] {
    guard let first = addresses.first else { return [] }
    var requests = try requests(for: first)
    let mirrors = try addresses.dropFirst().map { (word) throws(UsageError) in try Address(word).url }
    for index in requests.indices {
      if !mirrors.isEmpty { requests[index].mirrors = mirrors }
      if settings.connections != common.settings.connections { requests[index].connections = settings.connections }
      if settings.rateLimitEach != common.settings.rateLimitEach {
        requests[index].rateLimit = settings.rateLimitEach
      }
    }
    return requests
  }

  /// An address is one download; a folder stands for every unfinished one that a sidecar in it describes.
  func requests(for word: String) throws(UsageError) -> [Request] {
    guard let folder = Place.folder(word) else { return [try request(try Address(word))] }
    return SidecarStore.scan(folder).compactMap { _, sidecar in
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
  func requests(for download: NewDownload) throws(UsageError) -> [Request] {
    var own = self
    for wanted in download.options {
      guard let option = OptionTable.all.first(where: { $0.name == wanted.name }) else { continue }
      try option.apply(option.name == "dir" ? Place.expanded(wanted.value) : wanted.value, to: &own)
    }
    if let problem = FolderCheck.problem(own.folder) { throw UsageError(problem.message) }
    return try own.requests(for: [download.address], differingFrom: self)
  }

  /// Absolute path of the folder that files go to.
  var folder: String { Place.absolute(wish.folder ?? ".") }

  private func request(_ address: Address) throws(UsageError) -> Request {
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
