import DownloadCore

/// A short field at the bottom for one value.
struct Prompt: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case limit([DownloadID])
    case limitOfAll
    case connections([DownloadID])
    case address(DownloadID)

    /// The downloads that it is about.
    var subjects: [DownloadID] {
      switch self {
      case .limit(let ids), .connections(let ids): ids
      case .address(let id): [id]
      case .limitOfAll: []
      }
    }

    func without(_ gone: Set<DownloadID>) -> Purpose {
      switch self {
      case .limit(let ids): .limit(ids.filter { !gone.contains($0) })
      case .connections(let ids): .connections(ids.filter { !gone.contains($0) })
      case .limitOfAll, .address: self
      }
    }
  }

  var purpose: Purpose
  var field = TextField()
  /// What holds now and what may be typed.
  let hint: String
  /// What is wrong with what was typed.
  var problem: String?

  init(_ purpose: Purpose, _ snapshot: Snapshot) {
    self.purpose = purpose
    hint = Self.hint(purpose, snapshot)
  }

  /// Before the name of what it is about.
  var label: String {
    switch purpose {
    case .limit: "Limit of "
    case .limitOfAll: ""
    case .connections: "Connections of "
    case .address: "New address of "
    }
  }

  /// Where there is no name.
  var shortLabel: String {
    switch purpose {
    case .limit: "Limit"
    case .limitOfAll: "Limit of all"
    case .connections: "Connections"
    case .address: "New address"
    }
  }

  private static func hint(_ purpose: Purpose, _ snapshot: Snapshot) -> String {
    switch purpose {
    case .limit(let ids): now(snapshot, ids) { $0.rateLimit.map(SizeText.rate) ?? "no limit of its own" } + rates
    case .limitOfAll: "now \(snapshot.rateLimit.map(SizeText.rate) ?? "no limit"); \(rates)"
    case .connections(let ids): now(snapshot, ids) { $0.connections.map(String.init) ?? "as set for all" } + counts
    case .address: "what is on the disk is kept; if another file is there you are asked first"
    }
  }

  private static let rates = "500K, 2.5M, 0 for none"
  private static let counts = "1 to 32, 0 for what is set for all"

  private static func now(_ snapshot: Snapshot, _ ids: [DownloadID], _ value: (Snapshot.Item) -> String) -> String {
    guard ids.count == 1, let item = snapshot.downloads.first(where: { $0.id == ids[0] }) else { return "" }
    return "now \(value(item)); "
  }

  var isForAddress: Bool {
    if case .address = purpose { true } else { false }
  }

  /// What the typed text asks for.
  enum Outcome: Equatable, Sendable {
    /// Nothing was typed.
    case nothing
    /// What is to be done, and what then holds, in words.
    case action(Action, String)
    case problem(String)
  }

  var outcome: Outcome {
    let text = field.text.filter { !$0.isWhitespace }
    guard !text.isEmpty else { return .nothing }
    switch purpose {
    case .address(let id): return .action(.readdress(id, text), "the new address is asked")
    case .limit(let ids):
      guard let rate = ByteCount.parse(text) else { return .problem("a rate is written 500K or 2.5M, 0 is no limit") }
      let words = rate == 0 ? "no limit of its own" : "at most \(SizeText.rate(rate))"
      return .action(.command(.limit(.these(ids), rate == 0 ? nil : rate)), words)
    case .limitOfAll:
      guard ByteCount.parse(text) != nil else { return .problem("a rate is written 500K or 2.5M, 0 is no limit") }
      return .action(.commandLine("limit-rate \(text)"), "")
    case .connections(let ids):
      guard let count = Int(text), (0...32).contains(count) else { return .problem("it must be a number from 0 to 32") }
      let words =
        count == 0
        ? "as many connections as set for all" : "at most \(count) \(count == 1 ? "connection" : "connections")"
      return .action(.command(.connections(.these(ids), count == 0 ? nil : count)), words)
    }
  }
}

extension Screen {
  mutating func prompting(_ key: Key, _ prompt: Prompt) -> [Action] {
    var prompt = prompt
    prompt.problem = nil
    switch key {
    case .escape: mode = .table
    case .enter:
      switch prompt.outcome {
      case .nothing: mode = .table
      case .action(let action, let words):
        mode = .table
        if !words.isEmpty { say(words) }
        return [action]
      case .problem(let text):
        prompt.problem = text
        mode = .prompting(prompt)
      }
    case .paste(let text):
      // What is around an address in pasted text is not meant.
      let address = prompt.isForAddress ? PastedText(text).offers.first?.download.address : nil
      _ = prompt.field.handle(.paste(address ?? text))
      mode = .prompting(prompt)
    default:  // editing keys; others mean nothing in a field
      _ = prompt.field.handle(key)
      mode = .prompting(prompt)
    }
    return []
  }

  /// Gives an address that cannot be used back to the field, and says why.
  package mutating func refuse(_ address: String, of id: DownloadID, in snapshot: Snapshot, because text: String) {
    var prompt = Prompt(.address(id), snapshot)
    (prompt.field, prompt.problem) = (TextField(address), text)
    message = nil
    mode = .prompting(prompt)
  }

  mutating func askForAddress(_ snapshot: Snapshot) {
    guard let id = selected(in: snapshot), let item = snapshot.downloads.first(where: { $0.id == id }) else { return }
    guard !item.isCompleted else { return complain("it is complete and needs no address any more") }
    mode = .prompting(Prompt(.address(id), snapshot))
  }
}
