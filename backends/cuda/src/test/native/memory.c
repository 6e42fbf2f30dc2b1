// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "contexts.h"

// Reserved once: no load, store or system call gets through it, and it costs nothing but addresses.
static const size_t ADDRESSES = (size_t)1 << 40;

struct entry {
  uintptr_t start;
  struct memory *memory;
};

// Sorted by where they start; none overlaps another.
struct table {
  struct entry *entries;
  size_t count;
  size_t capacity;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static struct table by_device;
static struct table by_host;
static uint64_t last_id;
static _Atomic uintptr_t addresses;
static size_t addresses_used;

size_t whole_pages(size_t length) { return (length + PAGE - 1) / PAGE * PAGE; }

uintptr_t memory_reserve(size_t length) {
  uintptr_t reserved = 0;
  pthread_mutex_lock(&lock);
  if (!addresses) {
    void *place = mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    addresses = place == MAP_FAILED ? 0 : (uintptr_t)place;
  }
  if (addresses && length < ADDRESSES - addresses_used - PAGE) {
    reserved = addresses + addresses_used;
    addresses_used += whole_pages(length) + PAGE;
  }
  pthread_mutex_unlock(&lock);
  return reserved;
}

bool memory_is_reserved(uintptr_t address) { return addresses && address - addresses < ADDRESSES; }

// The index of the first entry that starts behind the address.
static size_t index_behind(const struct table *table, uintptr_t address) {
  size_t low = 0;
  size_t high = table->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (table->entries[middle].start <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static struct memory *find(const struct table *table, uintptr_t address, size_t length) {
  size_t behind = index_behind(table, address);
  if (behind == 0) {
    return NULL;
  }
  const struct entry *entry = &table->entries[behind - 1];
  size_t offset = address - entry->start;
  size_t whole = entry->memory->length;
  return offset < whole && length <= whole - offset ? entry->memory : NULL;
}

static bool overlaps(const struct table *table, uintptr_t start, size_t length) {
  size_t behind = index_behind(table, start + length - 1);
  if (behind == 0) {
    return false;
  }
  const struct entry *entry = &table->entries[behind - 1];
  return entry->start + entry->memory->length > start;
}

static void insert(struct table *table, uintptr_t start, struct memory *memory) {
  if (table->count == table->capacity) {
    table->capacity = 2 * table->capacity + 64;
    table->entries = realloc(table->entries, table->capacity * sizeof *table->entries);
  }
  size_t index = index_behind(table, start);
  struct entry *place = table->entries + index;
  memmove(place + 1, place, (table->count - index) * sizeof *place);
  *place = (struct entry){start, memory};
  table->count++;
}

static void erase(struct table *table, uintptr_t start) {
  size_t index = index_behind(table, start) - 1;
  struct entry *place = table->entries + index;
  memmove(place, place + 1, (table->count - index - 1) * sizeof *place);
  table->count--;
}

bool memory_add(const struct memory *memory) {
  pthread_mutex_lock(&lock);
  bool is_new = !memory->host || !overlaps(&by_host, memory->host, memory->length);
  if (is_new) {
    struct memory *added = malloc(sizeof *added);
    *added = *memory;
    added->id = ++last_id;
    added->context = context_current();
    added->opens = 1;
    added->made_since_reset = 1;
    insert(&by_device, added->device, added);
    if (added->host) {
      insert(&by_host, added->host, added);
    }
  }
  pthread_mutex_unlock(&lock);
  return is_new;
}

static struct memory *find_start(enum memory_kind kind, uintptr_t start) {
  bool of_cpu = kind == HOST_MEMORY || kind == REGISTERED_MEMORY;
  struct memory *memory = find(of_cpu ? &by_host : &by_device, start, 1);
  bool starts_there = memory && memory->kind == kind && (of_cpu ? memory->host : memory->device) == start;
  return starts_there ? memory : NULL;
}

static void forget(struct memory *memory, struct memory *removed) {
  erase(&by_device, memory->device);
  if (memory->host) {
    erase(&by_host, memory->host);
  }
  while (memory->users > 0) {
    pthread_cond_wait(&left, &lock);
  }
  *removed = *memory;
  free(memory);
}

CUresult memory_remove(enum memory_kind kind, uintptr_t start, struct memory *removed) {
  removed->opens = 1;
  pthread_mutex_lock(&lock);
  struct memory *memory = find_start(kind, start);
  CUresult result = memory ? (CUresult)memory->context->error : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) {
    memory->opens--;
    if (memory->made_since_reset > 0) {
      memory->made_since_reset--;
    }
    if (memory->opens == 0) {
      forget(memory, removed);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static bool look(const struct table *table, uintptr_t address, size_t length, struct memory *found) {
  pthread_mutex_lock(&lock);
  struct memory *memory = find(table, address, length);
  if (memory) {
    *found = *memory;
  }
  pthread_mutex_unlock(&lock);
  return memory != NULL;
}

bool memory_at_device(uintptr_t address, size_t length, struct memory *found) {
  return look(&by_device, address, length, found);
}

bool memory_at_host(uintptr_t address, size_t length, struct memory *found) {
  return look(&by_host, address, length, found);
}

bool memory_open_again(uint64_t exported_as, uintptr_t *device) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < by_device.count && !found; i++) {
    struct memory *memory = by_device.entries[i].memory;
    if (memory->kind == IMPORTED_MEMORY && memory->exported_as == exported_as) {
      memory->opens++;
      memory->made_since_reset++;
      *device = memory->device;
      found = true;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

bool memory_set_sync_memops(uintptr_t device, int value) {
  pthread_mutex_lock(&lock);
  struct memory *memory = find(&by_device, device, 1);
  bool is_device = memory && memory->kind == DEVICE_MEMORY;
  if (is_device) {
    memory->sync_memops = value;
  }
  pthread_mutex_unlock(&lock);
  return is_device;
}

static char *enter(const struct table *table, uintptr_t address, size_t length, struct memory **entered) {
  char *bytes = NULL;
  pthread_mutex_lock(&lock);
  struct memory *memory = find(table, address, length);
  if (memory) {
    memory->users++;
    bytes = memory->bytes + (address - (table == &by_device ? memory->device : memory->host));
  }
  pthread_mutex_unlock(&lock);
  *entered = memory;
  return bytes;
}

char *memory_enter_device(uintptr_t address, size_t length, struct memory **entered) {
  return enter(&by_device, address, length, entered);
}

char *memory_enter_host(uintptr_t address, size_t length, struct memory **entered) {
  return enter(&by_host, address, length, entered);
}

void memory_leave(struct memory *entered) {
  if (!entered) {
    return;
  }
  pthread_mutex_lock(&lock);
  entered->users--;
  if (entered->users == 0) {
    pthread_cond_broadcast(&left);
  }
  pthread_mutex_unlock(&lock);
}

size_t memory_used(int device) {
  size_t used = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < by_device.count; i++) {
    struct memory *memory = by_device.entries[i].memory;
    bool counts = memory->kind == DEVICE_MEMORY && memory->context->device == device;
    used += counts ? whole_pages(memory->length) : 0;
  }
  pthread_mutex_unlock(&lock);
  return used;
}

int64_t memory_live(enum memory_kind kind) {
  int64_t live = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < by_device.count; i++) {
    struct memory *memory = by_device.entries[i].memory;
    live += memory->kind == kind ? memory->made_since_reset : 0;
  }
  pthread_mutex_unlock(&lock);
  return live;
}

void memory_reset(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < by_device.count; i++) {
    by_device.entries[i].memory->made_since_reset = 0;
  }
  pthread_mutex_unlock(&lock);
}
