// SPDX-License-Identifier: Apache-2.0
// Words that streams write and wait for, by addresses of a device.
#include <stdatomic.h>

#include "calls.h"
#include "contexts.h"
#include "memory.h"
#include "streams.h"

enum { LARGEST_BATCH = 256 };

static CUresult word(CUstream handle, enum operation_kind kind, CUdeviceptr address, uint64_t value, unsigned width,
                     unsigned flags) {
  CUstream stream;
  TRY(stream_find(handle, &stream));
  if (width == 8 && !device_attribute(stream->context->device, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (address % width != 0 || !memory_at_device(address, width, &(struct memory){0})) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  struct operation operation = {
      .kind = kind, .to = {ON_DEVICE, address}, .value = value, .width = width, .flags = flags};
  return stream_submit(stream, &operation, NULL);
}

// The functions of both versions, which take the same.
#define WORD_FUNCTION(name, kind, type)                                                              \
  API name(CUstream stream, CUdeviceptr address, type value, unsigned int flags) {                   \
    BEGIN(NEEDS_CONTEXT);                                                                            \
    return word(stream, kind, address, value, sizeof value, flags);                                  \
  }

WORD_FUNCTION(cuStreamWriteValue32, WRITE_WORD, cuuint32_t)
WORD_FUNCTION(cuStreamWriteValue32_v2, WRITE_WORD, cuuint32_t)
WORD_FUNCTION(cuStreamWriteValue64, WRITE_WORD, cuuint64_t)
WORD_FUNCTION(cuStreamWriteValue64_v2, WRITE_WORD, cuuint64_t)
WORD_FUNCTION(cuStreamWaitValue32, AWAIT_WORD, cuuint32_t)
WORD_FUNCTION(cuStreamWaitValue32_v2, AWAIT_WORD, cuuint32_t)
WORD_FUNCTION(cuStreamWaitValue64, AWAIT_WORD, cuuint64_t)
WORD_FUNCTION(cuStreamWaitValue64_v2, AWAIT_WORD, cuuint64_t)

static CUresult one_of_batch(CUstream stream, const CUstreamBatchMemOpParams *params) {
  switch ((int)params->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return word(stream, AWAIT_WORD, params->waitValue.address, params->waitValue.value, 4, params->waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return word(stream, AWAIT_WORD, params->waitValue.address, params->waitValue.value64, 8, params->waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return word(stream, WRITE_WORD, params->writeValue.address, params->writeValue.value, 4,
                  params->writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return word(stream, WRITE_WORD, params->writeValue.address, params->writeValue.value64, 8,
                  params->writeValue.flags);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    case CU_STREAM_MEM_OP_BARRIER:
      return CUDA_SUCCESS; // every operation is a barrier here
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult batch(CUstream stream, unsigned count, const CUstreamBatchMemOpParams *params, unsigned flags) {
  if (count > LARGEST_BATCH || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < count; i++) {
    TRY(one_of_batch(stream, &params[i]));
  }
  return CUDA_SUCCESS;
}

API cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *params, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  return batch(stream, count, params, flags);
}

API cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *params, unsigned int flags) {
  BEGIN(NEEDS_CONTEXT);
  return batch(stream, count, params, flags);
}
