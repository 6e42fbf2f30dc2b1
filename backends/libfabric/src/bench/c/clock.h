// SPDX-License-Identifier: Apache-2.0
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t nanos_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// Notices when nothing happens any more.
struct patience {
  uint64_t nanos;
  uint64_t end;
  uint32_t empty_turns;
};

static inline void patience_renew(struct patience *patience) {
  patience->end = 0;
  patience->empty_turns = 0;
}

// One more turn has brought nothing; says whether it has been too many. Looks at the clock rarely.
static inline int patience_is_over(struct patience *patience) {
  if (++patience->empty_turns % 4096 != 0) {
    return 0;
  }
  uint64_t now = nanos_now();
  if (patience->end == 0) {
    patience->end = now + patience->nanos;
  }
  return now > patience->end;
}

#endif
