package io.reactivetransfer.kvcache;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The time that all deadlines of a {@link KvCache} go by, and what waits for it. */
final class KvTimers {

  private final Scheduler scheduler;
  private final boolean isGiven;

  /** Of the caller's scheduler and its clock; null for Reactor's, and a clock that never jumps. */
  KvTimers(@Nullable Scheduler given) {
    this.scheduler = given == null ? Schedulers.parallel() : given;
    this.isGiven = given != null;
  }

  /** Of use for differences only. */
  long nanos() {
    // The clock of Reactor's own schedulers is the time of day, which somebody may set.
    return isGiven ? scheduler.now(TimeUnit.NANOSECONDS) : System.nanoTime();
  }

  Disposable after(long nanos, Runnable task) {
    return scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /** The publisher, or a TimeoutException when it takes longer than that. */
  <T> Mono<T> within(Duration time, Mono<T> publisher) {
    return publisher.timeout(time, scheduler);
  }
}
