import CLinux
import Glibc

/// Whether the machine has a network at all (getifaddrs(3)).
enum NetworkInterfaces {
  /// Loopback hosts are always there; all others need an interface that is up and has an address.
  static func canReach(_ host: String) -> Bool { isLoopback(host) || hasNetwork }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasPrefix("localhost:") || host.hasPrefix("127.") || host.hasPrefix("[::1]")
  }

  private static var hasNetwork: Bool {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return true }
    defer { freeifaddrs(list) }
    return sequence(first: list) { $0?.pointee.ifa_next }.prefix { $0 != nil }.contains { carries($0) }
  }

  private static func carries(_ entry: UnsafeMutablePointer<ifaddrs>?) -> Bool {
    guard let entry = entry?.pointee, let address = entry.ifa_addr else { return false }
    let family = UnsafeRawPointer(address).load(as: sa_family_t.self)
    let flags = Int32(bitPattern: entry.ifa_flags)
    let isUp = flags & clinux_interface_up == clinux_interface_up && flags & clinux_interface_loopback == 0
    return isUp && (family == AF_INET || family == AF_INET6)
  }
}
