// SPDX-License-Identifier: Apache-2.0
// What every function of the API begins with: it is counted, it may be made to fail, and it needs what it needs.
#ifndef CALLS_H
#define CALLS_H

#include "cuda_types.h"

// One for each function or kind of operation, static.
struct counter {
  const char *name;
  _Atomic int64_t calls;
  _Atomic bool known;
  struct counter *next;
};

// The last is a context, on a thread that no capture forbids a call that is no part of a stream.
enum needs { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT, NEEDS_NO_CAPTURE };

// The result that the call ends with at once, if it is an error.
CUresult call_begin(struct counter *function, enum needs needs);

// Counts an operation that runs; the error that it fails with, if it is to.
CUresult operation_begin(struct counter *operation);

// From the first cuInit on.
void driver_initialized(void);

// Between these, functions of the API are not permitted on this thread.
void host_function_begins(void);
void host_function_ends(void);

void calls_reset(void);

#define API __attribute__((visibility("default"))) CUresult CUDAAPI

#define BEGIN(needs)                                          \
  do {                                                        \
    static struct counter function_ = {.name = __func__};     \
    CUresult begun_ = call_begin(&function_, needs);          \
    if (begun_ != CUDA_SUCCESS) {                             \
      return begun_;                                          \
    }                                                         \
  } while (0)

#define TRY(call)                      \
  do {                                 \
    CUresult tried_ = (call);          \
    if (tried_ != CUDA_SUCCESS) {      \
      return tried_;                   \
    }                                  \
  } while (0)

#endif
