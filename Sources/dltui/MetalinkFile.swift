import DownloadCore
import DownloadEngine
import Glibc

/// A Metalink file of this machine (`.meta4`, `.metalink`), and the downloads that it stands for.
struct MetalinkFile {
  /// What it is called in complaints.
  let name: String
  let metalink: Metalink

  private static let noun = "the Metalink file"
  private static let endings = [".meta4", ".metalink"]

  /// Reads the file at `path`; `-` is standard input.
  init(_ path: String) throws(UsageError) {
    try self.init(try WholeFile(path, Self.noun, limit: Expat.longest))
  }

  init(_ file: WholeFile) throws(UsageError) {
    name = file.name
    do throws(Metalink.Fault) { metalink = try Expat.metalink(file.bytes) } catch {
      throw UsageError(
        "\(file.name), line \(error.line): \(error.why)",
        hint: "a Metalink file is XML whose first element is <metalink>")
    }
  }

  // MARK: What is one

  /// Whether a word on the command line is the path of such a file: by its ending, or by what the file begins with.
  static func isMeant(by word: String) -> Bool {
    guard !word.utf8.drop(while: { $0 != UInt8(ascii: ":") }).starts(with: "://".utf8) else { return false }
    var status = stat()
    guard stat(word, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return isNamedLikeOne(word) && isPath(word)
    }
    return isNamedLikeOne(word) || isOne(head(of: word))
  }

  /// Whether a list is one: no address begins with `<`.
  static func isOne(_ bytes: some Collection<UInt8>) -> Bool {
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.dropFirst(0)
    return body.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "<")
  }

  static func isNamedLikeOne(_ word: String) -> Bool { endings.contains(where: word.lowercased().hasSuffix) }

  /// Whether a word without a scheme is no address: what stands before its first `/` is no host.
  private static func isPath(_ word: String) -> Bool {
    let first = word.prefix { $0 != "/" }
    return first.count == word.count || ["", ".", ".."].contains(first) || !first.contains(".")
  }

  /// Its first bytes.
  private static func head(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(descriptor, &bytes, bytes.count)
    let text = bytes.prefix(max(0, count))
    return text.firstRange(of: "<metalink".utf8) == nil ? [] : Array(text)
  }

  // MARK: Its downloads

  /// The download of one of its files; nil where no address of it can be asked.
  func request(for file: Metalink.File, on common: Invocation) throws(UsageError) -> Request? {
    let addresses = Self.addresses(of: file).usable
    return try addresses.first.map { (first) throws(UsageError) in
      try Self.request(for: file, at: first, addresses.dropFirst().map(\.url), common)
    }
  }

  func requests(on common: Invocation) throws(UsageError) -> Invocation.Asked {
    var remarks = metalink.remarks
    var requests: [Request] = []
    for file in metalink.files {
      let (addresses, remark) = Self.addresses(of: file)
      if let remark { remarks.append("\(file.name): \(remark)") }
      if let first = addresses.first {
        requests.append(try Self.request(for: file, at: first, addresses.dropFirst().map(\.url), common))
      }
    }
    guard !requests.isEmpty else {
      throw UsageError("nothing in it can be fetched: \(name)", hint: remarks.first ?? "it names no file")
    }
    return (requests, remarks.map { "\(name): \($0)" })
  }

  /// What the command line says beats what the file says.
  private static func request(
    for file: Metalink.File, at first: Address, _ mirrors: [String], _ common: Invocation
  ) throws(UsageError) -> Request {
    var own = common
    own.wish.name = common.wish.name ?? file.name
    own.wish.checksum = common.wish.checksum ?? file.checksum
    own.wish.findsChecksum = common.wish.findsChecksum && own.wish.checksum == nil
    var request = try own.request(first)
    request.mirrors = mirrors.isEmpty ? nil : mirrors
    (request.size, request.pieces) = (file.size, file.pieces)
    return request
  }

  /// Those that can be asked for. Whoever wrote the file, it leads to no file of this machine.
  private static func addresses(of file: Metalink.File) -> (usable: [Address], remark: String?) {
    var usable: [Address] = []
    var refused: [String] = []
    for text in file.addresses {
      do throws(UsageError) {
        guard text.contains("://"), !text.lowercased().hasPrefix("file:") else {
          throw UsageError("no address of a server: \(text)")
        }
        let address = try Address(text)
        if !usable.contains(where: { $0.url == address.url }) { usable.append(address) }
      } catch {
        refused.append(error.message)
      }
    }
    guard let first = refused.first else { return (usable, nil) }
    return (usable, "\(refused.count) of \(file.addresses.count) addresses left out, \(first)")
  }
}
