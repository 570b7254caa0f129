import Glibc
import Synchronization

/// An FTP server inside the test process (RFC 959, RFC 3659) that holds one file under every name.
package final class ScriptedFTP: Sendable {
  /// How it serves, and what it does not do.
  package struct Manners: Sendable {
    package var body: [UInt8]
    /// The answer to MDTM; nil has no such command, as with SIZE and REST.
    package var modified: String? = "20240101000000"
    package var tellsSize = true
    package var restarts = true
    package var extendedPassive = false
    /// What PASV says where to connect to.
    package var passiveHost = "127,0,0,1"
    /// Breaks the data connection after so many bytes of each answer, with a 426.
    package var breaksAfter: Int?
    /// Sends so many bytes and then nothing until the client has gone.
    package var holdsAfter: Int?
    /// `name:password`.
    package var credentials: String?
    /// Instead of the greeting, or instead of sending the file.
    package var greeting = "220 ready"
    package var refusal: String?

    package init(_ body: [UInt8]) { self.body = body }

    package func with(_ change: (inout Manners) -> Void) -> Manners {
      var copy = self
      change(&copy)
      return copy
    }
  }

  private let server: RawServer
  private let state: FTPState

  package init(_ manners: Manners) throws {
    let state = FTPState(manners)
    self.state = state
    server = try RawServer { FTPConversation(state, $0).run() }
  }

  package func serve(_ manners: Manners) { state.manners.withLock { $0 = manners } }
  package var port: UInt16 { server.port }
  package var connectionsAccepted: Int { server.connectionsAccepted }
  package func url(_ user: String = "") -> String { "ftp://\(user)127.0.0.1:\(port)/file.bin" }

  /// Every command so far, `VERB argument`.
  package var commands: [String] { state.commands.withLock { $0 } }
  package func clearCommands() { state.commands.withLock { $0 = [] } }
}

private final class FTPState: Sendable {
  let manners: Mutex<ScriptedFTP.Manners>
  let commands = Mutex<[String]>([])
  init(_ manners: ScriptedFTP.Manners) { self.manners = Mutex(manners) }
}

/// One client's control connection, and the data connections that it asks for.
private final class FTPConversation {
  private let state: FTPState
  private let connection: Connection
  private var listener: Int32?
  private var offset = 0
  private var user = ""

  init(_ state: FTPState, _ connection: Connection) { (self.state, self.connection) = (state, connection) }

  deinit { closeListener() }

  private var manners: ScriptedFTP.Manners { state.manners.withLock { $0 } }

  func run() {
    say(manners.greeting)
    var rest: [UInt8] = []
    while let line = connection.readLine(&rest) {
      let command = String(line.dropLast())
      state.commands.withLock { $0.append(command) }
      let words = command.split(separator: " ", maxSplits: 1).map(String.init)
      answer(words.first?.uppercased() ?? "", words.dropFirst().first ?? "")
    }
  }

  private func say(_ reply: String) { connection.send(reply + "\r\n") }

  private func answer(_ verb: String, _ argument: String) {
    switch verb {
    case "USER":
      user = argument
      say("331 who can say that")
    case "PASS": say([nil, user + ":" + argument].contains(manners.credentials) ? "230 welcome" : "530 no")
    case "PWD": say("257 \"/\" is here")
    case "TYPE", "CWD": say("250 so be it")
    case "EPSV": passive(extended: true)
    case "PASV": passive(extended: false)
    case "SIZE": say(manners.tellsSize ? "213 \(manners.body.count)" : "502 no")
    case "MDTM": say(manners.modified.map { "213 \($0)" } ?? "502 no")
    case "REST":
      if manners.restarts { offset = Int(argument) ?? 0 }
      say(manners.restarts ? "350 from there" : "502 no")
    case "RETR": retrieve()
    case "QUIT": say("221 bye")
    default: say("502 no")
    }
  }

  private func passive(extended: Bool) {
    guard extended == manners.extendedPassive, let (socket, port) = try? openListener() else {
      return say("502 no")
    }
    closeListener()
    listener = socket
    say(
      extended
        ? "229 there (|||\(port)|)" : "227 there (\(manners.passiveHost),\(port >> 8),\(port & 0xFF))")
  }

  private func closeListener() {
    if let listener { close(listener) }
    listener = nil
  }

  private func retrieve() {
    if let refusal = manners.refusal { return say(refusal) }
    say("150 here it comes")
    var ready = pollfd(fd: listener ?? -1, events: Int16(POLLIN), revents: 0)
    guard let listener, poll(&ready, 1, 10_000) > 0 else { return say("425 nobody came") }
    let data = accept(listener, nil, nil)
    send(to: data)
    offset = 0
  }

  private func send(to data: Int32) {
    let manners = manners
    let bytes = manners.body.dropFirst(offset)
    let isWhole = sendAll(bytes.prefix(manners.holdsAfter ?? manners.breaksAfter ?? .max), to: data)
    if manners.holdsAfter != nil { connection.hold() }
    close(data)
    say(isWhole && bytes.count <= manners.breaksAfter ?? .max ? "226 that was it" : "426 it broke")
  }
}
