// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "clock.h"

#include <sched.h>

#include "knobs.h"

enum { SHORTEST_SLEEP = 5, LONGEST_SLEEP = 100 };

uint64_t micros_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void sleep_micros(long micros) {
  struct timespec time = {.tv_sec = micros / 1000000, .tv_nsec = micros % 1000000 * 1000};
  nanosleep(&time, NULL);
}

struct timespec time_after_millis(long millis) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  long nanos = time.tv_nsec + millis % 1000 * 1000000;
  time.tv_sec += millis / 1000 + nanos / 1000000000;
  time.tv_nsec = nanos % 1000000000;
  return time;
}

void patience_wait(struct patience *patience) {
  uint64_t now = micros_now();
  if (patience->spins_until == 0) {
    patience->spins_until = now + (uint64_t)knob(KNOB_SPIN_US);
    patience->sleep_micros = SHORTEST_SLEEP;
  }
  if (now < patience->spins_until) {
    sched_yield();
    return;
  }
  sleep_micros(patience->sleep_micros);
  patience->sleep_micros *= 2;
  if (patience->sleep_micros > LONGEST_SLEEP) {
    patience->sleep_micros = LONGEST_SLEEP;
  }
}
