// SPDX-License-Identifier: Apache-2.0
// Copies, and memory that is filled. What is read and written when follows CUDA's "API synchronization behavior":
// - from pageable memory to a device: read at the call, and possibly at the device only after it;
// - from a device to pageable memory: the call ends when the bytes are there;
// - with pinned memory: read and written while the copy runs, for which only a call without Async waits;
// - from device to device, and filling: no call waits, unless the memory has SYNC_MEMOPS.
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "contexts.h"
#include "memory.h"
#include "streams.h"

enum waits { ASYNC, SYNC };

static CUresult device_place(CUdeviceptr address, size_t length, struct place *place) {
  *place = (struct place){ON_DEVICE, address};
  return memory_at_device(address, length, &(struct memory){0}) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Memory that is registered only in part is refused, as is the address of a device.
static CUresult host_place(const void *address, size_t length, struct place *place) {
  uintptr_t start = (uintptr_t)address;
  struct memory memory;
  if (memory_at_host(start, length, &memory)) {
    *place = (struct place){PINNED, start};
    return CUDA_SUCCESS;
  }
  if (!start || memory_is_reserved(start) || memory_at_host(start, 1, &memory)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *place = (struct place){PAGEABLE, start};
  return CUDA_SUCCESS;
}

// By an address that may be of either.
static CUresult any_place(CUdeviceptr address, size_t length, struct place *place) {
  if (device_place(address, length, place) == CUDA_SUCCESS) {
    return CUDA_SUCCESS;
  }
  return host_place((const void *)(uintptr_t)address, length, place);
}

static bool has_sync_memops(const struct place *place) {
  struct memory memory;
  return place->kind == ON_DEVICE && memory_at_device(place->address, 1, &memory) && memory.sync_memops;
}

static CUresult stage(struct operation *operation) {
  operation->staged = malloc(operation->length);
  if (!operation->staged) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memcpy(operation->staged, (const void *)operation->from.address, operation->length);
  return CUDA_SUCCESS;
}

static CUresult copy(struct operation *operation, CUstream handle, enum waits waits, const char *function) {
  CUstream stream;
  TRY(stream_find(handle, &stream));
  bool from_host = operation->from.kind != ON_DEVICE;
  bool to_host = operation->to.kind != ON_DEVICE;
  bool must_wait = operation->to.kind == PAGEABLE ||
                   (waits == SYNC && (operation->from.kind == PINNED || to_host || has_sync_memops(&operation->to) ||
                                      has_sync_memops(&operation->from)));
  // Without delays, the shortest way from pageable memory is to wait.
  bool may_wait = waits == SYNC && from_host && !stream_has_delays();
  if (must_wait || may_wait) {
    return stream_run(stream, operation, function);
  }
  if (operation->from.kind == PAGEABLE) {
    TRY(stage(operation));
  }
  return stream_submit(stream, operation, NULL);
}

static CUresult to_device(CUdeviceptr to, const void *from, size_t length, CUstream stream, enum waits waits,
                          const char *function) {
  if (length == 0) {
    return CUDA_SUCCESS;
  }
  struct operation operation = {.kind = COPY, .length = length};
  TRY(device_place(to, length, &operation.to));
  TRY(host_place(from, length, &operation.from));
  return copy(&operation, stream, waits, function);
}

static CUresult to_host(void *to, CUdeviceptr from, size_t length, CUstream stream, enum waits waits,
                        const char *function) {
  if (length == 0) {
    return CUDA_SUCCESS;
  }
  struct operation operation = {.kind = COPY, .length = length};
  TRY(host_place(to, length, &operation.to));
  TRY(device_place(from, length, &operation.from));
  return copy(&operation, stream, waits, function);
}

static CUresult between_devices(CUdeviceptr to, CUdeviceptr from, size_t length, CUstream stream, enum waits waits,
                                const char *function) {
  if (length == 0) {
    return CUDA_SUCCESS;
  }
  struct operation operation = {.kind = COPY, .length = length};
  TRY(device_place(to, length, &operation.to));
  TRY(device_place(from, length, &operation.from));
  return copy(&operation, stream, waits, function);
}

static CUresult anywhere(CUdeviceptr to, CUdeviceptr from, size_t length, CUstream stream, enum waits waits,
                         const char *function) {
  if (length == 0) {
    return CUDA_SUCCESS;
  }
  struct operation operation = {.kind = COPY, .length = length};
  TRY(any_place(to, length, &operation.to));
  TRY(any_place(from, length, &operation.from));
  return copy(&operation, stream, waits, function);
}

API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  return to_device(to, from, length, NULL, SYNC, __func__);
}

API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t length, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return to_device(to, from, length, stream, ASYNC, __func__);
}

API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  return to_host(to, from, length, NULL, SYNC, __func__);
}

API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t length, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return to_host(to, from, length, stream, ASYNC, __func__);
}

API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  return between_devices(to, from, length, NULL, SYNC, __func__);
}

API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t length, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return between_devices(to, from, length, stream, ASYNC, __func__);
}

API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  return anywhere(to, from, length, NULL, SYNC, __func__);
}

API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t length, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return anywhere(to, from, length, stream, ASYNC, __func__);
}

// An address says itself which device it is of, so the contexts say no more than whether they can be used.
API cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(context_usable(to_context));
  TRY(context_usable(from_context));
  return between_devices(to, from, length, NULL, SYNC, __func__);
}

API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t length,
                      CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  TRY(context_usable(to_context));
  TRY(context_usable(from_context));
  return between_devices(to, from, length, stream, ASYNC, __func__);
}

static CUresult set(CUdeviceptr to, uint64_t value, unsigned width, size_t count, CUstream handle, enum waits waits,
                    const char *function) {
  if (count == 0) {
    return CUDA_SUCCESS;
  }
  struct operation operation = {.kind = SET, .length = count * width, .value = value, .width = width};
  TRY(device_place(to, operation.length, &operation.to));
  if (to % width != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUstream stream;
  TRY(stream_find(handle, &stream));
  bool must_wait = waits == SYNC && has_sync_memops(&operation.to);
  return must_wait ? stream_run(stream, &operation, function) : stream_submit(stream, &operation, NULL);
}

API cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  BEGIN(NEEDS_NO_CAPTURE);
  return set(to, value, 1, count, NULL, SYNC, __func__);
}

API cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return set(to, value, 1, count, stream, ASYNC, __func__);
}

API cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count) {
  BEGIN(NEEDS_NO_CAPTURE);
  return set(to, value, 4, count, NULL, SYNC, __func__);
}

API cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  BEGIN(NEEDS_CONTEXT);
  return set(to, value, 4, count, stream, ASYNC, __func__);
}
