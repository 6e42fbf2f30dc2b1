// SPDX-License-Identifier: Apache-2.0
// Streams that are captured into graphs, and what calls that are no part of them do to that: such as one that allocates,
// which the driver takes for a mistake of who captures. It refuses the call, with 900, and the graph, at its end, with 901.
#ifndef CAPTURES_H
#define CAPTURES_H

#include "cuda_types.h"

struct operation;

// Of one stream.
struct capture {
  _Atomic(CUgraph) graph; // that operations go to instead, or NULL
  CUstreamCaptureMode mode;
  int thread; // which began it
  _Atomic bool is_invalid;
  CUstream next;
};

bool stream_is_captured(CUstream stream);

// Has an operation captured. What is staged in it is gone if it cannot be.
CUresult capture_add(CUstream stream, const struct operation *operation);

// Invalidates it, for a call that asks for what a captured stream has not done; gives the error of that call.
CUresult capture_break(CUstream stream);

// Whether this thread may make a call that is unsafe; if not, the captures that forbid it are invalid.
CUresult captures_permit_unsafe(void);

// Whether a default stream may be used, which waits for all streams that are not CU_STREAM_NON_BLOCKING. If not, those
// that are captured are invalid, unless they are only asked about.
CUresult captures_permit_default(CUcontext context, bool only_asks);

// Ends all captures; the modes of threads stay.
void captures_reset(void);

#endif
