// SPDX-License-Identifier: Apache-2.0
// All memory that the driver knows of, by the address of the device and by that of the CPU.
#ifndef MEMORY_H
#define MEMORY_H

#include "cuda_types.h"

enum { PAGE = 4096 };

enum memory_kind { DEVICE_MEMORY, HOST_MEMORY, REGISTERED_MEMORY, IMPORTED_MEMORY };

struct memory {
  enum memory_kind kind;
  uintptr_t device; // where a device finds it
  uintptr_t host;   // where the CPU finds it, or 0
  size_t length;    // as asked for
  char *bytes;      // where this library finds it
  int fd;           // of its bytes, or -1
  CUcontext context;
  uint64_t id;
  int sync_memops;
  uint64_t exported_as; // what an imported one is in the process that has it
  int opens;
  int made_since_reset;
  int users; // that are in its bytes now
};

size_t whole_pages(size_t length);

// An address that is never handed out again, with a page behind it that is nobody's; 0 if there is none left.
uintptr_t memory_reserve(size_t length);

// Makes a copy of this known, as memory of the context that is current; false if some of it is known already.
bool memory_add(const struct memory *memory);

// Ends one opening of memory that starts there, at the address of the CPU if it has one. If that was the last, waits
// until nobody is in its bytes and forgets it: then these are the caller's to free.
CUresult memory_remove(enum memory_kind kind, uintptr_t start, struct memory *removed);

// What is known of the memory that has this address of a device, or of the CPU, and so many bytes from there.
bool memory_at_device(uintptr_t address, size_t length, struct memory *found);
bool memory_at_host(uintptr_t address, size_t length, struct memory *found);

// Opens what is imported already once more.
bool memory_open_again(uint64_t exported_as, uintptr_t *device);

bool memory_set_sync_memops(uintptr_t device, int value);

// Whether an address is one that only a device may use, or was.
bool memory_is_reserved(uintptr_t address);

// The bytes behind an address of a device, or of the CPU; they stay there until the caller has left. NULL if there are
// none.
char *memory_enter_device(uintptr_t address, size_t length, struct memory **entered);
char *memory_enter_host(uintptr_t address, size_t length, struct memory **entered);
void memory_leave(struct memory *entered);

size_t memory_used(int device);

int64_t memory_live(enum memory_kind kind);

void memory_reset(void);

#endif
