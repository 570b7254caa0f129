#pragma once
// What the program needs from C: getopt_long's globals behind one call, the window's size, a signal's disposition, a flag of spawning.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>

// getopt_long(3): `code` is its result, `value` is optarg, `culprit` is optopt, `next` is optind. Call it from one thread only.
struct clinux_argument {
  int code;
  const char *value;
  int culprit;
  int next;
};

// Zero makes getopt_long start over and forget what it saw before.
static inline void clinux_arguments_restart(void) {
  optind = 0;
  opterr = 0;
}

static inline struct clinux_argument clinux_next_argument(
    int count, char *const *arguments, const char *letters, const struct option *names) {
  optopt = 0;
  struct clinux_argument found = {.code = getopt_long(count, arguments, letters, names, NULL)};
  found.value = optarg;
  found.culprit = optopt;
  found.next = optind;
  return found;
}

// ioctl_tty(2), TIOCGWINSZ: all zero when `fd` is no terminal.
static inline struct winsize clinux_window(int fd) {
  struct winsize window = {0};
  if (ioctl(fd, TIOCGWINSZ, &window) != 0) window = (struct winsize){0};
  return window;
}

// sigaction(2): whether the parent (nohup, for one) asked that this signal be ignored.
static inline int clinux_is_ignored(int number) {
  struct sigaction old;
  return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}
