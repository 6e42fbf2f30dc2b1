// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "events.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "calls.h"
#include "contexts.h"
#include "handles.h"
#include "streams.h"

// Records of one event are numbered from 1.
struct CUevent_st {
  _Atomic bool is_alive;
  _Atomic bool is_made_since_reset;
  CUcontext context;
  _Atomic uint64_t recorded;
  _Atomic uint64_t completed;
  CUstream stream; // of the last record, which is at this turn in it
  uint64_t turn;
  struct timespec when;
};

static struct handles events = HANDLES(struct CUevent_st, 1 << 20);
static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;

void event_complete(CUevent event, uint64_t record) {
  clock_gettime(CLOCK_MONOTONIC, &event->when);
  event->completed = record;
}

bool event_has_completed(CUevent event, uint64_t record) { return event->completed >= record; }

static CUresult find(CUevent event) {
  bool is_one = handles_have(&events, event) && event->is_alive;
  return is_one ? context_usable(event->context) : CUDA_ERROR_INVALID_HANDLE;
}

API cuEventCreate(CUevent *event, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  CUevent added = handles_add(&events);
  if (!added) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  added->context = context_current();
  added->is_alive = true;
  added->is_made_since_reset = true;
  *event = added;
  return CUDA_SUCCESS;
}

// Work that has the event goes on with it.
API cuEventDestroy_v2(CUevent event) {
  BEGIN(NEEDS_CONTEXT);
  TRY(find(event));
  event->is_alive = false;
  return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream handle) {
  TRY(find(event));
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (stream->context->device != event->context->device) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  pthread_mutex_lock(&records_lock);
  struct operation operation = {.kind = RECORD_EVENT, .event = event, .record = event->recorded + 1};
  CUresult result = stream_submit(stream, &operation, &event->turn);
  if (result == CUDA_SUCCESS) {
    event->recorded = operation.record;
    event->stream = stream;
  }
  pthread_mutex_unlock(&records_lock);
  return result;
}

API cuEventRecord(CUevent event, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return record(event, stream);
}

API cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  return record(event, stream);
}

API cuEventQuery(CUevent event) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(find(event));
  return event_has_completed(event, event->recorded) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

API cuEventSynchronize(CUevent event) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(find(event));
  pthread_mutex_lock(&records_lock);
  CUstream stream = event->stream;
  uint64_t turn = event->turn;
  pthread_mutex_unlock(&records_lock);
  return stream ? stream_await(stream, turn, __func__) : CUDA_SUCCESS;
}

static double millis(const struct timespec *time) {
  return (double)time->tv_sec * 1e3 + (double)time->tv_nsec / 1e6;
}

static CUresult elapsed(float *time, CUevent start, CUevent end) {
  TRY(find(start));
  TRY(find(end));
  if (start->recorded == 0 || end->recorded == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (!event_has_completed(start, start->recorded) || !event_has_completed(end, end->recorded)) {
    return CUDA_ERROR_NOT_READY;
  }
  *time = (float)(millis(&end->when) - millis(&start->when));
  return CUDA_SUCCESS;
}

API cuEventElapsedTime(float *time, CUevent start, CUevent end) {
  BEGIN(NEEDS_CONTEXT);
  return elapsed(time, start, end);
}

API cuEventElapsedTime_v2(float *time, CUevent start, CUevent end) {
  BEGIN(NEEDS_CONTEXT);
  return elapsed(time, start, end);
}

API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  TRY(find(event));
  CUstream stream;
  TRY(stream_find(handle, &stream));
  struct operation operation = {.kind = AWAIT_EVENT, .event = event, .record = event->recorded};
  return stream_submit(stream, &operation, NULL);
}

int64_t events_live(void) {
  int64_t live = 0;
  for (size_t i = 0; i < events.count; i++) {
    CUevent event = handles_at(&events, i);
    live += event->is_alive && event->is_made_since_reset;
  }
  return live;
}

void events_reset(void) {
  for (size_t i = 0; i < events.count; i++) {
    CUevent event = handles_at(&events, i);
    event->is_made_since_reset = false;
  }
}
