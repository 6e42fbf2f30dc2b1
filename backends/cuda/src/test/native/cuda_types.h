// SPDX-License-Identifier: Apache-2.0
// The types and constants of the driver API that the fake has. With -DFAKECUDA_CHECK they are NVIDIA's own: then the
// compiler compares the prototypes of all functions here with those of cuda.h, and the assertions compare the constants.
#ifndef CUDA_TYPES_H
#define CUDA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULTS(X)                                                                                         \
  X(CUDA_SUCCESS, 0, "no error")                                                                           \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                                       \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                          \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                                 \
  X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                                   \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                       \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                              \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                             \
  X(CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed")                                         \
  X(CUDA_ERROR_ALREADY_MAPPED, 208, "resource already mapped")                                             \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                              \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                             \
  X(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")               \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                                   \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                                                         \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                           \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                             \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")                         \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                          \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "part or all of the requested memory is registered")   \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "pointer does not correspond to a registered memory region") \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                           \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                                              \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                              \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "system has unsupported display driver / cuda driver combination") \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")        \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture")  \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

#ifdef FAKECUDA_CHECK

// Declares every version of every function, and renames none.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#define X(name, value, text) _Static_assert(name == value, #name);
RESULTS(X)
#undef X
#define CONSTANT(name, value) _Static_assert((name) == (value), #name);

#else

#define CUDAAPI
#define X(name, value, text) name = value,
typedef enum { RESULTS(X) } CUresult;
#undef X
#define CONSTANT(name, value) enum { name = value };

typedef int CUdevice;
typedef int CUdevice_attribute;
typedef int CUpointer_attribute;
typedef int CUmemRangeHandleType;
typedef int CUflushGPUDirectRDMAWritesTarget;
typedef int CUflushGPUDirectRDMAWritesScope;
typedef int CUstreamCaptureMode;
typedef int CUstreamCaptureStatus;
typedef unsigned long long CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct {
  char bytes[16];
} CUuuid;
typedef struct {
  char reserved[64];
} CUipcMemHandle;
typedef void (*CUhostFn)(void *argument);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *argument);

struct word_params {
  int operation;
  CUdeviceptr address;
  union {
    cuuint32_t value;
    cuuint64_t value64;
  };
  unsigned flags;
  CUdeviceptr alias;
};
typedef union {
  int operation;
  struct word_params waitValue;
  struct word_params writeValue;
  cuuint64_t pad[6];
} CUstreamBatchMemOpParams;

#endif

_Static_assert(sizeof(CUstreamBatchMemOpParams) == 48, "what a batch consists of");

CONSTANT(CU_STREAM_NON_BLOCKING, 1)
CONSTANT(CU_STREAM_WAIT_VALUE_GEQ, 0)
CONSTANT(CU_STREAM_WAIT_VALUE_EQ, 1)
CONSTANT(CU_STREAM_WAIT_VALUE_AND, 2)
CONSTANT(CU_STREAM_WAIT_VALUE_NOR, 3)
CONSTANT(CU_STREAM_WAIT_VALUE_FLUSH, 1 << 30)
CONSTANT(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, 1)
CONSTANT(CU_STREAM_MEM_OP_WAIT_VALUE_32, 1)
CONSTANT(CU_STREAM_MEM_OP_WRITE_VALUE_32, 2)
CONSTANT(CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 3)
CONSTANT(CU_STREAM_MEM_OP_WAIT_VALUE_64, 4)
CONSTANT(CU_STREAM_MEM_OP_WRITE_VALUE_64, 5)
CONSTANT(CU_STREAM_MEM_OP_BARRIER, 6)
CONSTANT(CU_STREAM_CAPTURE_STATUS_NONE, 0)
CONSTANT(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)
CONSTANT(CU_STREAM_CAPTURE_STATUS_INVALIDATED, 2)
CONSTANT(CU_STREAM_CAPTURE_MODE_GLOBAL, 0)
CONSTANT(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)
CONSTANT(CU_STREAM_CAPTURE_MODE_RELAXED, 2)
CONSTANT(CU_MEMHOSTALLOC_PORTABLE, 1)
CONSTANT(CU_MEMHOSTALLOC_DEVICEMAP, 2)
CONSTANT(CU_MEMORYTYPE_HOST, 1)
CONSTANT(CU_MEMORYTYPE_DEVICE, 2)
CONSTANT(CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 1)
CONSTANT(CU_POINTER_ATTRIBUTE_CONTEXT, 1)
CONSTANT(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)
CONSTANT(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3)
CONSTANT(CU_POINTER_ATTRIBUTE_HOST_POINTER, 4)
CONSTANT(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 6)
CONSTANT(CU_POINTER_ATTRIBUTE_BUFFER_ID, 7)
CONSTANT(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)
CONSTANT(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)
CONSTANT(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, 10)
CONSTANT(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)
CONSTANT(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)
CONSTANT(CU_POINTER_ATTRIBUTE_MAPPED, 13)
CONSTANT(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 14)
CONSTANT(CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, 15)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)
CONSTANT(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)
CONSTANT(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)
CONSTANT(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)
CONSTANT(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)
CONSTANT(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)
CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)
CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, 92)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 93)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 94)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 98)
CONSTANT(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 99)
CONSTANT(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED, 116)
CONSTANT(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 117)
CONSTANT(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING, 118)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 122)
CONSTANT(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 123)
CONSTANT(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 124)

#endif
