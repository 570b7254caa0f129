/* What both floors share: a connection to a server on this machine, and the head of its answer. */
#ifndef FLOOR_H
#define FLOOR_H

#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { HEAD_SIZE = 4096 };

/* A blocking connection to 127.0.0.1. */
static int connect_to(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address)) err(1, "connect");
  return connection;
}

/* Writes a GET request into `text`, which holds HEAD_SIZE bytes, and returns its length. */
static int make_request(char *text, const char *path) {
  int length = snprintf(text, HEAD_SIZE, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
  if (length >= HEAD_SIZE) errx(1, "the path is too long");
  return length;
}

/* The length of the head at the beginning of `text`; 0 while it is not whole. */
static size_t head_length(const char *text) {
  const char *end = strstr(text, "\r\n\r\n");
  return end ? (size_t)(end - text) + 4 : 0;
}

static long long content_length(const char *head) {
  const char *field = strcasestr(head, "\r\ncontent-length:");
  if (!field) errx(1, "the answer has no Content-Length");
  return atoll(field + strlen("\r\ncontent-length:"));
}

#endif
