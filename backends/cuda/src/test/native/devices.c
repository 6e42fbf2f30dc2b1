// SPDX-License-Identifier: Apache-2.0
// What there is before any context: the driver, and the devices.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "contexts.h"
#include "fakecuda.h"
#include "knobs.h"

enum { ATTRIBUTES = 256, FIRST_BUS = 0x10 };

// Those that a test has chosen are one more than their value, so that 0 is none.
static _Atomic int chosen[ATTRIBUTES];

bool device_exists(CUdevice device) { return device >= 0 && device < knob(KNOB_DEVICES) && device < MAX_DEVICES; }

static int usual_attribute(CUdevice device, int attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return FIRST_BUS + device;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      return 0;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 2;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
      return knob(KNOB_ALIAS) == 0;
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS:
      return 3; // by the host, and by operations in a stream
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING:
      return 100; // ordered for the device that owns the memory
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
      return 1;
    default:
      return 0;
  }
}

int device_attribute(CUdevice device, int attribute) {
  if (attribute >= 0 && attribute < ATTRIBUTES && chosen[attribute] != 0) {
    return chosen[attribute] - 1;
  }
  return usual_attribute(device, attribute);
}

int fakecuda_attribute(int attribute, int value) {
  if (attribute < 0 || attribute >= ATTRIBUTES || value < 0) {
    return -1;
  }
  chosen[attribute] = value + 1;
  return 0;
}

void devices_reset(void) {
  for (int i = 0; i < ATTRIBUTES; i++) {
    chosen[i] = 0;
  }
}

API cuInit(unsigned int flags) {
  BEGIN(NEEDS_NOTHING);
  if (flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (knob(KNOB_DEVICES) < 1) {
    return CUDA_ERROR_NO_DEVICE;
  }
  driver_initialized();
  return CUDA_SUCCESS;
}

API cuDriverGetVersion(int *version) {
  BEGIN(NEEDS_NOTHING);
  *version = (int)knob(KNOB_VERSION);
  return CUDA_SUCCESS;
}

API cuDeviceGetCount(int *count) {
  BEGIN(NEEDS_INIT);
  long devices = knob(KNOB_DEVICES);
  *count = devices > MAX_DEVICES ? MAX_DEVICES : (int)devices;
  return CUDA_SUCCESS;
}

API cuDeviceGet(CUdevice *device, int ordinal) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(ordinal)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = ordinal;
  return CUDA_SUCCESS;
}

API cuDeviceGetName(char *name, int length, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  snprintf(name, (size_t)length, "Fake CUDA device %d", device);
  return CUDA_SUCCESS;
}

static CUresult uuid_of(CUuuid *uuid, CUdevice device) {
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  memset(uuid, 0xf0 + device, sizeof *uuid);
  return CUDA_SUCCESS;
}

API cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  BEGIN(NEEDS_INIT);
  return uuid_of(uuid, device);
}

API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  BEGIN(NEEDS_INIT);
  return uuid_of(uuid, device);
}

API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *bytes = (size_t)knob(KNOB_MEM);
  return CUDA_SUCCESS;
}

API cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  snprintf(id, (size_t)length, "0000:%02x:00.0", FIRST_BUS + device);
  return CUDA_SUCCESS;
}

API cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  BEGIN(NEEDS_INIT);
  unsigned domain;
  unsigned bus;
  if (sscanf(id, "%x:%x:", &domain, &bus) != 2 || !device_exists((int)bus - FIRST_BUS)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = (int)bus - FIRST_BUS;
  return CUDA_SUCCESS;
}

API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *value = device_attribute(device, (int)attribute);
  return CUDA_SUCCESS;
}

API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  BEGIN(NEEDS_INIT);
  if (!device_exists(device) || !device_exists(peer)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *can = device != peer;
  return CUDA_SUCCESS;
}
