import DownloadCore
import DownloadEngine
import TerminalUI

extension Invocation {
  /// The downloads that were asked for, and remarks on what had to be left out.
  func requests() throws(UsageError) -> (requests: [Request], remarks: [String]) {
    var (words, remarks) = try addresses()
    if words.count != 1, wish.name != nil { throw onlyOne("--output", words.count) }
    if words.count != 1, wish.checksum != nil { throw onlyOne("--checksum", words.count) }
    var requests: [Request] = []
    var known: Set<String> = []
    for word in words {
      for request in try self.requests(for: word) {
        if known.insert(request.url + "\n" + (request.name ?? "")).inserted {
          requests.append(request)
        } else {
          remarks.append("this address is given twice: \(request.url)")
        }
      }
    }
    return (requests, remarks)
  }

  /// Those on the command line first, then those of the lists. `-` among them is a list too, and read once.
  private func addresses() throws(UsageError) -> (words: [String], remarks: [String]) {
    var words = operands.filter { $0 != "-" }
    var remarks: [String] = []
    var lists = inputFiles
    if operands.contains("-"), !lists.contains("-") { lists.append("-") }
    for path in lists {
      let list = try InputFile(path: path)
      words += list.addresses
      remarks += list.remarks
    }
    return (words, remarks)
  }

  private func onlyOne(_ option: String, _ count: Int) -> UsageError {
    UsageError("\(option) needs exactly one address, got \(count)")
  }

  /// An address is one download; a folder stands for every unfinished one that a sidecar in it describes. Whoever wrote those, a file of
  /// this machine is only read when its address was typed.
  func requests(for word: String) throws(UsageError) -> [Request] {
    guard let folder = Place.folder(word) else { return [try request(try Address(word))] }
    return SidecarStore.scan(folder).compactMap { _, sidecar in
      guard case .success(let sidecar) = sidecar, !sidecar.request.url.hasPrefix("file:") else { return nil }
      var request = sidecar.request
      (request.folder, request.name, request.credentials) = (folder, sidecar.name, wish.credentials)
      return request
    }
  }

  /// What was asked for on the screen: an address with options of its own.
  func requests(for download: NewDownload) throws(UsageError) -> [Request] {
    var own = self
    for wanted in download.options {
      guard let option = OptionTable.all.first(where: { $0.name == wanted.name }) else { continue }
      try option.apply(option.name == "dir" ? Place.expanded(wanted.value) : wanted.value, to: &own)
    }
    if let problem = FolderCheck.problem(own.folder) { throw UsageError(problem.message) }
    return try own.requests(for: download.address)
  }

  /// Absolute path of the folder that files go to.
  var folder: String { Place.absolute(wish.folder ?? ".") }

  private func request(_ address: Address) throws(UsageError) -> Request {
    let target = try TargetName(wish.name, folder: folder)
    var request = Request(url: address.url, folder: target.folder)
    request.name = target.name
    request.checksum = wish.checksum
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
