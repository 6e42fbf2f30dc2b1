// SPDX-License-Identifier: Apache-2.0
// Memory of a device for others: for another process, by a handle, and for a NIC, by a dma-buf.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "contexts.h"
#include "memory.h"
#include "streams.h"

static const char MAGIC[8] = "fakecud";

// What is in the 64 bytes of a handle. The number of an inode tells memory from what has its descriptor later.
struct shared {
  char magic[8];
  int64_t pid;
  int64_t fd;
  uint64_t length;
  uint64_t inode;
};

_Static_assert(sizeof(struct shared) <= sizeof(CUipcMemHandle), "it has to fit");

// Only from where an allocation starts, which is stricter than CUDA.
static bool find_start(CUdeviceptr address, struct memory *memory) {
  return memory_at_device(address, 1, memory) && memory->kind == DEVICE_MEMORY && memory->device == address;
}

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

API cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  BEGIN(NEEDS_CONTEXT);
  struct memory memory;
  if (!find_start(address, &memory)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  struct shared shared = {.pid = getpid(), .fd = memory.fd, .length = memory.length, .inode = inode_of(memory.fd)};
  memcpy(shared.magic, MAGIC, sizeof MAGIC);
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &shared, sizeof shared);
  return CUDA_SUCCESS;
}

static CUresult map_shared(const struct shared *shared, int fd, CUdeviceptr *address) {
  size_t length = whole_pages(shared->length);
  uintptr_t device = memory_reserve(length);
  void *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!device || bytes == MAP_FAILED) {
    close(fd);
    return CUDA_ERROR_MAP_FAILED;
  }
  memory_add(&(struct memory){.kind = IMPORTED_MEMORY,
                              .device = device,
                              .length = shared->length,
                              .bytes = bytes,
                              .fd = fd,
                              .exported_as = shared->inode});
  *address = device;
  return CUDA_SUCCESS;
}

// The descriptor is closed again if this is opened already, or is other memory by now.
static CUresult open_shared(const struct shared *shared, int fd, CUdeviceptr *address) {
  uintptr_t present;
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  if (inode_of(fd) == shared->inode) {
    if (!memory_open_again(shared->inode, &present)) {
      return map_shared(shared, fd, address);
    }
    *address = present;
    result = CUDA_SUCCESS;
  }
  close(fd);
  return result;
}

API cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags) {
  BEGIN(NEEDS_NO_CAPTURE);
  (void)flags;
  struct shared shared;
  memcpy(&shared, &handle, sizeof shared);
  if (memcmp(shared.magic, MAGIC, sizeof MAGIC) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (shared.pid == getpid()) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/fd/%ld", (long)shared.pid, (long)shared.fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd < 0 ? CUDA_ERROR_INVALID_VALUE : open_shared(&shared, fd, address);
}

API cuIpcCloseMemHandle(CUdeviceptr address) {
  BEGIN(NEEDS_NO_CAPTURE);
  TRY(streams_hold(__func__));
  struct memory removed;
  CUresult result = memory_remove(IMPORTED_MEMORY, address, &removed);
  if (result == CUDA_SUCCESS && removed.opens == 0) {
    munmap(removed.bytes, whole_pages(removed.length));
    close(removed.fd);
  }
  streams_let_go();
  return result;
}

// The dma-buf is the file of the bytes, which a test maps, reads and writes where a NIC would.
API cuMemGetHandleForAddressRange(void *handle, CUdeviceptr address, size_t length, CUmemRangeHandleType type,
                                  unsigned long long flags) {
  BEGIN(NEEDS_CONTEXT);
  (void)flags;
  bool supported = device_attribute(context_current()->device, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED);
  if (!supported || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  struct memory memory;
  bool in_pages = length > 0 && address % PAGE == 0 && length % PAGE == 0;
  if (!in_pages || !find_start(address, &memory) || length > whole_pages(memory.length)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int fd = fcntl(memory.fd, F_DUPFD_CLOEXEC, 3);
  if (fd < 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *(int *)handle = fd;
  return CUDA_SUCCESS;
}

API cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope) {
  BEGIN(NEEDS_CONTEXT);
  (void)target;
  (void)scope;
  atomic_thread_fence(memory_order_seq_cst);
  return CUDA_SUCCESS;
}
