// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <string.h>

#include "calls.h"
#include "clock.h"
#include "contexts.h"
#include "events.h"
#include "memory.h"
#include "streams.h"

// Both ways to wait and both ways to call the host are one to a test.
static struct counter counters[] = {
    [COPY] = {.name = "op.copy"},          [SET] = {.name = "op.set"},
    [WRITE_WORD] = {.name = "op.write"},   [AWAIT_WORD] = {.name = "op.wait"},
    [CALL_HOST] = {.name = "op.host"},     [CALL_BACK] = {.name = "op.host"},
    [RECORD_EVENT] = {.name = "op.event"}, [AWAIT_EVENT] = {.name = "op.wait"},
};

const char *operation_name(enum operation_kind kind) { return counters[kind].name; }

bool operation_is_brief(const struct operation *operation) {
  switch (operation->kind) {
    case COPY:
    case SET:
    case WRITE_WORD:
    case RECORD_EVENT:
      return true;
    default:
      return false;
  }
}

static char *enter(const struct place *place, size_t length, struct memory **entered) {
  *entered = NULL;
  switch (place->kind) {
    case ON_DEVICE:
      return memory_enter_device(place->address, length, entered);
    case PINNED:
      return memory_enter_host(place->address, length, entered);
    default:
      return (char *)place->address;
  }
}

static CUresult copy_part(struct operation *operation, size_t start, size_t length) {
  if (operation->is_abandoned) {
    return CUDA_SUCCESS;
  }
  struct memory *entered_to = NULL;
  struct memory *entered_from = NULL;
  char *to = enter(&operation->to, operation->length, &entered_to);
  char *from = operation->staged ? operation->staged : enter(&operation->from, operation->length, &entered_from);
  if (to && from) {
    memmove(to + start, from + start, length);
  }
  memory_leave(entered_to);
  memory_leave(entered_from);
  return to && from ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

// In two parts, so that what changes its memory too early is found out.
static CUresult copy(struct operation *operation, CUstream stream) {
  if (!stream_has_delays()) {
    return copy_part(operation, 0, operation->length);
  }
  size_t half = operation->length / 2;
  TRY(copy_part(operation, 0, half));
  stream_delay(stream);
  return copy_part(operation, half, operation->length - half);
}

static CUresult set(const struct operation *operation) {
  struct memory *entered;
  char *to = enter(&operation->to, operation->length, &entered);
  if (!to) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  if (operation->width == 1) {
    memset(to, (int)operation->value, operation->length);
  } else {
    for (size_t i = 0; i < operation->length; i += operation->width) {
      memcpy(to + i, &operation->value, operation->width);
    }
  }
  memory_leave(entered);
  return CUDA_SUCCESS;
}

static CUresult write_word(const struct operation *operation) {
  struct memory *entered;
  char *to = enter(&operation->to, operation->width, &entered);
  if (!to) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  if (operation->width == 4) {
    __atomic_store_n((uint32_t *)to, (uint32_t)operation->value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n((uint64_t *)to, operation->value, __ATOMIC_SEQ_CST);
  }
  memory_leave(entered);
  return CUDA_SUCCESS;
}

// Greater or equal is by the difference, so that counters may wrap around.
static bool is_met_32(uint32_t word, uint32_t value, unsigned flags) {
  switch (flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return (int32_t)(word - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return word == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (word & value) != 0;
    default:
      return ~(word | value) != 0;
  }
}

static bool is_met_64(uint64_t word, uint64_t value, unsigned flags) {
  switch (flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return (int64_t)(word - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return word == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (word & value) != 0;
    default:
      return ~(word | value) != 0;
  }
}

static CUresult look_at_word(const struct operation *operation, bool *is_met) {
  struct memory *entered;
  char *word = enter(&operation->to, operation->width, &entered);
  if (!word) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  *is_met = operation->width == 4
                ? is_met_32(__atomic_load_n((uint32_t *)word, __ATOMIC_SEQ_CST), (uint32_t)operation->value,
                            operation->flags)
                : is_met_64(__atomic_load_n((uint64_t *)word, __ATOMIC_SEQ_CST), operation->value, operation->flags);
  memory_leave(entered);
  return CUDA_SUCCESS;
}

static CUresult await_word(const struct operation *operation, CUstream stream) {
  struct patience patience = {0};
  bool is_met = false;
  TRY(look_at_word(operation, &is_met));
  while (!is_met && !stream_skips(stream, operation)) {
    patience_wait(&patience);
    TRY(look_at_word(operation, &is_met));
  }
  return CUDA_SUCCESS;
}

static CUresult await_event(const struct operation *operation, CUstream stream) {
  struct patience patience = {0};
  while (!event_has_completed(operation->event, operation->record) && !stream_skips(stream, operation)) {
    patience_wait(&patience);
  }
  return CUDA_SUCCESS;
}

static CUresult call_host(const struct operation *operation) {
  host_function_begins();
  operation->function(operation->argument);
  host_function_ends();
  return CUDA_SUCCESS;
}

static CUresult call_back(const struct operation *operation, CUstream stream) {
  host_function_begins();
  operation->callback(stream, context_usable(stream->context), operation->argument);
  host_function_ends();
  return CUDA_SUCCESS;
}

// After an error only those run that others wait for: a callback is told, and an event ends waits on other devices.
CUresult operation_run(struct operation *operation, CUstream stream) {
  bool always = operation->kind == CALL_BACK || operation->kind == RECORD_EVENT;
  if (!always && stream_skips(stream, operation)) {
    return CUDA_SUCCESS;
  }
  TRY(operation_begin(&counters[operation->kind]));
  switch (operation->kind) {
    case COPY:
      return copy(operation, stream);
    case SET:
      return set(operation);
    case WRITE_WORD:
      return write_word(operation);
    case AWAIT_WORD:
      return await_word(operation, stream);
    case AWAIT_EVENT:
      return await_event(operation, stream);
    case CALL_HOST:
      return call_host(operation);
    case CALL_BACK:
      return call_back(operation, stream);
    case RECORD_EVENT:
      event_complete(operation->event, operation->record);
      return CUDA_SUCCESS;
  }
  return CUDA_SUCCESS;
}
