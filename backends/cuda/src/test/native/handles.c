// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "handles.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

// Pages that are not touched cost nothing, so all objects there may ever be have their place from the start.
static char *reserve(size_t bytes) {
  void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? NULL : place;
}

void *handles_add(struct handles *handles) {
  void *added = NULL;
  pthread_mutex_lock(&handles->lock);
  if (!handles->objects) {
    handles->objects = reserve(handles->size * handles->limit);
  }
  if (handles->objects && handles->count < handles->limit) {
    added = handles_at(handles, handles->count);
    handles->count++;
  }
  pthread_mutex_unlock(&handles->lock);
  return added;
}

bool handles_have(struct handles *handles, const void *object) {
  size_t offset = (uintptr_t)object - (uintptr_t)handles->objects;
  return offset / handles->size < handles->count && offset % handles->size == 0;
}

void *handles_at(struct handles *handles, size_t index) { return handles->objects + index * handles->size; }
