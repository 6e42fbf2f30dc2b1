// SPDX-License-Identifier: Apache-2.0
// Memory of devices and of the host: made, registered, and freed again.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "contexts.h"
#include "knobs.h"
#include "memory.h"
#include "streams.h"

// What fresh memory is full of, so that nobody relies on zeros.
enum { FRESH = 0xdb };

static CUresult map_bytes(struct memory *memory) {
  size_t length = whole_pages(memory->length);
  memory->fd = memfd_create("fakecuda", MFD_CLOEXEC);
  if (memory->fd < 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  void *bytes = MAP_FAILED;
  if (ftruncate(memory->fd, (off_t)length) == 0) {
    bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
  }
  if (bytes == MAP_FAILED) {
    close(memory->fd);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memset(bytes, FRESH, length);
  memory->bytes = bytes;
  return CUDA_SUCCESS;
}

API cuMemAlloc_v2(CUdeviceptr *address, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  if (length == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  size_t total = (size_t)knob(KNOB_MEM);
  size_t used = memory_used(context_current()->device);
  if (length > total || used > total - whole_pages(length)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  struct memory memory = {.kind = DEVICE_MEMORY, .length = length, .device = memory_reserve(length)};
  if (!memory.device) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  TRY(map_bytes(&memory));
  memory_add(&memory);
  *address = memory.device;
  return CUDA_SUCCESS;
}

API cuMemFree_v2(CUdeviceptr address) {
  BEGIN(NEEDS_NO_CAPTURE);
  if (address == 0) {
    return CUDA_SUCCESS;
  }
  TRY(streams_hold(__func__));
  struct memory removed;
  CUresult result = memory_remove(DEVICE_MEMORY, address, &removed);
  if (result == CUDA_SUCCESS) {
    munmap(removed.bytes, whole_pages(removed.length));
    close(removed.fd);
  }
  streams_let_go();
  return result;
}

API cuMemGetInfo_v2(size_t *available, size_t *total) {
  BEGIN(NEEDS_CONTEXT);
  *total = (size_t)knob(KNOB_MEM);
  *available = *total - memory_used(context_current()->device);
  return CUDA_SUCCESS;
}

API cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *length, CUdeviceptr address) {
  BEGIN(NEEDS_CONTEXT);
  struct memory memory;
  if (!memory_at_device(address, 1, &memory)) {
    return CUDA_ERROR_NOT_FOUND;
  }
  if (start) {
    *start = memory.device;
  }
  if (length) {
    *length = memory.length;
  }
  return CUDA_SUCCESS;
}

// Host memory is at one address for the CPU and for devices.
static CUresult host_alloc(void **address, size_t length) {
  uintptr_t start = length > 0 ? memory_reserve(length) : 0;
  if (!start) {
    return length > 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
  }
  int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  void *bytes = mmap((void *)start, whole_pages(length), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (bytes == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memory_add(&(struct memory){
      .kind = HOST_MEMORY, .device = start, .host = start, .length = length, .bytes = bytes, .fd = -1});
  *address = bytes;
  return CUDA_SUCCESS;
}

API cuMemHostAlloc(void **address, size_t length, unsigned int flags) {
  BEGIN(NEEDS_NO_CAPTURE);
  (void)flags;
  return host_alloc(address, length);
}

API cuMemAllocHost_v2(void **address, size_t length) {
  BEGIN(NEEDS_NO_CAPTURE);
  return host_alloc(address, length);
}

API cuMemFreeHost(void *address) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(streams_hold(__func__));
  struct memory removed;
  CUresult result = memory_remove(HOST_MEMORY, (uintptr_t)address, &removed);
  if (result == CUDA_SUCCESS) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap(removed.bytes, whole_pages(removed.length), PROT_NONE, flags, -1, 0);
  }
  streams_let_go();
  return result;
}

API cuMemHostRegister_v2(void *address, size_t length, unsigned int flags) {
  BEGIN(NEEDS_NO_CAPTURE);
  (void)flags;
  uintptr_t host = (uintptr_t)address;
  if (!host || length == 0 || (memory_is_reserved(host) && !memory_at_host(host, length, &(struct memory){0}))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  uintptr_t device = host;
  if (knob(KNOB_ALIAS)) {
    size_t offset = host % PAGE;
    uintptr_t start = memory_reserve(offset + length);
    if (!start) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    device = start + offset;
  }
  bool added = memory_add(&(struct memory){
      .kind = REGISTERED_MEMORY, .device = device, .host = host, .length = length, .bytes = address, .fd = -1});
  return added ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

API cuMemHostUnregister(void *address) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(streams_hold(__func__));
  struct memory removed;
  CUresult result = memory_remove(REGISTERED_MEMORY, (uintptr_t)address, &removed);
  streams_let_go();
  return result == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : result;
}

API cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *address, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  struct memory memory;
  if (flags != 0 || !memory_at_host((uintptr_t)address, 1, &memory)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *device = memory.device + ((uintptr_t)address - memory.host);
  return CUDA_SUCCESS;
}

API cuMemHostGetFlags(unsigned int *flags, void *address) {
  BEGIN(NEEDS_CONTEXT);
  if (!memory_at_host((uintptr_t)address, 1, &(struct memory){0})) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}
