/// What the exit status says: aria2's numbers, which its users' scripts already know. Help and manual print it.
enum ExitStatus {
  static let meanings: [(number: String, words: String)] = [
    ("0", "all complete"), ("2", "time-out"), ("3", "not found"), ("5", "too slow"), ("6", "network"),
    ("7", "interrupted"), ("9", "disk full"), ("11", "another download writes the file"), ("13", "the file exists"),
    ("15–18", "files and folders"), ("19", "name not resolved"), ("22", "unexpected answer"), ("23", "redirects"),
    ("24", "not authorized"), ("28", "bad option or address"), ("29", "overloaded"), ("32", "wrong checksum"),
    ("1", "anything else"),
  ]
}
