import DownloadCore
import Glibc

// What the session costs, without network, disk or clock: `make bench` runs this and reads the JSON object that it prints.

private let clock = ContinuousClock()

/// Seconds that `body` takes.
private func seconds(_ body: () -> Void) -> Double { clock.measure(body) / .seconds(1) }

/// Resident memory in bytes (proc(5): statm, in pages).
private func residentMemory() -> Int {
  guard let file = fopen("/proc/self/statm", "re") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, 255, file) != nil else { return 0 }
  let fields = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// Events for `.received` from 40 transfers in turn, while so many more downloads wait.
private func receivedPerSecond(queued: Int) -> Double {
  let count = 2_000_000
  var outside = Outside(fileSize: 1 << 40)
  outside.add(5 + queued)
  let transfers = outside.open
  precondition(transfers.count == 40, "\(transfers.count) transfers")
  return Double(count) / seconds { for turn in 0..<count { outside.receive(16 << 10, by: transfers[turn % 40]) } }
}

/// All events of small downloads, each from the queue to its end.
private func eventsPerSecondOfSmallFiles() -> Double {
  var outside = Outside(fileSize: 100 << 10)
  let time = seconds { outside.add(10_000) }
  precondition(outside.finished == 10_000, "\(outside.finished) finished")
  return Double(outside.events) / time
}

/// What it takes to add 10,000 downloads to a session in which five are at work: seconds, and bytes for each. Comes first, while
/// there is no freed memory to use again.
private func costOfAdding() -> (seconds: Double, bytes: Int) {
  var outside = Outside(fileSize: 1 << 40)
  outside.add(5)
  let before = residentMemory()
  let time = seconds { outside.add(10_000) }
  return (time, (residentMemory() - before) / 10_000)
}

private func secondsOfSnapshot() -> Double {
  var outside = Outside(fileSize: 1 << 40)
  outside.add(10_000)
  return seconds { for _ in 0..<100 { outside.look() } } / 100
}

private let adding = costOfAdding()
private let figures: [(String, Double)] = [
  ("received_per_second", receivedPerSecond(queued: 0)),
  ("received_per_second_10000_queued", receivedPerSecond(queued: 10_000)),
  ("small_file_events_per_second", eventsPerSecondOfSmallFiles()),
  ("add_10000_seconds", adding.seconds),
  ("bytes_per_queued_download", Double(adding.bytes)),
  ("snapshot_10000_seconds", secondsOfSnapshot()),
]
print("{" + figures.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
