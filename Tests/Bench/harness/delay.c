/* delay NAMESPACE-A NAMESPACE-B MILLISECONDS MBIT LOSS: a link between two network namespaces for kernels without netem.
 *
 * A tun device called `line` in each; a packet reaches the other side after MILLISECONDS one way, at most MBIT per second leave a
 * queue of 50 ms, and LOSS per cent of what goes from B to A (a download) is lost at random. Runs until it is killed. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 1 << 16, MTU = 1600, BURST = 128, FRAMING = 38 };
static const int64_t longest_wait = 50000000, second = 1000000000;

struct packet {
  int64_t due;
  ssize_t length;
  unsigned char bytes[MTU];
};

/* One direction. `head` and `tail` count packets for ever; their places in the ring are taken modulo QUEUE. */
struct direction {
  int from, to;
  double loss;
  struct packet *ring;
  unsigned head, tail;
  int64_t line_free;
};

static int64_t delay;
static double nanoseconds_per_byte;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

static int open_tun(const char *namespace) {
  char path[128];
  snprintf(path, sizeof path, "/run/netns/%s", namespace);
  int handle = open(path, O_RDONLY | O_CLOEXEC);
  if (handle < 0 || setns(handle, CLONE_NEWNET)) err(1, "%s", path);
  close(handle);
  struct ifreq request = {.ifr_name = "line", .ifr_flags = IFF_TUN | IFF_NO_PI};
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0 || ioctl(tun, TUNSETIFF, &request)) err(1, "/dev/net/tun");
  return tun;
}

static struct direction make_direction(int from, int to, double loss) {
  struct direction direction = {.from = from, .to = to, .loss = loss, .ring = calloc(QUEUE, sizeof(struct packet))};
  if (!direction.ring) err(1, "memory");
  return direction;
}

/* Takes what has arrived at one end: gives each packet its time, or drops it. */
static void receive(struct direction *line, int64_t time) {
  for (int i = 0; i < BURST && line->tail - line->head < QUEUE; i++) {
    struct packet *packet = &line->ring[line->tail % QUEUE];
    packet->length = read(line->from, packet->bytes, MTU);
    if (packet->length <= 0) return;
    if (drand48() < line->loss) continue;
    int64_t begin = line->line_free > time ? line->line_free : time;
    if (begin - time > longest_wait) continue;
    line->line_free = begin + (int64_t)((double)(packet->length + FRAMING) * nanoseconds_per_byte);
    packet->due = line->line_free + delay;
    line->tail++;
  }
}

/* Hands on what is due. A packet that the other side does not take is lost, as on any link. */
static void send_due(struct direction *line, int64_t time) {
  while (line->head != line->tail && line->ring[line->head % QUEUE].due <= time) {
    struct packet *packet = &line->ring[line->head++ % QUEUE];
    if (write(line->to, packet->bytes, (size_t)packet->length) < 0) continue;
  }
}

static int64_t next_due(const struct direction *line, int64_t latest) {
  if (line->head == line->tail) return latest;
  int64_t due = line->ring[line->head % QUEUE].due;
  return due < latest ? due : latest;
}

static void wait_until(int64_t moment, int a, int b) {
  int64_t rest = moment - now();
  if (rest <= 0) return;
  struct pollfd ends[] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
  struct timespec timeout = {rest / second, rest % second};
  ppoll(ends, 2, &timeout, NULL);
}

int main(int count, char **arguments) {
  if (count != 6) errx(2, "usage: delay NAMESPACE-A NAMESPACE-B MILLISECONDS MBIT LOSS");
  delay = (int64_t)(atof(arguments[3]) * 1e6);
  nanoseconds_per_byte = 8e3 / atof(arguments[4]);
  int a = open_tun(arguments[1]), b = open_tun(arguments[2]);
  struct direction lines[] = {make_direction(b, a, atof(arguments[5]) / 100), make_direction(a, b, 0)};
  for (;;) {
    int64_t time = now(), wake = time + second / 10;
    for (int i = 0; i < 2; i++) {
      receive(&lines[i], time);
      send_due(&lines[i], time);
      wake = next_due(&lines[i], wake);
    }
    wait_until(wake, a, b);
  }
}
