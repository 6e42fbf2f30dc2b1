package io.reactivetransfer.fuzz;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Says which case hangs: the time limit of the test would end it, and not say which it was. */
final class Watchdog implements AutoCloseable {

  private static final long PERIOD_SECONDS = 20;

  private final ScheduledThreadPoolExecutor timer;
  private final Thread watched = Thread.currentThread();
  private final LongSupplier index;
  private final Target target;
  private final long seed;
  private long last = -1;

  /**
   * Watches the calling thread.
   *
   * @param index the case that runs
   */
  Watchdog(Target target, long seed, LongSupplier index) {
    this.target = target;
    this.seed = seed;
    this.index = index;
    timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("fuzz-watchdog").unstarted(task));
    var _ =
        timer.scheduleWithFixedDelay(this::look, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  private void look() {
    long now = index.getAsLong();
    if (now == last) {
      StringBuilder text = new StringBuilder();
      text.append("case ").append(now).append(" of ").append(target).append(" hangs at");
      for (StackTraceElement frame : watched.getStackTrace()) {
        text.append("\n    ").append(frame);
      }
      System.err.println(text.append("\n").append(target.replay(seed, now)));
      watched.interrupt();
    }
    last = now;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
