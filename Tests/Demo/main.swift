import Foundation
import TestSupport

// Serves the demo's files until the process that started it is gone, and writes their addresses, in the format that
// `dltui --input-file` reads, to the file named by the only argument.

let parent = getppid()
let files = try await demoFiles()
let origin = try ScriptedOrigin(handler(for: files))
let lines = files.map { origin.url($0.path) + ($0.sum.map { "\n  checksum=sha-256=\($0)" } ?? "") + "\n" }
try Data(lines.joined().utf8).write(to: URL(filePath: CommandLine.arguments[1]), options: .atomic)

while getppid() == parent { sleep(1) }
