import Glibc

setlocale(LC_CTYPE, "")
signal(SIGPIPE, SIG_IGN)
// A file that may not grow (setrlimit(2)) is an error of that file, no reason to die.
signal(SIGXFSZ, SIG_IGN)
exit(Program.run())
