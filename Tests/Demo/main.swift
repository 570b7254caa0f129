import Foundation
import TestSupport

// Serves the demo's files until the process that started it is gone, and writes their addresses, with what else is known of
// them, as a list for `--input-file` to the file named by the only argument.

let parent = getppid()
let origin = try ScriptedOrigin(handler(for: demoFiles))
let lines = demoFiles.map { file in
  origin.url(file.path) + "\n" + (file.checksum.map { "  checksum=\($0)\n" } ?? "")
}
try Data(lines.joined().utf8).write(to: URL(filePath: CommandLine.arguments[1]), options: .atomic)

while getppid() == parent { sleep(1) }
