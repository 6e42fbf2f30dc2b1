// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "connection.h"
#include "lines.h"
#include "writes.h"

enum { IDLE_MILLIS = 20, TURNS_PER_LOOK = 4096, RETURNS_IN_FLIGHT = 64 };

static const uint64_t PATIENCE_NANOS = 10000000000;

struct target {
  struct node *node;
  struct writes returns;
  bool spinning;
  uint64_t return_bytes; // 0: none are returned
  uint64_t counted;
  uint64_t due; // returns that are to be posted
};

static uint32_t turn(struct target *target) {
  struct fi_cq_data_entry entries[BATCH];
  uint32_t count = node_poll(target->node, entries);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_arrival(&entries[i])) {
      writes_done(&target->returns, &entries[i]);
      continue;
    }
    target->counted++;
    if (target->return_bytes) {
      target->due++;
    }
  }
  while (target->due && writes_post(&target->returns, NULL, 0, target->return_bytes, false) != NO_ROOM) {
    target->due--;
  }
  return count;
}

static void begin(struct target *target, uint64_t return_bytes) {
  if (return_bytes > target->node->bytes) {
    fail("expected writes within --memory, %" PRIu64 " bytes, got %" PRIu64, target->node->bytes, return_bytes);
  }
  target->counted = 0;
  target->return_bytes = return_bytes;
  target->spinning = true;
  acknowledge();
}

// Without delivery-complete the last ones may still be on their way.
static void end(struct target *target, uint64_t expected) {
  struct patience patience = {.nanos = PATIENCE_NANOS};
  while (target->counted < expected || target->due || writes_in_flight(&target->returns)) {
    if (turn(target)) {
      patience_renew(&patience);
    } else if (patience_is_over(&patience)) {
      break;
    }
  }
  target->spinning = false;
  if (target->counted != expected) {
    fail("expected %" PRIu64 " immediates, got %" PRIu64, expected, target->counted);
  }
  answer("%" PRIu64, target->counted);
}

static void serve(struct target *target, char *question) {
  char *rest = question;
  const char *word = next_word(&rest, "a question");
  if (strcmp(word, "address") == 0) {
    node_address(target->node);
  } else if (strcmp(word, "origin") == 0) {
    node_connect(target->node, rest);
    acknowledge();
  } else if (strcmp(word, "count") == 0) {
    begin(target, 0);
  } else if (strcmp(word, "return") == 0) {
    begin(target, next_number(&rest, "a size"));
  } else if (strcmp(word, "counted") == 0) {
    end(target, next_number(&rest, "how many"));
  } else {
    fail("expected address, origin, count, return, counted or bye, got '%s'", word);
  }
}

void target_serve(struct node *node) {
  struct target target = {.node = node};
  writes_open(&target.returns, node, POST_WRITEDATA, RETURNS_IN_FLIGHT);
  for (;;) {
    // looking at stdin is a system call: rarely, while it is about figures
    for (int i = 0; target.spinning && i < TURNS_PER_LOOK; i++) {
      turn(&target);
    }
    char *question = lines_within(target.spinning ? 0 : IDLE_MILLIS) ? lines_next() : NULL;
    if (question) {
      serve(&target, question);
    } else if (!target.spinning) {
      if (node_has_connection(node)) {
        connection_poll(node);
      }
      turn(&target);
    }
  }
}
