/// A small library before the C library: the wall's clock jumps an hour to and fro at every look; the monotonic one is as it is.
package final class ClockShim: Sendable {
  private let folder: TemporaryFolder

  package init() async throws {
    folder = try TemporaryFolder()
    try await buildLibrary(source, in: folder)
  }

  package var environment: [String: String] { ["LD_PRELOAD": folder["shim.so"]] }
}

private let source = #"""
  #define _GNU_SOURCE
  #include <stdatomic.h>
  #include <sys/syscall.h>
  #include <sys/time.h>
  #include <time.h>
  #include <unistd.h>

  static atomic_int looks;

  int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += (atomic_fetch_add(&looks, 1) % 3 - 1) * 3600;
    return result;
  }

  time_t time(time_t *copy) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (copy) *copy = now.tv_sec;
    return now.tv_sec;
  }

  int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    now->tv_sec = time(0);
    now->tv_usec = 0;
    return 0;
  }
  """#
