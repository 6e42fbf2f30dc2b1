package io.reactivetransfer.tools.perf;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts the operations of one run and their latencies; one thread at a time records. */
final class Tally {

  /**
   * The run stops by itself when its time is up, or fails by its deadlines; this is for neither.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private static final long PROGRESS_MILLIS = 200;

  /** Fixed, so that recording allocates nothing. */
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Histogram latencies = new Histogram(LONGEST_NANOS, 3);
  private final AtomicLong operations = new AtomicLong();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final long startNanos = System.nanoTime();
  private final long runNanos;
  private volatile long endNanos;
  private volatile @Nullable Throwable failure;

  Tally(long runNanos) {
    this.runNanos = runNanos;
  }

  /** Whether no further operation is to begin. */
  boolean isTimeUp(long now) {
    return now - startNanos >= runNanos;
  }

  void done(long latencyNanos) {
    latencies.recordValue(Math.clamp(latencyNanos, 0, LONGEST_NANOS));
    operations.setRelease(operations.getPlain() + 1);
  }

  void ended(@Nullable Throwable reason) {
    endNanos = System.nanoTime();
    failure = reason;
    ended.countDown();
  }

  /** Waits for the end. */
  void await(LongConsumer progress) throws Exception {
    while (!ended.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
      progress.accept(operations.getAcquire());
      if (System.nanoTime() - startNanos - runNanos > GRACE_NANOS) {
        throw new IllegalStateException("the run neither went on nor failed");
      }
    }
    switch (failure) {
      case null -> {
        // it went well
      }
      case Exception e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  long operations() {
    return operations.get();
  }

  RunFigures figures(Usage usage, long checksum) {
    return new RunFigures(
        operations.get(),
        endNanos - startNanos,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99),
        latencies.getValueAtPercentile(99.9),
        usage,
        checksum);
  }
}
