// SPDX-License-Identifier: Apache-2.0
// What a test asks of all parts together.
#include <string.h>

#include "calls.h"
#include "captures.h"
#include "contexts.h"
#include "events.h"
#include "fakecuda.h"
#include "graphs.h"
#include "knobs.h"
#include "memory.h"
#include "streams.h"

int64_t fakecuda_live(int kind) {
  switch (kind) {
    case FAKECUDA_DEVICE_MEMORY:
      return memory_live(DEVICE_MEMORY);
    case FAKECUDA_HOST_MEMORY:
      return memory_live(HOST_MEMORY);
    case FAKECUDA_REGISTRATION:
      return memory_live(REGISTERED_MEMORY);
    case FAKECUDA_IPC_MAPPING:
      return memory_live(IMPORTED_MEMORY);
    case FAKECUDA_STREAM:
      return streams_live();
    case FAKECUDA_EVENT:
      return events_live();
    case FAKECUDA_CONTEXT:
      return contexts_live();
    case FAKECUDA_GRAPH:
      return graphs_live();
    default:
      return -1;
  }
}

int fakecuda_dma(uint64_t device, void *host, uint64_t length, int is_write) {
  struct memory *entered;
  char *bytes = memory_enter_device(device, length, &entered);
  if (!bytes) {
    return -1;
  }
  if (is_write) {
    memcpy(bytes, host, length);
  } else {
    memcpy(host, bytes, length);
  }
  memory_leave(entered);
  return 0;
}

void *fakecuda_bytes(uint64_t device) {
  struct memory *memory;
  void *bytes = memory_enter_device(device, 1, &memory);
  if (bytes) {
    memory_leave(memory);
  }
  return bytes;
}

// Captures come first, so that streams do what they are given; then streams, while what they do is known. Their last
// errors are then forgotten with the others.
void fakecuda_reset(void) {
  captures_reset();
  streams_reset();
  contexts_reset();
  events_reset();
  graphs_reset();
  memory_reset();
  devices_reset();
  calls_reset();
  knobs_reset();
}
