import DownloadCore
import DownloadEngine
import Glibc
import TerminalUI

/// What a person types on the screen: addresses, and lines after `:`, which are the options of the command line that can change.
extension Interactive {
  static let vocabulary =
    [
      CommandWord("add", "URL…", "adds addresses"),
      CommandWord("scan", "FOLDER", "adds what is unfinished in a folder"),
      CommandWord("quit", nil, "saves everything and leaves"),
    ]
    + OptionTable.all.filter(\.isLive).map { option in
      CommandWord(
        option.name, option.placeholder, option.help ?? "", choices: option.choices, isSecret: option.isSecret)
    }

  mutating func add(_ downloads: [NewDownload]) {
    var requests: [Request] = []
    var refused: [(download: NewDownload, why: String)] = []
    for download in downloads {
      do throws(UsageError) {
        let asked = try invocation.requests(for: download)
        requests += asked.requests
        if let remark = asked.remarks.first { screen.say(remark) }
      } catch {
        refused.append((download, error.message))
      }
    }
    if !requests.isEmpty { engine.post(.add(requests)) }
    if let first = refused.first { screen.refuse(refused.map(\.download), because: first.why) }
  }

  /// What `dltui add` has put into the spool.
  mutating func takeSpool() {
    guard case .running = phase, let delivery = spool?.take() else { return }
    if !delivery.requests.isEmpty {
      engine.post(.add(delivery.requests))
      let count = delivery.requests.count
      screen.say(count == 1 ? "added from outside: \(delivery.requests[0].url)" : "\(count) added from outside")
    }
    if let problem = delivery.problems.first { screen.complain(problem) }
    paint = .now
  }

  mutating func readdress(_ id: DownloadID, _ text: String) {
    do throws(UsageError) {
      let address = try Address(text)
      engine.post(.readdress(id, url: address.url, credentials: address.credentials))
    } catch {
      screen.refuse(text, of: id, in: snapshot, because: error.message)
    }
  }

  /// A line typed after `:`.
  mutating func obey(_ line: String) {
    let (name, value) = Self.takenApart(line)
    switch name {
    case "add": add(value.split(whereSeparator: \.isWhitespace).map { NewDownload(String($0)) })
    case "scan": scan(value.isEmpty ? "." : Place.expanded(value))
    case "quit": quit()
    default: change(name, value)  // an option, or nothing that is known
    }
  }

  /// `jobs 3`, `jobs=3` and `--jobs 3` are the same.
  private static func takenApart(_ line: String) -> (name: String, value: String) {
    let words = line.drop(while: \.isWhitespace)
    let name = words.prefix { !$0.isWhitespace && $0 != "=" }
    var value = words.dropFirst(name.count).drop { $0.isWhitespace || $0 == "=" }
    while value.last?.isWhitespace == true { value.removeLast() }
    return (name.hasPrefix("--") ? String(name.dropFirst(2)) : String(name), String(value))
  }

  private mutating func scan(_ folder: String) {
    guard let path = Place.folder(folder) else { return screen.complain("no folder: \(folder)") }
    let found = invocation.unfinished(in: path)
    found.isEmpty ? screen.say("nothing unfinished there") : engine.post(.add(found))
  }

  private mutating func change(_ name: String, _ value: String) {
    let live = OptionTable.all.filter(\.isLive)
    guard let option = live.first(where: { $0.name == name || $0.letter.map(String.init) == name }) else {
      let near = nearest(to: name, among: Self.vocabulary.map(\.name))
      return screen.complain("no such command: \(name)" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
    guard (option.placeholder == nil) == value.isEmpty else {
      let form = ":\(option.name)" + (option.placeholder.map { " " + $0 } ?? "")
      return screen.complain((value.isEmpty ? "a value is missing: " : "it takes no value: ") + form)
    }
    do throws(UsageError) {
      try adopt(option, option.takesPath ? Place.expanded(value) : value)
    } catch {
      screen.complain(error.message)
    }
  }

  private mutating func adopt(_ option: Option, _ value: String) throws(UsageError) {
    var changed = invocation
    try option.apply(value, to: &changed)
    if option.name == "dir", let problem = FolderCheck.problem(Place.absolute(value)) {
      throw UsageError(problem.message)
    }
    invocation = changed
    if option.name == "theme" { screen.appearance.theme = Self.theme(changed.output.theme) }
    terminal.notify(by: changed.output.notification)
    screen.quitQuestion = changed.output.quitQuestion
    screen.folder = changed.folder
    engine.post(.adopt(changed.screenSettings))
    screen.say(
      option.isSecret
        ? "\(option.name) is set" : value.isEmpty ? "\(option.name) is on" : "\(option.name) is \(value) now")
  }
}

extension Option {
  /// Whether its value must not be shown.
  var isSecret: Bool { ["user", "header", "proxy"].contains(name) }
}
