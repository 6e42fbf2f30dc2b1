// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 14];
static size_t filled;
static size_t taken;

bool lines_within(int millis) {
  if (memchr(buffer + taken, '\n', filled - taken)) {
    return true;
  }
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&in, 1, millis) > 0;
}

static char *whole_line(void) {
  char *line = buffer + taken;
  char *end = memchr(line, '\n', filled - taken);
  if (!end) {
    return NULL;
  }
  *end = '\0';
  taken = (size_t)(end + 1 - buffer);
  if (strcmp(line, "bye") == 0) {
    exit(EXIT_SUCCESS);
  }
  return line;
}

char *lines_next(void) {
  char *line = whole_line();
  if (line) {
    return line;
  }
  memmove(buffer, buffer + taken, filled - taken);
  filled -= taken;
  taken = 0;
  if (filled == sizeof buffer) {
    fail("expected a line of up to %zu bytes, got a longer one", sizeof buffer - 1);
  }
  ssize_t count = read(STDIN_FILENO, buffer + filled, sizeof buffer - filled);
  if (count == 0) {
    exit(EXIT_FAILURE);
  }
  if (count < 0) {
    if (errno == EINTR) {
      return NULL;
    }
    fail("reading stdin: %s", strerror(errno));
  }
  filled += (size_t)count;
  return whole_line();
}

static void say(const char *word, const char *format, va_list arguments) {
  printf("%s ", word);
  vprintf(format, arguments);
  putchar('\n');
  fflush(stdout);
}

void answer(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("answer", format, arguments);
  va_end(arguments);
}

void acknowledge(void) { answer("%s", ""); }

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("failed", format, arguments);
  va_end(arguments);
  exit(EXIT_FAILURE);
}

char *next_word(char **rest, const char *what) {
  char *word = strsep(rest, " ");
  if (!word || !*word) {
    fail("expected %s, got nothing", what);
  }
  return word;
}

uint64_t next_number(char **rest, const char *what) {
  char *word = next_word(rest, what);
  char *end;
  errno = 0;
  uint64_t number = strtoull(word, &end, 10);
  if (errno || *end || *word == '-') {
    fail("expected %s, a number, got '%s'", what, word);
  }
  return number;
}
