import Foundation
import Glibc

/// Debian's nginx on a free loopback port, with a root folder, logs and everything else in a temporary folder of its own.
package final class NginxServer: Sendable {
  package let port: UInt16
  private let folder: TemporaryFolder
  private let program: Program
  private let options: Options

  /// What the server may be told.
  package struct Options: Sendable {
    /// Bytes per second for each connection.
    package var rate: Int?
    /// Connections from one address; more get a 503.
    package var connections: Int?
    /// HTTPS with this certificate; nil is HTTP.
    package var certificate: Certificate?
    /// Offer HTTP/2 over HTTPS as well.
    package var offersHTTP2 = false
    /// More directives for the `server` block.
    package var directives = ""
    package init() {}
  }

  /// Serves what is and will be in the root folder; returns when it accepts connections.
  package init(_ options: Options = Options()) async throws {
    self.options = options
    folder = try TemporaryFolder()
    port = try freePort()
    try FileManager.default.createDirectory(atPath: folder["root"], withIntermediateDirectories: false)
    try folder.write(configuration(folder.path, port, options).utf8, to: "nginx.conf")
    program = try Program("/usr/sbin/nginx", ["-p", folder.path, "-e", "error.log", "-c", folder["nginx.conf"]])
    try await eventually("nginx accepts") {
      guard program.isRunning else { throw ToolFailed(description: "nginx: \(program.errors)") }
      return accepts(port)
    }
  }

  deinit { program.send(SIGKILL) }

  /// `http://127.0.0.1:PORT/path`, or `https`.
  package func url(_ path: String) -> String {
    "http\(options.certificate == nil ? "" : "s")://127.0.0.1:\(port)\(path)"
  }

  /// Absolute path of the folder that is served.
  package var root: String { folder["root"] }

  package func write(_ bytes: [UInt8], to name: String) throws { try folder.write(bytes, to: "root/\(name)") }

  /// One line of the access log.
  package struct Entry: Sendable {
    /// The connection that it came on; later connections have greater numbers.
    package let connection: Int
    /// `GET /file HTTP/1.1`.
    package let request: String
    package let status: Int
    /// `-` without one.
    package let range: String
    package let bodyBytesSent: Int64
  }

  /// The finished requests so far, oldest first.
  package var log: [Entry] {
    (folder.text(of: "access.log") ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 5, let connection = Int(fields[0]), let status = Int(fields[2]),
        let count = Int64(fields[4])
      else { return nil }
      return Entry(
        connection: connection, request: fields[1], status: status, range: fields[3], bodyBytesSent: count)
    }
  }
}

private func configuration(_ folder: String, _ port: UInt16, _ options: NginxServer.Options) -> String {
  let rate = options.rate.map { "limit_rate \($0);" } ?? ""
  let connections = options.connections.map { "limit_conn address \($0);" } ?? ""
  let tls = options.certificate.map { "ssl_certificate \($0.file); ssl_certificate_key \($0.keyFile);" } ?? ""
  return """
    daemon off;
    master_process off;
    pid \(folder)/nginx.pid;
    error_log \(folder)/error.log;
    events { worker_connections 1024; }
    http {
      log_format fields '$connection\\t$request\\t$status\\t$http_range\\t$body_bytes_sent';
      access_log \(folder)/access.log fields;
      client_body_temp_path \(folder)/client;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      limit_conn_zone $binary_remote_addr zone=address:1m;
      limit_conn_log_level info;
      server {
        listen 127.0.0.1:\(port)\(tls.isEmpty ? "" : " ssl")\(options.offersHTTP2 ? " http2" : "");
        \(tls)
        root \(folder)/root;
        \(rate)
        \(connections)
        \(options.directives)
      }
    }
    """
}
