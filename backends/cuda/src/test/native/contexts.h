// SPDX-License-Identifier: Apache-2.0
// Devices and their contexts, and which context is current on a thread.
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "cuda_types.h"

enum { MAX_DEVICES = 8 };

struct CUctx_st {
  int device;
  bool is_primary;
  _Atomic bool is_alive;
  _Atomic int error; // which broke it, and that every later call gives
  unsigned flags;
  int retained;
  int retained_at_reset;
  CUstream default_stream;
};

// NULL if this thread has none.
CUcontext context_current(void);

// Whether calls may use it: CUDA_ERROR_INVALID_CONTEXT for NULL, or the error that broke it.
CUresult context_usable(CUcontext context);

// The first error of a context stays.
void context_break(CUcontext context, CUresult error);

bool device_exists(CUdevice device);

// What the device says of itself, see cuDeviceGetAttribute.
int device_attribute(CUdevice device, int attribute);

int64_t contexts_live(void);

void contexts_reset(void);
void devices_reset(void);

#endif
