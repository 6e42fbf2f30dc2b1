// SPDX-License-Identifier: Apache-2.0
// What the driver knows of an address.
#include "calls.h"
#include "contexts.h"
#include "knobs.h"
#include "memory.h"

// The addresses of registered memory are two; either may be asked for.
static bool find(CUdeviceptr address, struct memory *memory, size_t *offset) {
  if (memory_at_device(address, 1, memory)) {
    *offset = address - memory->device;
    return true;
  }
  if (memory_at_host(address, 1, memory)) {
    *offset = address - memory->host;
    return true;
  }
  return false;
}

// The memory of pools is of a device, and of none of its contexts.
static bool is_pooled(const struct memory *memory) { return knob(KNOB_POOLED) && memory->kind == DEVICE_MEMORY; }

static CUresult attribute_of(void *data, int attribute, CUdeviceptr address) {
  struct memory memory;
  size_t offset;
  if (!find(address, &memory, &offset)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  bool is_device = memory.kind == DEVICE_MEMORY || memory.kind == IMPORTED_MEMORY;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *(CUcontext *)data = is_pooled(&memory) ? NULL : memory.context;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned *)data = is_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *(CUdeviceptr *)data = memory.device + offset;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *(uintptr_t *)data = memory.host ? memory.host + offset : 0;
      return memory.host ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      *(unsigned *)data = (unsigned)memory.sync_memops;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      *(unsigned long long *)data = memory.id;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *(unsigned *)data = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *(int *)data = memory.context->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      *(unsigned *)data = memory.kind == DEVICE_MEMORY;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *(CUdeviceptr *)data = memory.device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *(size_t *)data = memory.length;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *(unsigned *)data = 1;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      *(unsigned long long *)data = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      *(unsigned *)data = is_device;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// Asked for several at once, an address that the driver does not know is no error; its attributes are nothing.
static void set_to_nothing(void *data, int attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      *(uint64_t *)data = 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *(int *)data = -2;
      break;
    default:
      *(unsigned *)data = 0;
  }
}

API cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  BEGIN(NEEDS_CONTEXT);
  return attribute_of(data, (int)attribute, address);
}

API cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr address) {
  BEGIN(NEEDS_CONTEXT);
  for (unsigned i = 0; i < count; i++) {
    if (attribute_of(data[i], (int)attributes[i], address) != CUDA_SUCCESS) {
      set_to_nothing(data[i], (int)attributes[i]);
    }
  }
  return CUDA_SUCCESS;
}

API cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  BEGIN(NEEDS_CONTEXT);
  struct memory memory;
  if (memory_at_device(address, 1, &memory) && is_pooled(&memory)) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  bool set = attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && memory_set_sync_memops(address, *(const int *)value);
  return set ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
