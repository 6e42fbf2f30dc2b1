// SPDX-License-Identifier: Apache-2.0
// Objects behind handles of the API. They are never freed and their place is never used again, so that a handle that is
// stale, or none at all, is found and not followed.
#ifndef HANDLES_H
#define HANDLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct handles {
  size_t size;  // of one object
  size_t limit; // of all of them
  char *objects;
  _Atomic size_t count;
  pthread_mutex_t lock;
};

#define HANDLES(type, most) {.size = sizeof(type), .limit = (most), .lock = PTHREAD_MUTEX_INITIALIZER}

// A new object, of zeros; NULL if there are too many.
void *handles_add(struct handles *handles);

bool handles_have(struct handles *handles, const void *object);

void *handles_at(struct handles *handles, size_t index);

#endif
