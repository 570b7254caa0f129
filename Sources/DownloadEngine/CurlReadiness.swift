import CCurl
import DownloadCore

/// What libcurl waits for: sockets, and the moment of its next timer (curl_multi_socket_action(3)). Transfers where nothing happens are not
/// looked at; asking after each of hundreds at every packet of one would take most of the time.
final class CurlReadiness {
  private let multi: UnsafeMutableRawPointer
  private let poller: Poller
  private var ready: [Poller.Ready] = []
  private var timer: Duration?
  /// libcurl (7.88) sets no timer for all that it does by time: a dead address is left a moment after the timer for it.
  private static let lookAtAllEvery = Duration.seconds(1)
  private var lookedAt = SystemClock.now

  init(_ multi: UnsafeMutableRawPointer, bell: Bell) throws(DownloadError) {
    self.multi = multi
    poller = try Poller(bell: bell)
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_socket_hook(multi, watchSocket, context)
    ccurl_multi_set_timer_hook(multi, watchTimer, context)
  }

  /// Sleeps until a socket is ready, curl's timer wants to run, the bell is rung, or the time is up.
  func wait(_ limit: Duration) {
    let now = SystemClock.now
    let pause = min(limit, timer.map { $0 - now } ?? limit)
    let milliseconds = Int32(min(max(0, (pause.seconds * 1000).rounded(.up)), 60_000))
    poller.wait(milliseconds: milliseconds, into: &ready)
  }

  /// Lets libcurl go on where the last wait has found something; it reads from a socket until nothing is left there.
  func act() {
    var running: Int32 = 0
    for socket in ready {
      let mask = (socket.isReadable ? CURL_CSELECT_IN : 0) | (socket.isWritable ? CURL_CSELECT_OUT : 0)
      curl_multi_socket_action(multi, socket.descriptor, mask, &running)
    }
    ready.removeAll(keepingCapacity: true)
    let now = SystemClock.now
    if let due = timer, due <= now {
      timer = nil
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }
    guard now - lookedAt >= Self.lookAtAllEvery else { return }
    lookedAt = now
    ccurl_multi_act_on_all(multi)
  }

  fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else { return poller.ignore(socket) }
    poller.watch(socket, toRead: what & CURL_POLL_IN != 0, toWrite: what & CURL_POLL_OUT != 0)
  }

  fileprivate func setTimer(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : SystemClock.now + .milliseconds(milliseconds)
  }
}

/// CURLMOPT_SOCKETFUNCTION(3).
private func watchSocket(
  _: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<CurlReadiness>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
  return 0
}

/// CURLMOPT_TIMERFUNCTION(3).
private func watchTimer(_: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?) -> Int32
{
  guard let context else { return 0 }
  Unmanaged<CurlReadiness>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
  return 0
}
