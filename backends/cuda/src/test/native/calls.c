// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "captures.h"
#include "contexts.h"
#include "fakecuda.h"
#include "knobs.h"

enum { KEPT_CALLS = 1 << 16, EVERY = 0, SPENT = -1 };

// A fault with this name counts the calls of all functions.
static const char ANY_FUNCTION[] = "";

struct fault {
  char name[64];
  int64_t left; // calls until it happens, EVERY or SPENT
  CUresult result;
  struct fault *next;
};

static pthread_mutex_t faults_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault *faults;
// Spares calls the lock as long as there is none.
static _Atomic bool any_faults;

static struct counter *_Atomic counters;
static _Atomic int64_t call_count;
static const char *_Atomic kept_names[KEPT_CALLS];
static _Atomic bool initialized;
static _Thread_local bool in_host_function;

// The length without a version such as _v2, of which a test need not know which one JCuda calls.
static size_t bare_length(const char *name) {
  size_t length = strlen(name);
  bool versioned = length > 3 && memcmp(name + length - 3, "_v", 2) == 0;
  return versioned ? length - 3 : length;
}

static bool is_same_function(const char *name, const char *other) {
  size_t length = bare_length(name);
  return length == bare_length(other) && memcmp(name, other, length) == 0;
}

static CUresult fault_happens(struct fault *fault) {
  if (fault->left == EVERY) {
    return fault->result;
  }
  if (fault->left == SPENT || --fault->left > 0) {
    return CUDA_SUCCESS;
  }
  fault->left = SPENT;
  return fault->result;
}

static CUresult fault_of(const char *name, bool is_function) {
  if (!atomic_load_explicit(&any_faults, memory_order_relaxed)) {
    return CUDA_SUCCESS;
  }
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&faults_lock);
  for (struct fault *fault = faults; fault && result == CUDA_SUCCESS; fault = fault->next) {
    bool meant = fault->name[0] ? is_same_function(fault->name, name) : is_function;
    result = meant ? fault_happens(fault) : CUDA_SUCCESS;
  }
  pthread_mutex_unlock(&faults_lock);
  return result;
}

static void count(struct counter *counter) {
  if (!atomic_load_explicit(&counter->known, memory_order_relaxed) && !atomic_exchange(&counter->known, true)) {
    struct counter *first = counters;
    do {
      counter->next = first;
    } while (!atomic_compare_exchange_weak(&counters, &first, counter));
  }
  atomic_fetch_add_explicit(&counter->calls, 1, memory_order_relaxed);
}

CUresult call_begin(struct counter *function, enum needs needs) {
  count(function);
  int64_t index = atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
  if (index < KEPT_CALLS) {
    kept_names[index] = function->name;
  }
  if (knob(KNOB_TRACE)) {
    fprintf(stderr, "fakecuda: thread %d calls %s\n", gettid(), function->name);
  }
  TRY(fault_of(function->name, true));
  if (needs == NEEDS_NOTHING) {
    return CUDA_SUCCESS;
  }
  if (!initialized) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (in_host_function) {
    return CUDA_ERROR_NOT_PERMITTED;
  }
  if (needs == NEEDS_INIT) {
    return CUDA_SUCCESS;
  }
  TRY(context_usable(context_current()));
  return needs == NEEDS_NO_CAPTURE ? captures_permit_unsafe() : CUDA_SUCCESS;
}

CUresult operation_begin(struct counter *operation) {
  count(operation);
  return fault_of(operation->name, false);
}

void driver_initialized(void) { initialized = true; }

void host_function_begins(void) { in_host_function = true; }

void host_function_ends(void) { in_host_function = false; }

void fakecuda_fault(const char *name, int64_t n, int result) {
  struct fault *fault = calloc(1, sizeof *fault);
  snprintf(fault->name, sizeof fault->name, "%s", name);
  fault->left = n;
  fault->result = (CUresult)result;
  pthread_mutex_lock(&faults_lock);
  fault->next = faults;
  faults = fault;
  any_faults = true;
  pthread_mutex_unlock(&faults_lock);
}

void fakecuda_fail_call(int64_t n, int result) { fakecuda_fault(ANY_FUNCTION, n, result); }

int64_t fakecuda_calls(const char *name) {
  int64_t calls = 0;
  for (struct counter *counter = counters; counter; counter = counter->next) {
    calls += is_same_function(counter->name, name) ? counter->calls : 0;
  }
  return calls;
}

int64_t fakecuda_call_count(void) { return call_count; }

const char *fakecuda_call_name(int64_t index) {
  bool kept = index >= 0 && index < call_count && index < KEPT_CALLS;
  return kept ? kept_names[index] : NULL;
}

void calls_reset(void) {
  pthread_mutex_lock(&faults_lock);
  while (faults) {
    struct fault *next = faults->next;
    free(faults);
    faults = next;
  }
  any_faults = false;
  pthread_mutex_unlock(&faults_lock);
  for (struct counter *counter = counters; counter; counter = counter->next) {
    counter->calls = 0;
  }
  call_count = 0;
}

__attribute__((constructor)) static void read_environment(void) {
  const char *variable = getenv("FAKECUDA_FAULTS");
  char *text = strdup(variable ? variable : "");
  char *rest = NULL;
  for (char *fault = strtok_r(text, ",", &rest); fault; fault = strtok_r(NULL, ",", &rest)) {
    char name[64];
    long n;
    int result;
    if (sscanf(fault, "%63[^@]@%ld=%d", name, &n, &result) == 3) {
      fakecuda_fault(name, n, result);
    } else {
      fprintf(stderr, "fakecuda: expected FAKECUDA_FAULTS as name@n=result, got %s\n", fault);
    }
  }
  free(text);
}
