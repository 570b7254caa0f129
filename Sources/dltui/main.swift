import Glibc

setlocale(LC_CTYPE, "")
signal(SIGPIPE, SIG_IGN)
// A file that may not grow (setrlimit(2)) is an error of that file, no reason to die.
signal(SIGXFSZ, SIG_IGN)
let status = Program.run()
// Everything is saved. exit(3) would take the libraries apart below the feet of threads that are still on their way out.
fflush(nil)
_exit(status)
