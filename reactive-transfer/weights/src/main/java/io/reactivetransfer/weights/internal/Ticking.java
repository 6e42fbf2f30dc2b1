package io.reactivetransfer.weights.internal;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import reactor.core.scheduler.Scheduler;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Runs something again and again until it is over. It ends by not being scheduled once more: taking
 * a task back from a scheduler waits for a lock there, on threads that must not wait.
 */
public final class Ticking {

  private static final Logger LOG = Loggers.getLogger(Ticking.class);

  private static final String EXPECTED = "expected timers that wait and take tasks, got ";

  private final Scheduler timers;
  private final long nanos;
  private final BooleanSupplier tick;
  private final Consumer<RejectedExecutionException> refused;

  private Ticking(
      Scheduler timers,
      Duration time,
      BooleanSupplier tick,
      Consumer<RejectedExecutionException> refused) {
    this.timers = timers;
    this.nanos = time.toNanos();
    this.tick = tick;
    this.refused = refused;
  }

  /**
   * Begins.
   *
   * @param tick says whether it is to run again
   * @throws RejectedExecutionException if the timers take no tasks; it is logged if that is so
   *     later
   */
  public static void every(Duration time, Scheduler timers, BooleanSupplier tick) {
    every(time, timers, tick, why -> LOG.warn("ticks no more", why));
  }

  /**
   * The same.
   *
   * @param refused what is done if the timers take no tasks later; it does not tick any more then
   */
  public static void every(
      Duration time,
      Scheduler timers,
      BooleanSupplier tick,
      Consumer<RejectedExecutionException> refused) {
    new Ticking(timers, time, tick, refused).next();
  }

  /** What is said of timers that take no tasks; the same again if it is that already. */
  public static RejectedExecutionException refused(Scheduler timers, Throwable why) {
    return why instanceof RejectedExecutionException known
            && String.valueOf(known.getMessage()).startsWith(EXPECTED)
        ? known
        : new RejectedExecutionException(
            EXPECTED + timers + ", which take none: " + why.getMessage(), why);
  }

  /**
   * After how many of these times a deadline is over; of one that is longer than can be counted, as
   * many as can be.
   */
  public static long ticks(Duration deadline, Duration time) {
    try {
      long whole = deadline.dividedBy(time);
      return deadline.equals(time.multipliedBy(whole)) ? whole : Math.addExact(whole, 1);
    } catch (ArithmeticException tooMany) {
      return Long.MAX_VALUE;
    }
  }

  private void next() {
    try {
      timers.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
    } catch (Throwable e) { // no thread could be had, or an application's scheduler has thrown
      throw refused(timers, e);
    }
  }

  private void run() {
    if (!tick.getAsBoolean()) {
      return;
    }
    try {
      next();
    } catch (RejectedExecutionException e) {
      refused.accept(e);
    }
  }
}
