// SPDX-License-Identifier: Apache-2.0
// Streams, as the application sees them, and what calls the application back.
#include "calls.h"
#include "contexts.h"
#include "streams.h"

static CUresult create(CUstream *stream, unsigned flags, int priority) {
  CUstream created = stream_create(flags, priority);
  if (!created) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *stream = created;
  return CUDA_SUCCESS;
}

API cuStreamCreate(CUstream *stream, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  return create(stream, flags, 0);
}

API cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  BEGIN(NEEDS_CONTEXT);
  return create(stream, flags, priority);
}

API cuStreamDestroy_v2(CUstream handle) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (stream->is_default) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  stream_destroy(stream);
  return CUDA_SUCCESS;
}

API cuStreamQuery(CUstream handle) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (stream_is_captured(stream)) {
    return capture_break(stream);
  }
  return stream->completed >= stream->submitted ? context_usable(stream->context) : CUDA_ERROR_NOT_READY;
}

API cuStreamSynchronize(CUstream handle) {
  BEGIN(NEEDS_NO_CAPTURE);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  return stream_await(stream, stream->submitted, __func__);
}

API cuStreamGetFlags(CUstream handle, unsigned int *flags) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

API cuStreamGetPriority(CUstream handle, int *priority) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

API cuStreamGetId(CUstream handle, unsigned long long *id) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  *id = stream->id;
  return CUDA_SUCCESS;
}

API cuStreamGetCtx(CUstream handle, CUcontext *context) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  *context = stream->context;
  return CUDA_SUCCESS;
}

API cuLaunchHostFunc(CUstream handle, CUhostFn function, void *argument) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  struct operation operation = {.kind = CALL_HOST, .function = function, .argument = argument};
  return stream_submit(stream, &operation, NULL);
}

API cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *argument, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  struct operation operation = {.kind = CALL_BACK, .callback = callback, .argument = argument};
  return stream_submit(stream, &operation, NULL);
}
