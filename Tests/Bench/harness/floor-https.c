/* floor-https PORT PATH FILE: the least that a download over HTTPS can cost. Nothing but an SSL_read() loop into a buffer of
 * 512 KiB that is written when it is full, into space that was reserved before. No certificate is looked at. */
#define _GNU_SOURCE
#include "floor.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <unistd.h>

enum { BUFFER = 512 << 10, RECORD = 16 << 10 };

static SSL *connect_tls(int connection) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *tls = context ? SSL_new(context) : NULL;
  if (!tls || SSL_set_fd(tls, connection) != 1 || SSL_connect(tls) != 1) errx(1, "TLS handshake");
  return tls;
}

static size_t read_some(SSL *tls, char *into, size_t most) {
  int count = SSL_read(tls, into, (int)most);
  if (count <= 0) errx(1, "SSL_read");
  return (size_t)count;
}

static void write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written <= 0) err(1, "write");
    bytes += written;
    count -= (size_t)written;
  }
}

int main(int count, char **arguments) {
  if (count != 4) errx(2, "usage: floor-https PORT PATH FILE");
  SSL *tls = connect_tls(connect_to(arguments[1]));
  char request[HEAD_SIZE], *buffer = aligned_alloc(4096, BUFFER);
  int length = make_request(request, arguments[2]);
  if (!buffer || SSL_write(tls, request, length) != length) errx(1, "request");

  size_t filled = 0, head = 0;
  while (head == 0) {
    if (filled >= HEAD_SIZE) errx(1, "the head is too long");
    filled += read_some(tls, buffer + filled, RECORD);
    buffer[filled] = 0;
    head = head_length(buffer);
  }
  long long rest = content_length(buffer);
  filled -= head;
  memmove(buffer, buffer + head, filled);

  int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) err(1, "%s", arguments[3]);
  if (posix_fallocate(file, 0, rest)) errx(1, "no space");
  while (rest > 0) {
    if (filled == (size_t)rest || BUFFER - filled < RECORD) {
      write_all(file, buffer, filled);
      rest -= (long long)filled;
      filled = 0;
    } else {
      filled += read_some(tls, buffer + filled, BUFFER - filled);
    }
  }
  return 0;
}
