import Foundation
import Glibc

/// Debian's vsftpd on a free loopback port, for anybody, with a root folder in a temporary one.
package final class VsftpdServer: Sendable {
  package let port: UInt16
  private let folder: TemporaryFolder
  private let program: Program

  package init() async throws {
    folder = try TemporaryFolder()
    port = try freePort()
    try FileManager.default.createDirectory(atPath: folder["root"], withIntermediateDirectories: false)
    let settings = [
      "listen=YES", "listen_address=127.0.0.1", "listen_port=\(port)", "background=NO", "anonymous_enable=YES",
      "anon_root=\(folder["root"])", "allow_writeable_chroot=YES", "run_as_launching_user=YES", "seccomp_sandbox=NO",
      "xferlog_enable=NO", "pasv_address=127.0.0.1",
    ]
    try folder.write(settings.map { $0 + "\n" }.joined().utf8, to: "vsftpd.conf")
    program = try Program("/usr/sbin/vsftpd", [folder["vsftpd.conf"]])
    try await waitForServer(program, port)
  }

  deinit { program.send(SIGKILL) }

  package func url(_ name: String) -> String { "ftp://127.0.0.1:\(port)/\(name)" }
  package func write(_ bytes: [UInt8], to name: String) throws { try folder.write(bytes, to: "root/\(name)") }
}

/// Debian's OpenSSH on a free loopback port, for the user who runs the tests, with a key pair and a home of its own.
package final class SSHServer: Sendable {
  package let port: UInt16
  private let folder: TemporaryFolder
  private let program: Program

  package init() async throws {
    folder = try TemporaryFolder()
    port = try freePort()
    try FileManager.default.createDirectory(atPath: folder["home/.ssh"], withIntermediateDirectories: true)
    // The program insists on this folder where it may make it (sshd(8), FILES).
    if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
    for (kind, file) in [("ed25519", "host"), ("rsa", "home/.ssh/id_rsa")] {
      let words = ["-q", "-t", kind, "-m", "PEM", "-N", "", "-f", folder[file]]
      let outcome = try await Program.run("/usr/bin/ssh-keygen", words)
      guard outcome.status == 0 else { throw ToolFailed(description: "ssh-keygen: \(outcome.errors)") }
    }
    let settings = [
      "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(folder["host"])", "PidFile none", "UsePAM no",
      "AuthorizedKeysFile \(folder["home/.ssh/id_rsa.pub"])", "StrictModes no", "PasswordAuthentication no",
      // libssh2 1.10 knows no newer signature.
      "PubkeyAcceptedAlgorithms +ssh-rsa", "Subsystem sftp internal-sftp",
    ]
    try folder.write(settings.map { $0 + "\n" }.joined().utf8, to: "sshd.conf")
    program = try Program("/usr/sbin/sshd", ["-D", "-e", "-f", folder["sshd.conf"]])
    try await waitForServer(program, port)
  }

  deinit { program.send(SIGKILL) }

  package func url(_ name: String) -> String { "sftp://\(NSUserName())@127.0.0.1:\(port)\(folder[name])" }
  package func write(_ bytes: [UInt8], to name: String) throws { try folder.write(bytes, to: name) }

  /// The home of a user who has the key, and knows `hostKey` (a public key's line) for the server's, or nothing.
  package func home(knowing hostKey: String?) throws -> String {
    try folder.write((hostKey.map { "[127.0.0.1]:\(port) \($0)" } ?? "").utf8, to: "home/.ssh/known_hosts")
    return folder["home"]
  }

  package var hostKey: String { folder.text(of: "host.pub") ?? "" }
  /// Of the same kind, and another one's.
  package func otherHostKey() async throws -> String {
    _ = try await Program.run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", folder["other"]])
    return folder.text(of: "other.pub") ?? ""
  }
}

private func waitForServer(_ program: Program, _ port: UInt16) async throws {
  try await eventually("the server accepts") {
    guard program.isRunning else { throw ToolFailed(description: program.output + program.errors) }
    return accepts(port)
  }
}
