// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const POSTS[] = {"writedata", "write", "more", "inject"};

static _Noreturn void usage(const char *wrong) {
  fprintf(stderr,
          "expected origin|target --provider NAME [--memory BYTES] [--delivery-complete]"
          " [--post writedata|write|more|inject], got %s\n",
          wrong);
  exit(2);
}

static enum post post_of(const char *name) {
  for (int post = 0; post < (int)(sizeof POSTS / sizeof *POSTS); post++) {
    if (strcmp(POSTS[post], name) == 0) {
      return (enum post)post;
    }
  }
  usage(name);
}

struct options options_of(int count, char **arguments) {
  if (count < 2 || (strcmp(arguments[1], "origin") != 0 && strcmp(arguments[1], "target") != 0)) {
    usage(count < 2 ? "nothing" : arguments[1]);
  }
  struct options options = {.origin = strcmp(arguments[1], "origin") == 0, .memory = 64 << 20};
  for (int i = 2; i < count; i++) {
    const char *name = arguments[i];
    if (strcmp(name, "--delivery-complete") == 0) {
      options.delivery_complete = true;
      continue;
    }
    if (++i == count) {
      usage(name);
    }
    const char *value = arguments[i];
    if (strcmp(name, "--provider") == 0) {
      options.provider = value;
    } else if (strcmp(name, "--memory") == 0) {
      options.memory = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--post") == 0) {
      options.post = post_of(value);
    } else {
      usage(name);
    }
  }
  if (!options.provider) {
    usage("no --provider");
  }
  if (!options.memory) {
    usage("no bytes of --memory");
  }
  return options;
}
