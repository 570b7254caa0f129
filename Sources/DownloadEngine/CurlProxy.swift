import CCurl
import DownloadCore
import Glibc

/// Which way a request takes: through a proxy or past it.
enum CurlProxy {
  static func apply(_ network: Settings.Network, for url: String, to handle: UnsafeMutableRawPointer) {
    if let proxy = network.proxy { ccurl_set_string(handle, CURLOPT_PROXY, proxy) }
    if let list = network.noProxy ?? environment {
      ccurl_set_string(handle, CURLOPT_NOPROXY, exceptions(list, for: url))
    }
    if let authorities = network.authorities { ccurl_set_string(handle, CURLOPT_PROXY_CAINFO, authorities) }
    guard network.insecure else { return }
    ccurl_set_long(handle, CURLOPT_PROXY_SSL_VERIFYPEER, 0)
    ccurl_set_long(handle, CURLOPT_PROXY_SSL_VERIFYHOST, 0)
  }

  private static var environment: String? {
    (getenv("no_proxy") ?? getenv("NO_PROXY")).map { String(cString: $0) }
  }

  /// libcurl knows hosts, suffixes and networks, but no ports: an entry with one counts where the address has it.
  static func exceptions(_ list: String, for url: String) -> String {
    let port = (try? CurlURL(url))?.port
    let entries = list.split { $0 == "," || $0 == " " }.compactMap { entry -> Substring? in
      guard let colon = entry.lastIndex(of: ":"), isHost(entry[..<colon]) else { return entry }
      return entry[entry.index(after: colon)...] == port ?? "" ? entry[..<colon] : nil
    }
    return entries.joined(separator: ",")
  }

  /// Not the first half of an IPv6 address.
  private static func isHost(_ text: Substring) -> Bool { !text.contains(":") || text.last == "]" }
}
