// SPDX-License-Identifier: Apache-2.0
#include "origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "histogram.h"
#include "lines.h"
#include "writes.h"

enum { IDLE_MILLIS = 20, MAX_WRITES = 1 << 16, PONG_WRITES = 64 };

// As in Layout: above this, operations in flight share slots.
static const uint64_t MAX_BYTES = 64 << 20;
static const uint64_t PATIENCE_NANOS = 30000000000;

struct operation {
  uint64_t posted_nanos;
  uint64_t left; // parts of it that are not complete
};

struct run {
  struct node *node;
  struct writes writes;
  struct operation *all;
  struct operation **free;
  uint64_t size;
  uint64_t parts;
  uint64_t slots;
  uint64_t outstanding;
  uint64_t free_count;
  uint64_t begun;
  uint64_t done;
  uint64_t end_nanos;
  struct operation *current; // whose parts are being posted
  uint64_t part;
};

static struct histogram latencies;

static void report(uint64_t operations, uint64_t nanos) {
  answer("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, operations, nanos, histogram_at(&latencies, 0.5),
         histogram_at(&latencies, 0.99), histogram_at(&latencies, 0.999));
}

static void require(const struct node *node, uint64_t bytes) {
  if (bytes == 0 || bytes > node->bytes) {
    fail("expected operations of 1 to %" PRIu64 " bytes, which is --memory, got %" PRIu64, node->bytes, bytes);
  }
  if (node->peer == FI_ADDR_UNSPEC) {
    fail("expected 'target HEX KEY BASE' before a run");
  }
}

static void run_open(struct run *run, enum post post) {
  uint64_t writes = run->outstanding * run->parts;
  writes_open(&run->writes, run->node, post, writes < MAX_WRITES ? (uint32_t)writes : MAX_WRITES);
  run->all = calloc(run->outstanding, sizeof *run->all);
  run->free = calloc(run->outstanding, sizeof *run->free);
  if (!run->all || !run->free) {
    fail("no memory for %" PRIu64 " operations in flight", run->outstanding);
  }
  for (uint64_t i = 0; i < run->outstanding; i++) {
    run->free[i] = &run->all[i];
  }
  run->free_count = run->outstanding;
}

static void run_close(struct run *run) {
  free(run->free);
  free(run->all);
  writes_close(&run->writes);
}

static void part_done(struct run *run, struct operation *operation, uint64_t now) {
  if (--operation->left == 0) {
    histogram_add(&latencies, now - operation->posted_nanos);
    run->free[run->free_count++] = operation;
    run->done++;
  }
}

// Begins an operation, if there is room and time for one.
static bool begin(struct run *run) {
  if (run->free_count == 0) {
    return false;
  }
  uint64_t now = nanos_now();
  if (run->begun > 0 && now >= run->end_nanos) {
    return false;
  }
  run->current = run->free[--run->free_count];
  *run->current = (struct operation){.posted_nanos = now, .left = run->parts};
  run->part = 0;
  run->begun++;
  return true;
}

static void post(struct run *run) {
  while (run->current || begin(run)) {
    uint64_t slot = (run->begun - 1) % run->slots;
    uint64_t offset = (slot * run->parts + run->part) * run->size;
    bool more = run->part + 1 < run->parts || run->free_count > 0;
    struct operation *operation = run->current;
    enum posted posted = writes_post(&run->writes, operation, offset, run->size, more);
    if (posted == NO_ROOM) {
      return;
    }
    if (++run->part == run->parts) {
      run->current = NULL;
    }
    if (posted == DONE_ALREADY) {
      part_done(run, operation, nanos_now());
    }
  }
}

static uint32_t take(struct run *run) {
  struct fi_cq_data_entry entries[BATCH];
  uint32_t count = node_poll(run->node, entries);
  uint64_t now = count ? nanos_now() : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_arrival(&entries[i])) {
      part_done(run, writes_done(&run->writes, &entries[i]), now);
    }
  }
  return count;
}

static void measure(struct run *run, uint64_t nanos) {
  struct patience patience = {.nanos = PATIENCE_NANOS};
  histogram_clear(&latencies);
  uint64_t start = nanos_now();
  run->end_nanos = start + nanos;
  do {
    uint64_t done = run->done;
    post(run);
    take(run);
    if (run->done > done) {
      patience_renew(&patience);
    } else if (patience_is_over(&patience)) {
      fail("expected all %" PRIu64 " operations to complete, got %" PRIu64 ", and no more; is the target told to count?",
           run->begun, run->done);
    }
  } while (run->current || run->done < run->begun || nanos_now() < run->end_nanos);
  report(run->done, nanos_now() - start);
}

static void streams(struct node *node, enum post post, char *rest) {
  struct run run = {.node = node};
  run.size = next_number(&rest, "a size");
  run.parts = next_number(&rest, "parts");
  run.outstanding = next_number(&rest, "operations in flight");
  uint64_t nanos = next_number(&rest, "nanoseconds");
  uint64_t bytes = run.size * run.parts;
  require(node, bytes);
  if (run.outstanding == 0) {
    fail("expected 1 or more operations in flight, got 0");
  }
  uint64_t fit = MAX_BYTES / bytes;
  run.slots = fit < 1 ? 1 : fit < run.outstanding ? fit : run.outstanding;
  require(node, run.slots * bytes);
  run_open(&run, post);
  measure(&run, nanos);
  run_close(&run);
}

// Waits for the return of the other side, or, with "all", for all own completions.
static void await_return(struct writes *writes, bool all) {
  struct patience patience = {.nanos = PATIENCE_NANOS};
  struct fi_cq_data_entry entries[BATCH];
  bool came = false;
  while (all ? writes_in_flight(writes) : !came) {
    uint32_t count = node_poll(writes->node, entries);
    for (uint32_t i = 0; i < count; i++) {
      if (is_arrival(&entries[i])) {
        came = true;
      } else {
        writes_done(writes, &entries[i]);
      }
    }
    if (count == 0 && patience_is_over(&patience)) {
      fail("expected a write in return, got none; is the target told to return?");
    }
  }
}

static void hit(struct writes *writes, uint64_t size) {
  struct patience patience = {.nanos = PATIENCE_NANOS};
  struct fi_cq_data_entry entries[BATCH];
  while (writes_post(writes, NULL, 0, size, false) == NO_ROOM) {
    // nothing is in the air, so these are own completions
    uint32_t count = node_poll(writes->node, entries);
    for (uint32_t i = 0; i < count; i++) {
      writes_done(writes, &entries[i]);
    }
    if (patience_is_over(&patience)) {
      fail("expected the target to take a write, got none taken; is it told to return?");
    }
  }
}

static void ping_pong(struct node *node, char *rest) {
  uint64_t size = next_number(&rest, "a size");
  uint64_t nanos = next_number(&rest, "nanoseconds");
  require(node, size);
  struct writes writes;
  writes_open(&writes, node, POST_WRITEDATA, PONG_WRITES);
  histogram_clear(&latencies);
  uint64_t start = nanos_now();
  uint64_t now = start;
  do {
    uint64_t before = now;
    hit(&writes, size);
    await_return(&writes, false);
    now = nanos_now();
    histogram_add(&latencies, now - before);
  } while (now - start < nanos);
  await_return(&writes, true);
  report(latencies.total, now - start);
  writes_close(&writes);
}

static void serve(struct node *node, enum post post, char *question) {
  char *rest = question;
  const char *word = next_word(&rest, "a question");
  if (strcmp(word, "address") == 0) {
    node_address(node);
  } else if (strcmp(word, "target") == 0) {
    node_connect(node, rest);
    acknowledge();
  } else if (strcmp(word, "run") == 0) {
    streams(node, post, rest);
  } else if (strcmp(word, "ping-pong") == 0) {
    ping_pong(node, rest);
  } else {
    fail("expected address, target, run, ping-pong or bye, got '%s'", word);
  }
}

void origin_serve(struct node *node, enum post post) {
  struct fi_cq_data_entry entries[BATCH];
  for (;;) {
    char *question = lines_within(IDLE_MILLIS) ? lines_next() : NULL;
    if (question) {
      serve(node, post, question);
    } else {
      node_poll(node, entries); // the provider may have something to do
    }
  }
}
