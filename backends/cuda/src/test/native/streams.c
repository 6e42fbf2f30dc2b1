// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "calls.h"
#include "clock.h"
#include "contexts.h"
#include "handles.h"
#include "knobs.h"

static struct handles streams = HANDLES(struct CUstream_st, 1 << 16);
static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t held = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local bool holds;
// Of those since the reset, so that a seed gives the same delays in each test.
static _Atomic unsigned made;

bool stream_has_delays(void) { return knob(KNOB_DELAY_US) > 0; }

void stream_delay(CUstream stream) {
  long longest = knob(KNOB_DELAY_US);
  if (longest > 0) {
    sleep_micros(rand_r(&stream->random) % (longest + 1));
  }
}

bool stream_skips(CUstream stream, const struct operation *operation) {
  return operation->turn <= stream->skipped || stream->context->error != CUDA_SUCCESS;
}

// Under the lock, which it lets go meanwhile.
static void run_first(CUstream stream) {
  struct operation *operation = stream->first;
  stream->first = operation->next;
  stream->running = operation;
  pthread_mutex_unlock(&stream->lock);
  stream_delay(stream);
  CUresult result = operation_run(operation, stream);
  if (result != CUDA_SUCCESS) {
    context_break(stream->context, result);
  }
  pthread_mutex_lock(&stream->lock);
  stream->running = NULL;
  stream->completed = operation->turn;
  if (stream->waiting > 0) {
    pthread_cond_broadcast(&stream->done);
  }
  free(operation->staged);
  free(operation);
}

static bool has_work(CUstream stream) { return stream->first && !stream->running; }

// Under the lock, which it lets go meanwhile.
static void look_for_work(CUstream stream) {
  uint64_t submitted = stream->submitted;
  uint64_t until = micros_now() + (uint64_t)knob(KNOB_SPIN_US);
  pthread_mutex_unlock(&stream->lock);
  while (stream->submitted == submitted && micros_now() < until) {
    sched_yield();
  }
  pthread_mutex_lock(&stream->lock);
}

static void *serve(void *argument) {
  CUstream stream = argument;
  char name[16];
  snprintf(name, sizeof name, "fakecuda-%u", (unsigned)stream->id % 100000);
  pthread_setname_np(pthread_self(), name);
  prctl(PR_SET_TIMERSLACK, 1000);
  bool has_looked = true;
  pthread_mutex_lock(&stream->lock);
  while (stream->is_alive || stream->first) {
    if (has_work(stream)) {
      run_first(stream);
      has_looked = false;
    } else if (!has_looked && stream->is_alive) {
      look_for_work(stream);
      has_looked = true;
    } else {
      stream->is_asleep = true;
      pthread_cond_wait(&stream->work, &stream->lock);
      stream->is_asleep = false;
    }
  }
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

// Signals to the process are not for these threads, but for those that they cause themselves.
static bool start_thread(CUstream stream) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGSEGV);
  sigdelset(&blocked, SIGBUS);
  sigdelset(&blocked, SIGFPE);
  sigdelset(&blocked, SIGILL);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  bool started = pthread_create(&thread, NULL, serve, stream) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) {
    pthread_detach(thread);
  }
  return started;
}

static CUstream add_stream(CUcontext context, unsigned flags, int priority, bool is_default) {
  CUstream stream = handles_add(&streams);
  if (!stream) {
    return NULL;
  }
  unsigned number = atomic_fetch_add(&made, 1);
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority;
  stream->is_default = is_default;
  stream->is_made_since_reset = true;
  stream->id = (unsigned long long)(stream - (CUstream)streams.objects);
  stream->random = (unsigned)knob(KNOB_SEED) * 7919 + number;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->work, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&stream->done, &attributes);
  pthread_condattr_destroy(&attributes);
  stream->is_alive = true;
  if (!start_thread(stream)) {
    stream->is_alive = false;
    return NULL;
  }
  return stream;
}

CUstream stream_create(unsigned flags, int priority) {
  return add_stream(context_current(), flags, priority, false);
}

static CUstream default_stream(CUcontext context) {
  pthread_mutex_lock(&default_lock);
  if (!context->default_stream) {
    context->default_stream = add_stream(context, 0, 0, true);
  }
  CUstream stream = context->default_stream;
  pthread_mutex_unlock(&default_lock);
  return stream;
}

// The first handles are no objects, but names of default streams.
CUresult stream_find(CUstream handle, CUstream *stream) {
  enum { LAST_NAME = 2 };
  if ((uintptr_t)handle <= LAST_NAME) {
    *stream = default_stream(context_current());
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (!handles_have(&streams, handle) || !handle->is_alive) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *stream = handle;
  return context_usable(handle->context);
}

// What is in its queue still runs.
void stream_destroy(CUstream stream) {
  pthread_mutex_lock(&stream->lock);
  stream->is_alive = false;
  pthread_cond_signal(&stream->work);
  pthread_mutex_unlock(&stream->lock);
}

static CUresult enter_unless_held(const struct operation *operation) {
  if (pthread_rwlock_tryrdlock(&held) == 0) {
    return CUDA_SUCCESS;
  }
  struct timespec deadline = time_after_millis(knob(KNOB_HANG_MS));
  if (pthread_rwlock_clockrdlock(&held, CLOCK_MONOTONIC, &deadline) == 0) {
    return CUDA_SUCCESS;
  }
  fprintf(stderr, "fakecuda: %s is held up by a function that frees memory\n", operation_name(operation->kind));
  return CUDA_ERROR_LAUNCH_TIMEOUT;
}

// Gives its turn. The copy in the queue is the stream's: it may be done, and gone, at once.
static uint64_t append(CUstream stream, const struct operation *operation, bool wakes, struct operation **copy) {
  struct operation *added = malloc(sizeof *added);
  *added = *operation;
  added->next = NULL;
  pthread_mutex_lock(&stream->lock);
  if (stream->first) {
    stream->last->next = added;
  } else {
    stream->first = added;
  }
  stream->last = added;
  uint64_t turn = ++stream->submitted;
  added->turn = turn;
  if (wakes && stream->is_asleep) {
    pthread_cond_signal(&stream->work);
  }
  pthread_mutex_unlock(&stream->lock);
  *copy = added;
  return turn;
}

// Whether its stream may be used while others are captured; what is staged in it is gone if not.
static CUresult permit(CUstream stream, const struct operation *operation) {
  CUresult permitted = stream->is_default ? captures_permit_default(stream->context, false) : CUDA_SUCCESS;
  if (permitted != CUDA_SUCCESS) {
    free(operation->staged);
  }
  return permitted;
}

CUresult stream_submit(CUstream stream, const struct operation *operation, uint64_t *turn) {
  if (stream_is_captured(stream)) {
    return capture_add(stream, operation);
  }
  CUresult permitted = permit(stream, operation);
  if (permitted != CUDA_SUCCESS) {
    return permitted;
  }
  CUresult result = enter_unless_held(operation);
  if (result != CUDA_SUCCESS) {
    free(operation->staged);
    return result;
  }
  struct operation *copy;
  uint64_t submitted = append(stream, operation, true, &copy);
  pthread_rwlock_unlock(&held);
  if (turn) {
    *turn = submitted;
  }
  return CUDA_SUCCESS;
}

static void say_that_it_hangs(CUstream stream, uint64_t turn, const char *function) {
  const char *present = stream->running ? operation_name(stream->running->kind) : "nothing";
  fprintf(stderr, "fakecuda: %s would hang: stream %llu is in %s, with %lu to go\n", function, stream->id, present,
          (unsigned long)(turn - stream->completed));
}

// Under the lock. Whether this thread may run what is first.
static bool may_help(CUstream stream) {
  return has_work(stream) && !stream_has_delays() && operation_is_brief(stream->first);
}

// Under the lock.
static CUresult await_under_lock(CUstream stream, uint64_t turn, const struct timespec *deadline,
                                 const char *function) {
  bool has_looked = stream_has_delays();
  while (stream->completed < turn) {
    if (may_help(stream)) {
      run_first(stream);
      continue;
    }
    pthread_cond_signal(&stream->work);
    if (!has_looked) {
      has_looked = true;
      uint64_t until = micros_now() + (uint64_t)knob(KNOB_SPIN_US);
      pthread_mutex_unlock(&stream->lock);
      while (stream->completed < turn && micros_now() < until) {
        sched_yield();
      }
      pthread_mutex_lock(&stream->lock);
      continue;
    }
    stream->waiting++;
    int error = pthread_cond_timedwait(&stream->done, &stream->lock, deadline);
    stream->waiting--;
    if (error == ETIMEDOUT && stream->completed < turn) {
      say_that_it_hangs(stream, turn, function);
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    }
  }
  if (has_work(stream) && stream->is_asleep) {
    pthread_cond_signal(&stream->work);
  }
  return CUDA_SUCCESS;
}

static CUresult await(CUstream stream, uint64_t turn, const struct timespec *deadline, const char *function) {
  if (stream->completed >= turn) {
    return CUDA_SUCCESS;
  }
  pthread_mutex_lock(&stream->lock);
  CUresult result = await_under_lock(stream, turn, deadline, function);
  pthread_mutex_unlock(&stream->lock);
  return result;
}

CUresult stream_await(CUstream stream, uint64_t turn, const char *function) {
  if (stream_is_captured(stream)) {
    return capture_break(stream);
  }
  struct timespec deadline = time_after_millis(knob(KNOB_HANG_MS));
  TRY(await(stream, turn, &deadline, function));
  return context_usable(stream->context);
}

CUresult stream_run(CUstream stream, const struct operation *operation, const char *function) {
  if (stream_is_captured(stream)) {
    free(operation->staged);
    return capture_break(stream);
  }
  TRY(permit(stream, operation));
  CUresult entered = enter_unless_held(operation);
  if (entered != CUDA_SUCCESS) {
    free(operation->staged);
    return entered;
  }
  struct operation *copy;
  uint64_t turn = append(stream, operation, false, &copy);
  pthread_rwlock_unlock(&held);
  struct timespec deadline = time_after_millis(knob(KNOB_HANG_MS));
  pthread_mutex_lock(&stream->lock);
  CUresult result = await_under_lock(stream, turn, &deadline, function);
  if (result != CUDA_SUCCESS) {
    copy->is_abandoned = true; // it is still there, because it is not done
  }
  pthread_mutex_unlock(&stream->lock);
  return result == CUDA_SUCCESS ? context_usable(stream->context) : result;
}

CUresult streams_await_all(CUcontext context, const char *function) {
  struct timespec deadline = time_after_millis(knob(KNOB_HANG_MS));
  for (size_t i = 0; i < streams.count; i++) {
    CUstream stream = handles_at(&streams, i);
    if (!context || stream->context == context) {
      TRY(await(stream, stream->submitted, &deadline, function));
    }
  }
  return CUDA_SUCCESS;
}

CUresult streams_hold(const char *function) {
  holds = knob(KNOB_QUIESCE) != 0;
  if (holds) {
    struct timespec deadline = time_after_millis(knob(KNOB_HANG_MS));
    if (pthread_rwlock_clockwrlock(&held, CLOCK_MONOTONIC, &deadline) != 0) {
      fprintf(stderr, "fakecuda: %s would hang: another function frees memory\n", function);
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    }
  }
  CUresult result = streams_await_all(NULL, function);
  if (result == CUDA_SUCCESS) {
    result = context_usable(context_current());
  }
  if (result != CUDA_SUCCESS) {
    streams_let_go();
  }
  return result;
}

void streams_let_go(void) {
  if (holds) {
    pthread_rwlock_unlock(&held);
  }
}

int64_t streams_live(void) {
  int64_t live = 0;
  for (size_t i = 0; i < streams.count; i++) {
    CUstream stream = handles_at(&streams, i);
    live += stream->is_alive && stream->is_made_since_reset && !stream->is_default;
  }
  return live;
}

void streams_reset(void) {
  made = 0;
  for (size_t i = 0; i < streams.count; i++) {
    CUstream stream = handles_at(&streams, i);
    stream->skipped = stream->submitted;
    stream->is_made_since_reset = false;
  }
  streams_await_all(NULL, __func__);
}
