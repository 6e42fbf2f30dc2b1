// SPDX-License-Identifier: Apache-2.0
// A weak definition of every name that has to be there. What the other files define wins; the rest says its name and that
// it is not supported. This file includes no header of CUDA, because the stubs have other prototypes.
#include <stdio.h>

enum { NOT_SUPPORTED = 801 };

static int not_supported(const char *name) {
  fprintf(stderr, "fakecuda: %s is only a stub\n", name);
  return NOT_SUPPORTED;
}

#define STUB(name)                                                   \
  __attribute__((weak, visibility("default"))) int name(void) {      \
    return not_supported(#name);                                     \
  }
#include "stubs.def"
