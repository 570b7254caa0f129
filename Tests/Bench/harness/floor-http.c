/* floor-http PORT PATH FILE: the least that a download over HTTP can cost. Nothing but a splice() loop, socket to pipe to file,
 * into space that was reserved before. */
#define _GNU_SOURCE
#include "floor.h"

#include <fcntl.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

/* Reads the head and not one byte of the body: looks first, then takes exactly that much. Returns the body's length. */
static long long read_head(int connection) {
  char head[HEAD_SIZE];
  size_t length = 0;
  while (length == 0) {
    ssize_t count = recv(connection, head, sizeof head - 1, MSG_PEEK);
    if (count <= 0) err(1, "head");
    head[count] = 0;
    length = head_length(head);
    if (length == 0 && count == sizeof head - 1) errx(1, "the head is too long");
    if (length == 0) usleep(50);
  }
  if (recv(connection, head, length, MSG_WAITALL) != (ssize_t)length) err(1, "head");
  head[length] = 0;
  return content_length(head);
}

static void splice_all(int from, int to, size_t count) {
  while (count > 0) {
    ssize_t moved = splice(from, NULL, to, NULL, count, SPLICE_F_MOVE | SPLICE_F_MORE);
    if (moved <= 0) err(1, "splice to the file");
    count -= (size_t)moved;
  }
}

int main(int count, char **arguments) {
  if (count != 4) errx(2, "usage: floor-http PORT PATH FILE");
  char request[HEAD_SIZE];
  int length = make_request(request, arguments[2]), connection = connect_to(arguments[1]);
  if (write(connection, request, (size_t)length) != length) err(1, "request");
  long long rest = read_head(connection);

  int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), pipes[2];
  if (file < 0) err(1, "%s", arguments[3]);
  if (posix_fallocate(file, 0, rest)) errx(1, "no space");
  if (pipe2(pipes, O_CLOEXEC)) err(1, "pipe");
  fcntl(pipes[1], F_SETPIPE_SZ, CHUNK);
  while (rest > 0) {
    ssize_t moved = splice(connection, NULL, pipes[1], NULL, CHUNK, SPLICE_F_MOVE | SPLICE_F_MORE);
    if (moved <= 0) err(1, "splice from the socket");
    splice_all(pipes[0], file, (size_t)moved);
    rest -= moved;
  }
  return 0;
}
