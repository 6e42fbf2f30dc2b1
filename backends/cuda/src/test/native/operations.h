// SPDX-License-Identifier: Apache-2.0
// What is done in a stream.
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "cuda_types.h"

enum operation_kind { COPY, SET, WRITE_WORD, AWAIT_WORD, CALL_HOST, CALL_BACK, RECORD_EVENT, AWAIT_EVENT };

// Where an address is looked up when the operation runs; pageable memory is where it is, which nobody can look up.
enum place_kind { ON_DEVICE, PINNED, PAGEABLE };

struct place {
  enum place_kind kind;
  uintptr_t address;
};

struct operation {
  enum operation_kind kind;
  struct place to;
  struct place from;
  size_t length;
  void *staged;    // the bytes to copy, if they were read at the call
  uint64_t value;  // of a word, or of what to fill with
  unsigned width;  // of that, in bytes
  unsigned flags;
  CUhostFn function;
  CUstreamCallback callback;
  void *argument;
  CUevent event;
  uint64_t record; // which one of the event
  // Set by the stream.
  uint64_t turn;
  _Atomic bool is_abandoned; // whoever called has gone, with the memory that was lent
  struct operation *next;
};

// As in a fault's name.
const char *operation_name(enum operation_kind kind);

// Whether it ends soon on any thread. The others wait, or call what may rely on which thread calls it.
bool operation_is_brief(const struct operation *operation);

CUresult operation_run(struct operation *operation, CUstream stream);

#endif
