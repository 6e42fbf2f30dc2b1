// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "captures.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls.h"
#include "contexts.h"
#include "graphs.h"
#include "streams.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUstream first;
// Spares calls the lock as long as there is none.
static _Atomic int captures;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool stream_is_captured(CUstream stream) { return stream->capture.graph != NULL; }

CUresult capture_add(CUstream stream, const struct operation *operation) {
  if (stream->capture.is_invalid) {
    free(operation->staged);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  return graph_add(stream->capture.graph, operation);
}

CUresult capture_break(CUstream stream) {
  stream->capture.is_invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

// By the mode of the thread and by that of the capture, see cuThreadExchangeStreamCaptureMode in cuda.h.
static bool forbids(const struct capture *capture) {
  if (capture->thread == gettid()) {
    return capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  }
  return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult captures_permit_unsafe(void) {
  if (captures == 0 || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_SUCCESS;
  }
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  for (CUstream stream = first; stream; stream = stream->capture.next) {
    if (forbids(&stream->capture)) {
      result = capture_break(stream);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

CUresult captures_permit_default(CUcontext context, bool only_asks) {
  if (captures == 0) {
    return CUDA_SUCCESS;
  }
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  for (CUstream stream = first; stream; stream = stream->capture.next) {
    if (stream->context == context && !(stream->flags & CU_STREAM_NON_BLOCKING)) {
      stream->capture.is_invalid |= !only_asks;
      result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  BEGIN(NEEDS_INIT);
  CUstreamCaptureMode wanted = *mode;
  if ((int)wanted < CU_STREAM_CAPTURE_MODE_GLOBAL || (int)wanted > CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *mode = thread_mode;
  thread_mode = wanted;
  return CUDA_SUCCESS;
}

API cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (stream->is_default || stream_is_captured(stream)) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  CUgraph graph = graph_create();
  if (!graph) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  pthread_mutex_lock(&lock);
  stream->capture.mode = mode;
  stream->capture.thread = gettid();
  stream->capture.is_invalid = false;
  stream->capture.next = first;
  stream->capture.graph = graph;
  first = stream;
  captures++;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

// Under the lock.
static void end(CUstream ended) {
  for (CUstream *link = &first; *link; link = &(*link)->capture.next) {
    if (*link == ended) {
      *link = ended->capture.next;
      ended->capture.graph = NULL;
      captures--;
      return;
    }
  }
}

API cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (!stream_is_captured(stream)) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  if (stream->capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED && stream->capture.thread != gettid()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  *graph = stream->capture.graph;
  pthread_mutex_lock(&lock);
  end(stream);
  pthread_mutex_unlock(&lock);
  if (stream->capture.is_invalid) {
    graph_drop(*graph);
    *graph = NULL;
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  return CUDA_SUCCESS;
}

API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (stream->is_default) {
    TRY(captures_permit_default(stream->context, true));
  }
  *status = !stream_is_captured(stream)  ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture.is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                         : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

void captures_reset(void) {
  pthread_mutex_lock(&lock);
  while (first) {
    end(first);
  }
  pthread_mutex_unlock(&lock);
}
