// SPDX-License-Identifier: Apache-2.0
#include "knobs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakecuda.h"

static const char *const names[KNOBS] = {
#define KNOB(name, value) #name,
#include "knobs.def"
#undef KNOB
};

static long first[KNOBS] = {
#define KNOB(name, value) value,
#include "knobs.def"
#undef KNOB
};

static _Atomic long present[KNOBS];

long knob(enum knob knob) { return atomic_load_explicit(&present[knob], memory_order_relaxed); }

void knobs_reset(void) {
  for (int i = 0; i < KNOBS; i++) {
    present[i] = first[i];
  }
}

int fakecuda_set(const char *knob, int64_t value) {
  for (int i = 0; i < KNOBS; i++) {
    if (strcmp(knob, names[i]) == 0) {
      present[i] = value;
      return 0;
    }
  }
  return -1;
}

__attribute__((constructor)) static void read_environment(void) {
  for (int i = 0; i < KNOBS; i++) {
    char variable[64];
    snprintf(variable, sizeof variable, "FAKECUDA_%s", names[i]);
    const char *value = getenv(variable);
    if (value) {
      first[i] = atol(value);
    }
  }
  knobs_reset();
}
