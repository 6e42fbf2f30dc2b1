// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

#include <string.h>

void histogram_clear(struct histogram *histogram) { memset(histogram, 0, sizeof *histogram); }

static uint64_t largest(uint64_t bucket) {
  if (bucket < 2 * SUB_BUCKETS) {
    return bucket;
  }
  uint64_t shift = bucket / SUB_BUCKETS - 1;
  return ((bucket - shift * SUB_BUCKETS + 1) << shift) - 1;
}

uint64_t histogram_at(const struct histogram *histogram, double share) {
  uint64_t wanted = (uint64_t)(share * (double)histogram->total + 0.5);
  uint64_t seen = 0;
  for (uint64_t bucket = 0; bucket < BUCKETS; bucket++) {
    seen += histogram->counts[bucket];
    if (seen > 0 && seen >= wanted) {
      return largest(bucket);
    }
  }
  return 0;
}
