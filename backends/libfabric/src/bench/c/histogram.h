// SPDX-License-Identifier: Apache-2.0
// Counts latencies in buckets that are at most 1/128 of their value wide.
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { SUB_BITS = 7, SUB_BUCKETS = 1 << SUB_BITS, BUCKETS = (64 - SUB_BITS + 1) * SUB_BUCKETS };

struct histogram {
  uint64_t total;
  uint64_t counts[BUCKETS];
};

static inline void histogram_add(struct histogram *histogram, uint64_t value) {
  // below the first power of two that has as many values as sub-buckets, a bucket is one value
  int shift = value < SUB_BUCKETS ? 0 : 63 - __builtin_clzll(value) - SUB_BITS;
  histogram->counts[(uint64_t)shift * SUB_BUCKETS + (value >> shift)]++;
  histogram->total++;
}

void histogram_clear(struct histogram *histogram);

// The largest value of the bucket that this share of all values, 0 to 1, reaches into.
uint64_t histogram_at(const struct histogram *histogram, double share);

#endif
