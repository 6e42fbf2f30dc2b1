// SPDX-License-Identifier: Apache-2.0
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

// How a write is posted.
enum post {
  POST_WRITEDATA, // with an immediate
  POST_WRITE,     // without: the target is not told
  POST_MORE,      // with an immediate, and FI_MORE on all of a batch but its last
  POST_INJECT     // fi_inject_writedata: complete at once, for short ones only
};

struct options {
  bool origin;
  const char *provider;
  uint64_t memory;
  bool delivery_complete;
  enum post post;
};

// Ends the program, with exit code 2, if they are wrong.
struct options options_of(int count, char **arguments);

#endif
