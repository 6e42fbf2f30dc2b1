package io.reactivetransfer.kvcache;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * The time that all deadlines of a {@link KvCache} go by, and what waits for it. A scheduler of the
 * caller's that takes nothing any more, for instance because it was disposed of first, must not
 * keep an end from anybody: then Reactor's own is used.
 */
final class KvTimers {

  private final Scheduler scheduler;
  private final boolean isGiven;

  /** Of the caller's scheduler and its clock; null for Reactor's, and a clock that never jumps. */
  KvTimers(@Nullable Scheduler given) {
    this.scheduler = given == null ? Schedulers.parallel() : new Lasting(given);
    this.isGiven = given != null;
  }

  /** Of use for differences only. */
  long nanos() {
    // The clock of Reactor's own schedulers is the time of day, which somebody may set.
    return isGiven ? scheduler.now(TimeUnit.NANOSECONDS) : System.nanoTime();
  }

  /** From then until now; 0 where the caller's clock was set back meanwhile. */
  Duration since(long nanos) {
    return between(nanos, nanos());
  }

  /** The same, of two times that were looked at. */
  static Duration between(long from, long to) {
    return Duration.ofNanos(Math.max(0, to - from));
  }

  Disposable after(long nanos, Runnable task) {
    return scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /** The publisher, or a TimeoutException when it takes longer than that. */
  <T> Mono<T> within(Duration time, Mono<T> publisher) {
    return publisher.timeout(time, scheduler);
  }

  /** Subscribes again that long after each failure of that kind; others are passed on. */
  Retry again(Duration pause, Predicate<Throwable> kind) {
    return Retry.fixedDelay(Long.MAX_VALUE, pause).filter(kind).scheduler(scheduler);
  }

  /** Takes what another one rejects to Reactor's own. */
  private record Lasting(Scheduler given) implements Scheduler {

    @Override
    public Disposable schedule(Runnable task) {
      try {
        return given.schedule(task);
      } catch (RejectedExecutionException disposed) {
        return Schedulers.parallel().schedule(task);
      }
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      try {
        return given.schedule(task, delay, unit);
      } catch (RejectedExecutionException disposed) {
        return Schedulers.parallel().schedule(task, delay, unit);
      }
    }

    @Override
    public Worker createWorker() {
      return given.createWorker();
    }

    @Override
    public long now(TimeUnit unit) {
      return given.now(unit);
    }
  }
}
