import Glibc

Place.useLocale()
signal(SIGPIPE, SIG_IGN)
// A file that may not grow (setrlimit(2)) is an error of that file, no reason to die.
signal(SIGXFSZ, SIG_IGN)
let status = Program.run()
fflush(nil)
// Not exit(3): the exit handlers of libraries (OpenSSL's frees its tables) would run beside threads that are still ending.
_exit(status)
