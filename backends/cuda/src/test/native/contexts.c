// SPDX-License-Identifier: Apache-2.0
#include "contexts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "calls.h"
#include "handles.h"
#include "streams.h"

enum { DEEPEST = 16 };

static struct handles contexts = HANDLES(struct CUctx_st, 4096);
static CUcontext primary[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local CUcontext stack[DEEPEST];
static _Thread_local int depth;

CUcontext context_current(void) { return depth > 0 ? stack[depth - 1] : NULL; }

CUresult context_usable(CUcontext context) {
  if (!context) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!context->is_alive) {
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return (CUresult)atomic_load_explicit(&context->error, memory_order_relaxed);
}

void context_break(CUcontext context, CUresult error) {
  int none = CUDA_SUCCESS;
  atomic_compare_exchange_strong(&context->error, &none, error);
}

static CUcontext add_context(CUdevice device, unsigned flags, bool is_primary) {
  CUcontext context = handles_add(&contexts);
  if (context) {
    context->device = device;
    context->flags = flags;
    context->is_primary = is_primary;
  }
  return context;
}

static void retain(CUcontext context) {
  context->retained++;
  context->is_alive = true;
}

static void release(CUcontext context) {
  context->retained--;
  context->is_alive = context->retained > 0;
  if (context->retained_at_reset > context->retained) {
    context->retained_at_reset = context->retained;
  }
}

// Under the lock; it has no flags and nobody who retains it at first.
static CUcontext primary_of(CUdevice device) {
  if (!primary[device]) {
    primary[device] = add_context(device, 0, true);
  }
  return primary[device];
}

API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  pthread_mutex_lock(&lock);
  *context = primary_of(device);
  retain(*context);
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  pthread_mutex_lock(&lock);
  CUcontext context = primary_of(device);
  bool retained = context->retained > 0;
  if (retained) {
    release(context);
  }
  pthread_mutex_unlock(&lock);
  return retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

API cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  pthread_mutex_lock(&lock);
  CUcontext context = primary_of(device);
  *flags = context->flags;
  *active = context->is_alive;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  pthread_mutex_lock(&lock);
  primary_of(device)->flags = flags;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

static CUresult push(CUcontext context) {
  if (depth == DEEPEST) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

API cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  CUcontext added = add_context(device, flags, false);
  if (!added) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  retain(added);
  *context = added;
  return push(added);
}

API cuCtxDestroy_v2(CUcontext context) {
  BEGIN(NEEDS_INIT);
  if (!handles_have(&contexts, context) || context->is_primary || !context->is_alive) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  release(context);
  if (context_current() == context) {
    depth--;
  }
  return CUDA_SUCCESS;
}

API cuCtxPushCurrent_v2(CUcontext context) {
  BEGIN(NEEDS_INIT);
  return handles_have(&contexts, context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

API cuCtxPopCurrent_v2(CUcontext *context) {
  BEGIN(NEEDS_INIT);
  if (depth == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  depth--;
  if (context) {
    *context = stack[depth];
  }
  return CUDA_SUCCESS;
}

API cuCtxSetCurrent(CUcontext context) {
  BEGIN(NEEDS_INIT);
  if (context && !handles_have(&contexts, context)) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (depth > 0) {
    depth--;
  }
  return context ? push(context) : CUDA_SUCCESS;
}

API cuCtxGetCurrent(CUcontext *context) {
  BEGIN(NEEDS_INIT);
  *context = context_current();
  return CUDA_SUCCESS;
}

API cuCtxGetDevice(CUdevice *device) {
  BEGIN(NEEDS_CONTEXT);
  *device = context_current()->device;
  return CUDA_SUCCESS;
}

API cuCtxGetFlags(unsigned int *flags) {
  BEGIN(NEEDS_CONTEXT);
  *flags = context_current()->flags;
  return CUDA_SUCCESS;
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  BEGIN(NEEDS_CONTEXT);
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

API cuCtxSynchronize(void) {
  BEGIN(NEEDS_NO_CAPTURE);
  CUcontext context = context_current();
  TRY(streams_await_all(context, __func__));
  return context_usable(context);
}

// Every device reaches the memory of every other, so there is nothing to enable.
API cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  return handles_have(&contexts, peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

int64_t contexts_live(void) {
  int64_t live = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < contexts.count; i++) {
    CUcontext context = handles_at(&contexts, i);
    live += context->retained - context->retained_at_reset;
  }
  pthread_mutex_unlock(&lock);
  return live;
}

void contexts_reset(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < contexts.count; i++) {
    CUcontext context = handles_at(&contexts, i);
    context->error = CUDA_SUCCESS;
    context->retained_at_reset = context->retained;
  }
  pthread_mutex_unlock(&lock);
}
