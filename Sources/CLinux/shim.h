#pragma once
// Linux calls and constants that the Glibc overlay does not offer, as typed one-liners (each has its page in man section 2).
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/stat.h>
#include <malloc.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// fallocate(2), FALLOC_FL_KEEP_SIZE = 1: reserves blocks, leaves the file's size alone.
int fallocate(int fd, int mode, off_t offset, off_t length);
static inline int clinux_reserve(int fd, int64_t length) { return fallocate(fd, 1, 0, length); }
// FALLOC_FL_PUNCH_HOLE = 2 gives the blocks of a stretch back.
static inline void clinux_release(int fd, int64_t offset, int64_t length) { (void)!fallocate(fd, 3, offset, length); }

// sync_file_range(2), SYNC_FILE_RANGE_WRITE = 2: begins to write what is dirty to the disk, and does not wait for it.
int sync_file_range(int fd, off_t offset, off_t length, unsigned int flags);
static inline void clinux_begin_sync(int fd) { (void)sync_file_range(fd, 0, 0, 2u); }

// open(2), O_DIRECT: the same file once more, past the page cache; by its descriptor, whatever its name leads to now (proc(5)).
static inline int clinux_open_direct(int fd) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, O_RDWR | __O_DIRECT | O_CLOEXEC);
}

// syncfs(2): writes everything that is dirty on the file system of `fd`.
int syncfs(int fd);

// statx(2): when the file was made, in nanoseconds since 1970; 0 where the file system does not say.
static inline int64_t clinux_birth(int fd) {
  struct statx found;
  if (syscall(SYS_statx, fd, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &found) != 0 || !(found.stx_mask & STATX_BTIME)) return 0;
  return found.stx_btime.tv_sec < 9000000000 ? found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec : 0;
}

// mallopt(3): buffers of half a megabyte come from the heap, where the next transfer finds them again, instead of being mapped for each.
static inline void clinux_keep_buffers(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

// renameat2(2), RENAME_NOREPLACE = 1: fails with EEXIST instead of replacing the target.
static inline int clinux_rename_new(const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
}

// fcntl(2), F_OFD_SETLK = 37: an exclusive lock that belongs to the open file, so it dies with it and works inside one process too.
static inline int clinux_lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  return fcntl(fd, 37, &whole);
}
static inline int clinux_unlock(int fd) {
  struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  return fcntl(fd, 37, &whole);
}

// signalfd(2): pending signals become readable on a descriptor.
int signalfd(int fd, const sigset_t *mask, int flags);
static inline int clinux_signal_descriptor(const sigset_t *mask) { return signalfd(-1, mask, O_CLOEXEC | O_NONBLOCK); }

// eventfd(2): a counter that one thread raises and another polls.
int eventfd(unsigned int count, int flags);
static inline int clinux_event_descriptor(void) { return eventfd(0, O_CLOEXEC | O_NONBLOCK); }

// epoll(7): what a descriptor is watched for, as masks.
static inline int clinux_poller(void) { return epoll_create1(EPOLL_CLOEXEC); }
static const uint32_t clinux_readable = EPOLLIN;
static const uint32_t clinux_writable = EPOLLOUT;

// memfd_create(2), MFD_CLOEXEC = 1: a file in memory that goes away with its last descriptor.
static inline int clinux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

// prctl(2), PR_SET_NAME = 15: the calling thread's name, at most 15 bytes.
static inline int clinux_name_thread(const char *name) { return prctl(15, name, 0, 0, 0); }

// sched_setattr(2): the calling thread asks for turns of 0.1 ms. It gets them the sooner (Linux 6.12; before, this changes nothing).
static inline void clinux_take_short_turns(void) {
  struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } wish = {
      .size = 48, .nice = getpriority(PRIO_PROCESS, 0), .runtime = 100000};
  (void)syscall(SYS_sched_setattr, 0, &wish, 0);
}

// netdevice(7): an interface that works, and the one that leads nowhere else.
static const int clinux_interface_up = IFF_UP | IFF_RUNNING;
static const int clinux_interface_loopback = IFF_LOOPBACK;

// socket(7), SO_BUF_LOCK = 72: buffers that were set by hand grow by themselves again.
static inline int clinux_free_buffers(int socket) {
  int none = 0;
  return setsockopt(socket, SOL_SOCKET, 72, &none, sizeof none);
}

// inotify(7), IN_MOVED_TO | IN_ONLYDIR: a descriptor that becomes readable when something is moved into `folder`; -1 when it cannot be.
int inotify_init1(int flags);
int inotify_add_watch(int fd, const char *path, uint32_t mask);
static inline int clinux_watch_arrivals(const char *folder) {
  int fd = inotify_init1(O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && inotify_add_watch(fd, folder, 0x01000080u) < 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

// posix_spawn(3), POSIX_SPAWN_SETSID = 0x80: the child leads a session of its own, away from our terminal.
static const int clinux_spawn_in_own_session = 0x80;
