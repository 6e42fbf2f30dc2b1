// SPDX-License-Identifier: Apache-2.0
// The writes in flight.
#ifndef WRITES_H
#define WRITES_H

#include "node.h"

struct operation;

// One write in flight; its address is the context, whose memory some providers use.
struct write {
  struct fi_context2 context;
  struct operation *operation;
};

struct writes {
  struct node *node;
  enum post post;
  uint64_t flags;
  struct write *all;
  struct write **free;
  uint32_t capacity;
  uint32_t free_count;
};

void writes_open(struct writes *writes, struct node *node, enum post post, uint32_t capacity);
void writes_close(struct writes *writes);

enum posted {
  POSTED,
  DONE_ALREADY, // no completion follows
  NO_ROOM       // poll, and try again
};

// Posts one from the same place of the own memory. "more": another one follows at once.
enum posted writes_post(struct writes *writes, struct operation *operation, uint64_t offset, uint64_t length, bool more);

// Takes back the one that is complete; returns its operation.
struct operation *writes_done(struct writes *writes, const struct fi_cq_data_entry *entry);

static inline bool writes_in_flight(const struct writes *writes) { return writes->free_count < writes->capacity; }

#endif
