// SPDX-License-Identifier: Apache-2.0
// What a test may ask of this libcuda.so.1, which has no GPU behind it. All of these functions are exported, so that a
// test finds them by name; a process that the test starts has the environment variables instead.
//
// The memory of a device is an address that nobody may touch, and bytes that only this library maps. A load or a store of
// the CPU is a SIGSEGV, a system call gets EFAULT, and an address that was freed is never handed out again.
//
// A stream is a thread that does its operations one after the other, after a random delay if asked. Addresses are looked
// up when an operation runs. One that fails breaks its context: every later call there gives that error, while the
// contexts of other devices go on.
//
// While a stream is captured into a graph, a call that is no part of a stream is refused and makes the capture invalid, as
// the modes of both say: cuMemAlloc and cuMemHostRegister, as a GPU did, cuEventQuery, as cuda.h says, and what is like
// them.
//
// Pinned host memory is read and written while a copy runs; other host memory is read at the call, and a copy to it ends
// before the call does.
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <stdint.h>

#define FAKECUDA_API __attribute__((visibility("default")))

// What fakecuda_live counts.
enum fakecuda_kind {
  FAKECUDA_DEVICE_MEMORY,
  FAKECUDA_HOST_MEMORY,
  FAKECUDA_REGISTRATION,
  FAKECUDA_IPC_MAPPING,
  FAKECUDA_STREAM,
  FAKECUDA_EVENT,
  FAKECUDA_CONTEXT,
  FAKECUDA_GRAPH,
};

// Sets a knob of knobs.def; -1 if there is none of that name. FAKECUDA_<NAME> in the environment is what it starts with.
FAKECUDA_API int fakecuda_set(const char *knob, int64_t value);

// What an attribute of every device is from now on, such as 0 for what a device is to be without.
FAKECUDA_API int fakecuda_attribute(int attribute, int value);

// The n-th call from now of a function gives this result and does nothing, or every call if n is 0. The name may be
// without its version. For op.copy, op.set, op.write, op.wait, op.host and op.event it is an operation in a stream that
// fails, and breaks the context. FAKECUDA_FAULTS=cuMemAlloc@2=2,op.copy@1=700 does the same from the start.
FAKECUDA_API void fakecuda_fault(const char *name, int64_t n, int result);

// The n-th call from now of any function of the API gives this result and does nothing.
FAKECUDA_API void fakecuda_fail_call(int64_t n, int result);

// How often a function was called since the last reset, whatever its version; or an operation ran, by the names above.
FAKECUDA_API int64_t fakecuda_calls(const char *name);

// The calls of all functions since the last reset, and the name of one of them, from 0; NULL if that many are not kept.
FAKECUDA_API int64_t fakecuda_call_count(void);
FAKECUDA_API const char *fakecuda_call_name(int64_t index);

// What was made since the last reset, and is still there.
FAKECUDA_API int64_t fakecuda_live(int kind);

// What a NIC does: copies to or from memory of a device or registered memory, by its device address, past all streams.
// -1 if there is no such memory.
FAKECUDA_API int fakecuda_dma(uint64_t device, void *host, uint64_t length, int is_write);

// The bytes behind an address of a device, for a test to look at as only the device may; until the memory is freed.
// NULL if there are none.
FAKECUDA_API void *fakecuda_bytes(uint64_t device);

// Ends what streams do and forgets what is in them, ends all faults and errors of contexts, sets knobs and attributes to
// what they started with, and counts from zero. What was made before can be used and freed as before. What a thread has
// said about captures stays.
FAKECUDA_API void fakecuda_reset(void);

#endif
