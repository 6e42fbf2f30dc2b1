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

  private void next() {
    timers.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
  }

  private void run() {
    if (tick.getAsBoolean()) {
      next();
    }
  }
}
