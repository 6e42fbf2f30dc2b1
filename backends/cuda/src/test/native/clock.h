// SPDX-License-Identifier: Apache-2.0
// Time, and patience.
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t micros_now(void);

void sleep_micros(long micros);

// On CLOCK_MONOTONIC.
struct timespec time_after_millis(long millis);

// Waits for what will not say when it is there: at first by giving the processor away, then in ever longer sleeps. Begins
// as zeros.
struct patience {
  uint64_t spins_until;
  long sleep_micros;
};

void patience_wait(struct patience *patience);

#endif
