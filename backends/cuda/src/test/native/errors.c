// SPDX-License-Identifier: Apache-2.0
// What results are called, which may be asked before anything else.
#include "calls.h"

API cuGetErrorName(CUresult error, const char **name) {
  BEGIN(NEEDS_NOTHING);
  switch ((int)error) {
#define X(result, value, text) \
  case value:                  \
    *name = #result;           \
    return CUDA_SUCCESS;
    RESULTS(X)
#undef X
    default:
      *name = NULL;
      return CUDA_ERROR_INVALID_VALUE;
  }
}

API cuGetErrorString(CUresult error, const char **string) {
  BEGIN(NEEDS_NOTHING);
  switch ((int)error) {
#define X(result, value, text) \
  case value:                  \
    *string = text;            \
    return CUDA_SUCCESS;
    RESULTS(X)
#undef X
    default:
      *string = NULL;
      return CUDA_ERROR_INVALID_VALUE;
  }
}
