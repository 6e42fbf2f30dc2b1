// SPDX-License-Identifier: Apache-2.0
// Streams: queues of operations, each with a thread of its own. With delays, only that thread runs them. Without, a thread
// that waits for a stream runs what nobody has begun yet, because that is sooner done than the other thread is awake.
#ifndef STREAMS_H
#define STREAMS_H

#include <pthread.h>

#include "captures.h"
#include "cuda_types.h"
#include "operations.h"

struct CUstream_st {
  CUcontext context;
  unsigned flags;
  int priority;
  unsigned long long id;
  bool is_default;
  _Atomic bool is_alive;
  _Atomic bool is_made_since_reset;
  struct capture capture;
  pthread_mutex_t lock;
  pthread_cond_t work;
  pthread_cond_t done;
  struct operation *first;
  struct operation *last;
  struct operation *running;
  bool is_asleep;
  int waiting;
  _Atomic uint64_t submitted;
  _Atomic uint64_t completed;
  _Atomic uint64_t skipped; // what has this turn or an earlier one is not done any more
  unsigned random;
};

// The stream of a handle, or the default stream of the current context for none; an error if it is none, or broken.
CUresult stream_find(CUstream handle, CUstream *stream);

// NULL if there are too many.
CUstream stream_create(unsigned flags, int priority);

void stream_destroy(CUstream stream);

// A copy of the operation runs some time; its turn is given if asked. What is staged in it is the stream's from now on,
// even if this fails.
CUresult stream_submit(CUstream stream, const struct operation *operation, uint64_t *turn);

// Has the operation run, after all those before it.
CUresult stream_run(CUstream stream, const struct operation *operation, const char *function);

// Waits until everything up to this turn is done; gives what has broken the context, or CUDA_ERROR_LAUNCH_TIMEOUT.
CUresult stream_await(CUstream stream, uint64_t turn, const char *function);

// Waits for all streams of a context, or of all contexts for NULL; only CUDA_ERROR_LAUNCH_TIMEOUT is an error.
CUresult streams_await_all(CUcontext context, const char *function);

// What frees memory waits for all streams, and holds up those who submit until it lets go.
CUresult streams_hold(const char *function);
void streams_let_go(void);

bool stream_has_delays(void);
void stream_delay(CUstream stream);

// Whether this operation is not to be done, or not to be waited for, any more.
bool stream_skips(CUstream stream, const struct operation *operation);

int64_t streams_live(void);

void streams_reset(void);

#endif
