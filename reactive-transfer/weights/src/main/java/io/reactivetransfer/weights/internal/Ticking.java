package io.reactivetransfer.weights.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import reactor.core.scheduler.Scheduler;

/**
 * Runs something again and again until it is over. It ends by not being scheduled once more: taking
 * a task back from a scheduler waits for a lock there, on threads that must not wait.
 */
public final class Ticking {

  private final Scheduler timers;
  private final long nanos;
  private final BooleanSupplier tick;

  private Ticking(Scheduler timers, Duration time, BooleanSupplier tick) {
    this.timers = timers;
    this.nanos = time.toNanos();
    this.tick = tick;
  }

  /**
   * Begins.
   *
   * @param tick says whether it is to run again
   */
  public static void every(Duration time, Scheduler timers, BooleanSupplier tick) {
    new Ticking(timers, time, tick).next();
  }

  /**
   * How many of these times a deadline is, at least 1; of one that is longer than can be counted,
   * as many as can be.
   */
  public static long ticks(Duration deadline, Duration time) {
    try {
      return Math.max(1, deadline.dividedBy(time));
    } catch (ArithmeticException tooMany) {
      return Long.MAX_VALUE;
    }
  }

  private void next() {
    timers.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
  }

  private void run() {
    if (tick.getAsBoolean()) {
      next();
    }
  }
}
