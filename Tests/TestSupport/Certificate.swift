/// A self-signed certificate with its key, made by openssl: its own authority, so that it can also be given as `--cacert`.
package final class Certificate: Sendable {
  private let folder: TemporaryFolder

  /// `name` is a subjectAltName such as `IP:127.0.0.1` or `DNS:example.org`; negative `days` make one that has expired.
  package init(for name: String = "IP:127.0.0.1", days: Int = 30) async throws {
    folder = try TemporaryFolder()
    let request = [
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=dltui test",
      "-addext", "subjectAltName=\(name)", "-keyout", keyFile, "-out", folder["request.pem"],
    ]
    let signature = [
      "x509", "-req", "-in", folder["request.pem"], "-signkey", keyFile, "-copy_extensions", "copyall",
      "-days", "\(days)", "-out", file,
    ]
    for words in [request, signature] {
      let outcome = try await Program.run("/usr/bin/openssl", words)
      guard outcome.status == 0 else { throw ToolFailed(description: "openssl: \(outcome.errors)") }
    }
  }

  package var file: String { folder["certificate.pem"] }
  package var keyFile: String { folder["key.pem"] }
}
