import Glibc

setlocale(LC_CTYPE, "")
signal(SIGPIPE, SIG_IGN)
exit(Program.run())
